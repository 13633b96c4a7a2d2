package db

import "github.com/relay-chat/relay/server/chat"

const (
	selectHooks = `SELECT id, site, name, url, secret, events, made_by, created_at, paused_at, paused_for, ended_at FROM hooks ORDER BY created_at, id`
	upsertHook  = `INSERT INTO hooks (id, site, name, url, secret, events, made_by, created_at, paused_at, paused_for, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, url = excluded.url, secret = excluded.secret, events = excluded.events,
			paused_at = excluded.paused_at, paused_for = excluded.paused_for, ended_at = excluded.ended_at`
	deleteHook  = `DELETE FROM hooks WHERE id = ?`
	hooksOfSite = `UPDATE hooks SET ended_at = ? WHERE site = ? AND ended_at = 0`
)

// Hooks implements [chat.HookReader].
func (t *tx) Hooks() ([]chat.Hook, error) { return list[chat.Hook](t, selectHooks) }

// PutHook implements [chat.HookTx].
func (t *tx) PutHook(h *chat.Hook) error {
	_, err := t.q.exec(upsertHook, h.ID, h.Site, h.Name, h.URL, h.Secret, h.Events, h.MadeBy, int64(h.CreatedAt), int64(h.PausedAt), h.PausedFor, int64(h.EndedAt))
	return wrap(err, "put webhook %s", h.ID)
}

// DropHook implements [chat.HookTx].
func (t *tx) DropHook(id string) error {
	_, err := t.q.exec(deleteHook, id)
	return err
}

// Both conditions have an index; a portion is small, because other changes wait for it.
const (
	dropWaiting = `DELETE FROM deliveries WHERE dest = ? AND state < 2 AND (session, rev) IN
		(SELECT session, rev FROM deliveries WHERE dest = ? AND state < 2 ORDER BY session, rev LIMIT 500)`
	dropFailed = `DELETE FROM deliveries WHERE dest = ? AND state = 3 AND (session, rev) IN
		(SELECT session, rev FROM deliveries WHERE dest = ? AND state = 3 ORDER BY created_at LIMIT 500)`
)

// DropUndelivered implements [chat.HookTx].
func (t *tx) DropUndelivered(dest string) (some bool, err error) {
	for _, query := range []string{dropWaiting, dropFailed} {
		n, err := t.q.exec(query, dest, dest)
		if err != nil {
			return false, wrap(err, "drop deliveries to %s", dest)
		}
		some = some || n > 0
	}
	return some, nil
}

const (
	selectIncoming = `SELECT id, hash, site, name, may, signed, maker, made_by, created_at, paused_at, used_at FROM incoming_hooks`
	incomingByHash = selectIncoming + ` WHERE hash = ?`
	incomingByID   = selectIncoming + ` WHERE id = ?`
	allIncoming    = selectIncoming + ` ORDER BY created_at, id`
	upsertIncoming = `INSERT INTO incoming_hooks (id, hash, site, name, may, signed, maker, made_by, created_at, paused_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, name = excluded.name, may = excluded.may, signed = excluded.signed, paused_at = excluded.paused_at`
	deleteIncoming = `DELETE FROM incoming_hooks WHERE id = ?`
	incomingOf     = `DELETE FROM incoming_hooks WHERE maker = ?`
	incomingOfSite = `DELETE FROM incoming_hooks WHERE site = ?`
	usedIncoming   = `UPDATE incoming_hooks SET used_at = ? WHERE id = ? AND used_at < ?`
)

// IncomingHook implements [chat.HookReader].
func (t *tx) IncomingHook(hash string) (chat.IncomingHook, error) {
	return t.incoming(incomingByHash, hash)
}

// IncomingHookByID implements [chat.HookReader].
func (t *tx) IncomingHookByID(id string) (chat.IncomingHook, error) {
	return t.incoming(incomingByID, id)
}

func (t *tx) incoming(query, of string) (h chat.IncomingHook, err error) {
	signed := 0
	err = t.row(chat.ErrHookNotFound, []any{&h.ID, &h.Hash, &h.Site, &h.Name, &h.May, &signed, &h.Maker, &h.MadeBy,
		(*int64)(&h.CreatedAt), (*int64)(&h.PausedAt), (*int64)(&h.UsedAt)}, query, of)
	h.Signed = signed != 0
	return h, err
}

// IncomingHooks implements [chat.HookReader].
func (t *tx) IncomingHooks() ([]chat.IncomingHook, error) {
	return list[chat.IncomingHook](t, allIncoming)
}

// PutIncomingHook implements [chat.HookTx].
func (t *tx) PutIncomingHook(h *chat.IncomingHook) error {
	_, err := t.q.exec(upsertIncoming, h.ID, h.Hash, h.Site, h.Name, h.May, bit(h.Signed), h.Maker, h.MadeBy, int64(h.CreatedAt), int64(h.PausedAt), int64(h.UsedAt))
	return wrap(err, "put incoming hook %s", h.ID)
}

// DropIncomingHook implements [chat.HookTx].
func (t *tx) DropIncomingHook(id string) error {
	return t.touch(chat.ErrHookNotFound, deleteIncoming, id)
}

// DropIncomingHooksOf implements [chat.HookTx].
func (t *tx) DropIncomingHooksOf(maker string) error {
	_, err := t.q.exec(incomingOf, maker)
	return err
}

// UsedIncomingHook implements [chat.HookTx].
func (t *tx) UsedIncomingHook(id string, at chat.Time) error {
	_, err := t.q.exec(usedIncoming, int64(at), id, int64(at))
	return err
}

const (
	selectAnswer  = `SELECT hook, key, request, answer, at FROM incoming_answers WHERE hook = ? AND key = ?`
	insertAnswer  = `INSERT INTO incoming_answers (hook, key, request, answer, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (hook, key) DO NOTHING`
	deleteAnswers = `DELETE FROM incoming_answers WHERE at < ?`
)

// IncomingAnswer implements [chat.HookReader].
func (t *tx) IncomingAnswer(hook, key string) (a chat.IncomingAnswer, err error) {
	answers, err := list[chat.IncomingAnswer](t, selectAnswer, hook, key)
	if len(answers) > 0 {
		a = answers[0]
	}
	return a, err
}

// PutIncomingAnswer implements [chat.HookTx].
func (t *tx) PutIncomingAnswer(a *chat.IncomingAnswer) error {
	_, err := t.q.exec(insertAnswer, a.Hook, a.Key, a.Request, a.Answer, int64(a.At))
	return wrap(err, "put an answer of incoming hook %s", a.Hook)
}

// DropIncomingAnswers implements [chat.HookTx].
func (t *tx) DropIncomingAnswers(before chat.Time) error {
	_, err := t.q.exec(deleteAnswers, int64(before))
	return err
}
