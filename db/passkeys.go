package db

import "github.com/relay-chat/relay/server/chat"

const (
	passkeyColumns     = `id, person, credential, host, public_key, signatures, name, created_at, used_at`
	selectPasskeys     = `SELECT ` + passkeyColumns + ` FROM passkeys`
	selectPasskeysOf   = selectPasskeys + ` WHERE person = ? ORDER BY created_at, id`
	selectPasskey      = selectPasskeys + ` WHERE credential = ?`
	selectPasskeyByID  = selectPasskeys + ` WHERE id = ?`
	insertPasskey      = `INSERT INTO passkeys (` + passkeyColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	renamePasskey      = `UPDATE passkeys SET name = ? WHERE id = ?`
	usePasskey         = `UPDATE passkeys SET signatures = ?, used_at = ? WHERE id = ? AND (signatures < ? OR signatures + ? = 0)`
	deletePasskey      = `DELETE FROM passkeys WHERE id = ?`
	insertChallenge    = `INSERT INTO passkey_challenges (hash, expires_at) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING`
	deleteOldChallenge = `DELETE FROM passkey_challenges WHERE expires_at < ?`
)

// Passkeys implements [chat.PasskeyReader].
func (t *tx) Passkeys(person string) ([]chat.Passkey, error) {
	return list[chat.Passkey](t, selectPasskeysOf, person)
}

// Passkey implements [chat.PasskeyReader].
func (t *tx) Passkey(credential string) (chat.Passkey, error) {
	return one[chat.Passkey](t, chat.ErrPasskeyNotFound, selectPasskey, credential)
}

// PasskeyByID implements [chat.PasskeyReader].
func (t *tx) PasskeyByID(id string) (chat.Passkey, error) {
	return one[chat.Passkey](t, chat.ErrPasskeyNotFound, selectPasskeyByID, id)
}

// PutPasskey implements [chat.PasskeyTx].
func (t *tx) PutPasskey(k *chat.Passkey) error {
	_, err := t.q.exec(insertPasskey, k.ID, k.Person, k.Credential, k.Host, k.Key, k.Count, k.Name, int64(k.CreatedAt), int64(k.UsedAt))
	return wrap(err, "put passkey of %s", k.Person)
}

// RenamePasskey implements [chat.PasskeyTx].
func (t *tx) RenamePasskey(id, name string) error {
	return t.touch(chat.ErrPasskeyNotFound, renamePasskey, name, id)
}

// UsePasskey implements [chat.PasskeyTx].
func (t *tx) UsePasskey(id string, count int64, at chat.Time) error {
	return t.touch(chat.ErrPasskeyCounter, usePasskey, count, int64(at), id, count, count)
}

// DeletePasskey implements [chat.PasskeyTx].
func (t *tx) DeletePasskey(id string) error {
	return t.touch(chat.ErrPasskeyNotFound, deletePasskey, id)
}

// UseChallenge implements [chat.PasskeyTx].
func (t *tx) UseChallenge(hash string, expires chat.Time) error {
	return t.touch(chat.ErrChallengeUsed, insertChallenge, hash, int64(expires))
}

// DropChallenges implements [chat.PasskeyTx].
func (t *tx) DropChallenges(before chat.Time) error {
	_, err := t.q.exec(deleteOldChallenge, int64(before))
	return err
}
