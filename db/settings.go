package db

import "github.com/relay-chat/relay/server/chat"

const selectSettings = `SELECT name, value FROM settings`

// Settings implements [chat.Reader].
func (t *tx) Settings() (map[string]chat.Raw, error) {
	type setting struct {
		Name  string
		Value chat.Raw
	}
	rows, err := list[setting](t, selectSettings)
	if err != nil {
		return nil, err
	}
	settings := make(map[string]chat.Raw, len(rows))
	for _, s := range rows {
		settings[s.Name] = s.Value
	}
	return settings, nil
}

const upsertSetting = `INSERT INTO settings (name, value) VALUES (?, ?)
	ON CONFLICT (name) DO UPDATE SET value = excluded.value`

// PutSetting implements [chat.Tx].
func (t *tx) PutSetting(name string, value chat.Raw) error {
	_, err := t.q.exec(upsertSetting, name, value)
	return wrap(err, "put setting %s", name)
}

const deleteSetting = `DELETE FROM settings WHERE name = ?`

// DeleteSetting implements [chat.Tx].
func (t *tx) DeleteSetting(name string) error {
	_, err := t.q.exec(deleteSetting, name)
	return wrap(err, "delete setting %s", name)
}

const selectMeta = `SELECT value FROM meta WHERE name = ?`

// Meta implements [chat.Reader].
func (t *tx) Meta(name string) (string, error) {
	return one[string](t, nil, selectMeta, name)
}

const upsertMeta = `INSERT INTO meta (name, value) VALUES (?, ?)
	ON CONFLICT (name) DO UPDATE SET value = excluded.value`

// PutMeta implements [chat.Tx].
func (t *tx) PutMeta(name, value string) error {
	_, err := t.q.exec(upsertMeta, name, value)
	return wrap(err, "put meta %s", name)
}

const lockMeta = `INSERT INTO meta (name, value) VALUES (?, '') ON CONFLICT (name) DO UPDATE SET value = meta.value RETURNING value`

// LockMeta implements [chat.Tx].
func (t *tx) LockMeta(name string) (value string, err error) {
	value, err = one[string](t, nil, lockMeta, name)
	return value, wrap(err, "lock meta %s", name)
}
