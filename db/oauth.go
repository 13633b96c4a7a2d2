package db

import "github.com/relay-chat/relay/server/chat"

const (
	selectOAuthClient = `SELECT id, name, redirects, created_at, granted_at FROM oauth_clients WHERE id = ?`
	countOAuthClients = `SELECT COUNT(*) FROM oauth_clients`
	insertOAuthClient = `INSERT INTO oauth_clients (id, name, redirects, created_at, granted_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, redirects = excluded.redirects`
	grantOAuthClient = `UPDATE oauth_clients SET granted_at = ? WHERE id = ?`
	dropUnusedClient = `DELETE FROM oauth_clients WHERE id = (SELECT id FROM oauth_clients WHERE granted_at = 0 AND created_at < ?
		ORDER BY created_at, id LIMIT 1)`
	dropOAuthClients = `DELETE FROM oauth_clients WHERE created_at < ? AND granted_at < ? AND NOT EXISTS
		(SELECT 1 FROM api_keys k WHERE k.client = oauth_clients.id AND k.ended_at = 0)`

	selectOAuthCode = `SELECT hash, client, redirect, challenge, resource, scopes, sites, person, sign_in, made_by, until, api_key FROM oauth_codes WHERE hash = ?`
	insertOAuthCode = `INSERT INTO oauth_codes (hash, client, redirect, challenge, resource, scopes, sites, person, sign_in, made_by, until, api_key)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	redeemOAuthCode = `UPDATE oauth_codes SET api_key = ? WHERE hash = ? AND api_key = ''`
	deleteOAuthCode = `DELETE FROM oauth_codes WHERE hash = ?`
	dropOAuthCodes  = `DELETE FROM oauth_codes WHERE until < ?`

	selectOAuthToken = `SELECT hash, api_key, kind, scopes, until, spent_at FROM oauth_tokens WHERE hash = ?`
	insertOAuthToken = `INSERT INTO oauth_tokens (hash, api_key, kind, scopes, until, spent_at) VALUES (?, ?, ?, ?, ?, ?)`
	spendOAuthToken  = `UPDATE oauth_tokens SET spent_at = ? WHERE hash = ? AND spent_at = 0`
	dropOAuthTokens  = `DELETE FROM oauth_tokens WHERE until < ?`
	extendKey        = `UPDATE api_keys SET expires_at = ? WHERE id = ? AND ended_at = 0`
)

// OAuthClient implements [chat.OAuthReader].
func (t *tx) OAuthClient(id string) (chat.OAuthClient, error) {
	return one[chat.OAuthClient](t, chat.ErrOAuthUnknown, selectOAuthClient, id)
}

// CountOAuthClients implements [chat.OAuthReader].
func (t *tx) CountOAuthClients() (int, error) { return one[int](t, nil, countOAuthClients) }

// OAuthCode implements [chat.OAuthReader].
func (t *tx) OAuthCode(hash string) (chat.OAuthCode, error) {
	return one[chat.OAuthCode](t, chat.ErrOAuthUnknown, selectOAuthCode, hash)
}

// OAuthToken implements [chat.OAuthReader].
func (t *tx) OAuthToken(hash string) (chat.OAuthToken, error) {
	return one[chat.OAuthToken](t, chat.ErrOAuthUnknown, selectOAuthToken, hash)
}

// PutOAuthClient implements [chat.OAuthTx].
func (t *tx) PutOAuthClient(c *chat.OAuthClient) error {
	_, err := t.q.exec(insertOAuthClient, c.ID, c.Name, c.Redirects, int64(c.CreatedAt), int64(c.GrantedAt))
	return wrap(err, "put OAuth client %s", c.ID)
}

// GrantedOAuthClient implements [chat.OAuthTx].
func (t *tx) GrantedOAuthClient(id string, at chat.Time) error {
	return t.touch(chat.ErrOAuthUnknown, grantOAuthClient, int64(at), id)
}

// DropUnusedClient implements [chat.OAuthTx].
func (t *tx) DropUnusedClient(before chat.Time) error {
	return t.touch(chat.ErrOAuthUnknown, dropUnusedClient, int64(before))
}

// PutOAuthCode implements [chat.OAuthTx].
func (t *tx) PutOAuthCode(c *chat.OAuthCode) error {
	_, err := t.q.exec(insertOAuthCode, c.Hash, c.Client, c.Redirect, c.Challenge, c.Resource, c.Scopes, c.Sites, c.Person, c.SignIn, c.MadeBy,
		int64(c.Until), c.Key)
	return wrap(err, "put an OAuth code of %s", c.Client)
}

// RedeemedOAuthCode implements [chat.OAuthTx].
func (t *tx) RedeemedOAuthCode(hash, key string) error {
	return t.touch(chat.ErrOAuthUnknown, redeemOAuthCode, key, hash)
}

// DeleteOAuthCode implements [chat.OAuthTx].
func (t *tx) DeleteOAuthCode(hash string) error {
	_, err := t.q.exec(deleteOAuthCode, hash)
	return err
}

// PutOAuthToken implements [chat.OAuthTx].
func (t *tx) PutOAuthToken(o *chat.OAuthToken) error {
	_, err := t.q.exec(insertOAuthToken, o.Hash, o.Key, o.Kind, o.Scopes, int64(o.Until), int64(o.SpentAt))
	return wrap(err, "put an OAuth token of %s", o.Key)
}

// SpendOAuthToken implements [chat.OAuthTx].
func (t *tx) SpendOAuthToken(hash string, at chat.Time) error {
	return t.touch(chat.ErrOAuthUnknown, spendOAuthToken, int64(at), hash)
}

// ExtendAPIKey implements [chat.OAuthTx].
func (t *tx) ExtendAPIKey(id string, until chat.Time) error {
	return t.touch(chat.ErrAPIKeyNotFound, extendKey, int64(until), id)
}

// DropOAuth implements [chat.OAuthTx].
func (t *tx) DropOAuth(unused, ended chat.Time) error {
	for _, drop := range []struct {
		query string
		args  []any
	}{{dropOAuthClients, []any{int64(unused), int64(unused)}}, {dropOAuthCodes, []any{int64(ended)}}, {dropOAuthTokens, []any{int64(ended)}}} {
		if _, err := t.q.exec(drop.query, drop.args...); err != nil {
			return err
		}
	}
	return nil
}
