package db

import "github.com/relay-chat/relay/server/chat"

const (
	selectAPIKeys = `SELECT id, hash, name, scopes, sites, COALESCE(person, '') AS person, maker, made_by, made_with, created_at, expires_at, used_at, ended_at, client, host, resource, ended_by, ended_for, owner FROM api_keys`
	selectKey     = selectAPIKeys + ` WHERE hash = ?`
	keyByID       = selectAPIKeys + ` WHERE id = ?`
	liveKeys      = selectAPIKeys + ` WHERE ended_at = 0 ORDER BY created_at DESC, id`
	insertKey     = `INSERT INTO api_keys (id, hash, name, scopes, sites, person, maker, made_by, made_with, created_at, expires_at, used_at, ended_at, client, host, resource)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	usedKey = `UPDATE api_keys SET used_at = ? WHERE id = ? AND used_at < ?`
	// endKeys also ends what was made with a key, and with that, and so on.
	endKeys      = `UPDATE api_keys SET ended_at = ?, ended_by = ?, ended_for = CASE WHEN `
	endKeysWhere = ` THEN ? ELSE 'maker' END WHERE ended_at = 0 AND id IN (WITH RECURSIVE made (id) AS (SELECT id FROM api_keys WHERE `
	endKeysMade  = ` UNION SELECT k.id FROM api_keys k JOIN made ON k.made_with = made.id) SELECT id FROM made)`
	theKey       = `id = ?`
	theTokens    = `person = ?`
	theMade      = `maker = ? AND person IS NULL`
	endKey       = endKeys + theKey + endKeysWhere + theKey + endKeysMade
	endTokensOf  = endKeys + theTokens + endKeysWhere + theTokens + endKeysMade
	endKeysOf    = endKeys + theMade + endKeysWhere + theMade + endKeysMade
	keepTokensOf = `UPDATE api_keys SET person = NULL, owner = ?, sites = ? WHERE person = ?`
	endedKeys    = selectAPIKeys + ` WHERE ended_at > 0 OR expires_at > 0 AND expires_at <= ?
		ORDER BY CASE WHEN ended_at = 0 THEN expires_at ELSE ended_at END DESC, id LIMIT ?`
	deleteKeys = `DELETE FROM api_keys WHERE ended_at > 0 AND ended_at < ? OR expires_at > 0 AND expires_at < ?`
	setSitesIn = `UPDATE api_keys SET sites = ? WHERE id = ?`
)

// APIKey implements [chat.APIKeyReader].
func (t *tx) APIKey(hash string) (chat.APIKey, error) { return t.apiKey(selectKey, hash) }

// apiKey reads a key, as every request with one does.
func (t *tx) apiKey(query, of string) (k chat.APIKey, err error) {
	err = t.row(chat.ErrAPIKeyNotFound, []any{&k.ID, &k.Hash, &k.Name, &k.Scopes, &k.Sites, &k.Person, &k.Maker, &k.MadeBy, &k.MadeWith,
		(*int64)(&k.CreatedAt), (*int64)(&k.ExpiresAt), (*int64)(&k.UsedAt), (*int64)(&k.EndedAt), &k.Client, &k.Host, &k.Resource,
		&k.EndedBy, (*string)(&k.EndedFor), &k.Owner}, query, of)
	return k, err
}

// APIKeyByID implements [chat.APIKeyReader].
func (t *tx) APIKeyByID(id string) (chat.APIKey, error) { return t.apiKey(keyByID, id) }

// APIKeys implements [chat.APIKeyReader].
func (t *tx) APIKeys() ([]chat.APIKey, error) { return list[chat.APIKey](t, liveKeys) }

// EndedAPIKeys implements [chat.APIKeyReader].
func (t *tx) EndedAPIKeys(at chat.Time, limit int) ([]chat.APIKey, error) {
	return list[chat.APIKey](t, endedKeys, int64(at), limit)
}

// PutAPIKey implements [chat.APIKeyTx].
func (t *tx) PutAPIKey(k *chat.APIKey) error {
	_, err := t.q.exec(insertKey, k.ID, k.Hash, k.Name, k.Scopes, k.Sites, nullable(k.Person), k.Maker, k.MadeBy, k.MadeWith,
		int64(k.CreatedAt), int64(k.ExpiresAt), int64(k.UsedAt), int64(k.EndedAt), k.Client, k.Host, k.Resource)
	return wrap(err, "put API key %s", k.ID)
}

// UsedAPIKey implements [chat.APIKeyTx].
func (t *tx) UsedAPIKey(id string, at chat.Time) error {
	_, err := t.q.exec(usedKey, int64(at), id, int64(at))
	return err
}

// EndAPIKey implements [chat.APIKeyTx].
func (t *tx) EndAPIKey(id string, how chat.KeyEnd) error {
	return t.touch(chat.ErrAPIKeyNotFound, endKey, int64(how.At), how.By, id, string(how.For), id)
}

// EndTokensOf implements [chat.APIKeyTx].
func (t *tx) EndTokensOf(person string, how chat.KeyEnd) error {
	_, err := t.q.exec(endTokensOf, int64(how.At), how.By, person, string(how.For), person)
	return err
}

// EndKeysOf implements [chat.APIKeyTx].
func (t *tx) EndKeysOf(maker string, how chat.KeyEnd) error {
	_, err := t.q.exec(endKeysOf, int64(how.At), how.By, maker, string(how.For), maker)
	return err
}

// KeepTokensOf implements [chat.APIKeyTx].
func (t *tx) KeepTokensOf(p *chat.Person) error {
	_, err := t.q.exec(keepTokensOf, p.Name, p.Sites, p.ID)
	return err
}

// DropAPIKeys implements [chat.APIKeyTx].
func (t *tx) DropAPIKeys(before chat.Time) error {
	_, err := t.q.exec(deleteKeys, int64(before), int64(before))
	return err
}
