package db

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

const (
	selectActions = `SELECT id, site, name, about, method, url, parameters, identity, owner, by_email, verified, changes, repeats, header, secret, made_by, created_at, changed_at, paused_at
		FROM ai_actions ORDER BY created_at, id`
	countActions   = `SELECT COUNT(*) FROM ai_actions WHERE id <> ?`
	countActionsAt = countActions + ` AND site = ?`
	countNamed     = countActionsAt + ` AND name = ?`
	upsertAction   = `INSERT INTO ai_actions (id, site, name, about, method, url, parameters, identity, owner, by_email, verified, changes, repeats, header, secret, made_by, created_at, changed_at, paused_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, about = excluded.about, method = excluded.method, url = excluded.url, parameters = excluded.parameters,
			identity = excluded.identity, owner = excluded.owner, by_email = excluded.by_email, verified = excluded.verified, changes = excluded.changes, repeats = excluded.repeats,
			header = excluded.header, secret = excluded.secret, changed_at = excluded.changed_at, paused_at = excluded.paused_at`
	deleteAction  = `DELETE FROM ai_actions WHERE id = ?`
	actionsOfSite = `DELETE FROM ai_actions WHERE site = ?`
	lockActions   = "ai_actions"
)

// Actions lists the actions of all sites, oldest first.
func (d *DB) Actions(ctx context.Context) (actions []chat.Action, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		actions, err = t.Actions()
		return err
	})
	return actions, err
}

// Actions implements [chat.ActionReader].
func (t *tx) Actions() ([]chat.Action, error) { return list[chat.Action](t, selectActions) }

// PutAction stores an action, whose name no other one of its site may have.
func (d *DB) PutAction(ctx context.Context, a *chat.Action) error {
	return d.backend.apply(ctx, func(t *tx) error { return t.PutAction(a) })
}

// PutAction implements [chat.ActionTx].
func (t *tx) PutAction(a *chat.Action) error {
	if _, err := t.LockMeta(lockActions); err != nil { // one at a time: they are counted
		return err
	}
	for _, check := range []struct {
		query   string
		args    []any
		most    int
		refused error
	}{
		{countNamed, []any{a.ID, a.Site, a.Name}, 1, chat.ErrorAt(chat.Conflict, "name", "name must be another one: there is an action of this name")},
		{countActionsAt, []any{a.ID, a.Site}, chat.MaxActions, chat.Errorf(chat.Conflict, "There are %d actions, which is the most. Delete one first", chat.MaxActions)},
		{countActions, []any{a.ID}, chat.MaxAllActions, chat.Errorf(chat.Conflict, "All websites have %d actions together, which is the most. Delete one first", chat.MaxAllActions)},
	} {
		if n, err := one[int](t, nil, check.query, check.args...); err != nil || n >= check.most {
			if err == nil {
				err = check.refused
			}
			return err
		}
	}
	_, err := t.q.exec(upsertAction, a.ID, a.Site, a.Name, a.About, a.Method, a.URL, a.Parameters, a.Identity, a.Owner, bit(a.ByEmail), bit(a.Verified), bit(a.Changes), bit(a.Repeats),
		a.Header, a.Secret, a.MadeBy, int64(a.CreatedAt), int64(a.ChangedAt), int64(a.PausedAt))
	return wrap(err, "put action %s", a.ID)
}

// DropAction forgets an action. What was done by it stays.
func (d *DB) DropAction(ctx context.Context, id string) error {
	return d.backend.apply(ctx, func(t *tx) error { return t.touch(chat.ErrActionNotFound, deleteAction, id) })
}

const (
	selectActs = `SELECT a.id, s.id AS session_id, s.site, a.action, a.name, a.shown, a.arguments, a.person, a.changes, a.state, a.reason, a.asked, a.claim, a.said_by, a.asked_at, a.action_at, a.at
		FROM ai_acts a JOIN sessions s ON s.number = a.session`
	insertAct = `INSERT INTO ai_acts (id, session, action, name, shown, arguments, person, changes, state, asked, asked_at, action_at, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
	turnAct    = `UPDATE ai_acts SET state = ?, reason = ?, claim = ?, said_by = ?, at = ? WHERE id = ? AND state = ? AND claim = ?`
	waitedLong = ` WHERE state = 'waiting' AND asked_at < ?`
	lookedLong = ` WHERE state = 'running' AND changes = 0 AND asked_at < ?`
	expireActs = `UPDATE ai_acts SET state = 'expired', at = ?` + waitedLong
	endLooks   = `UPDATE ai_acts SET state = 'failed', reason = ?, at = ?` + lookedLong
	overdue    = `SELECT (SELECT COUNT(*) FROM ai_acts` + waitedLong + `) + (SELECT COUNT(*) FROM ai_acts` + lookedLong + `)`
	endLook    = `UPDATE ai_acts SET state = 'failed', reason = ?, at = ? WHERE state = 'running' AND changes = 0 AND asked = ?`
	countActs  = `SELECT COUNT(*) FROM ai_acts WHERE asked_at >= ?`
	countHere  = countActs + ` AND session = ?`
)

// BeginAct stores an act, unless another one waits in its session for a person's yes, or the same was
// asked for already, or there were too many since a time: of all sessions, or of this one.
func (d *DB) BeginAct(ctx context.Context, a *chat.Act, since chat.Time, most, mostHere int) (begun bool, err error) {
	err = d.backend.apply(ctx, func(t *tx) error {
		session, err := t.number(a.SessionID)
		if err != nil {
			return err
		}
		if _, err := t.q.exec(endLook, chat.ErrStopped.Error(), int64(chat.Now()), a.Asked); err != nil { // a delivery does one at a time
			return err
		}
		all, err := one[int](t, nil, countActs, int64(since))
		if err != nil {
			return err
		}
		here, err := one[int](t, nil, countHere, int64(since), session)
		if begun = err == nil && all < most && here < mostHere; !begun {
			return err
		}
		n, err := t.q.exec(insertAct, a.ID, session, a.ActionID, a.Name, a.Shown, a.Arguments, a.Person, bit(a.Changes), a.State, a.Asked, int64(a.AskedAt), int64(a.ActionAt), int64(a.At))
		begun = n > 0
		return err
	})
	return begun, err
}

// TurnAct gives an act another state, unless it has left the one before meanwhile. The entry of the
// audit list is stored with the state, unless it is empty.
func (d *DB) TurnAct(ctx context.Context, a *chat.Act, from, claim string, entry chat.AuditEntry) (turned bool, err error) {
	err = d.backend.apply(ctx, func(t *tx) error {
		n, err := t.q.exec(turnAct, a.State, a.Reason, a.Claim, a.By, int64(a.At), a.ID, from, claim)
		if turned = err == nil && n > 0; !turned {
			return err
		}
		return t.putEntry(entry)
	})
	return turned, err
}

// ExpireActs lets what was asked before a time wait no longer, and what only reads and was begun before
// another time run no longer: relay stopped meanwhile. It writes only if there is something to write.
func (d *DB) ExpireActs(ctx context.Context, asked, begun chat.Time) error {
	var n int
	err := d.backend.read(ctx, func(t *tx) (err error) {
		n, err = one[int](t, nil, overdue, int64(asked), int64(begun))
		return err
	})
	if err != nil || n == 0 {
		return err
	}
	return d.backend.apply(ctx, func(t *tx) error {
		now := int64(chat.Now())
		_, err := t.q.exec(expireActs, now, int64(asked))
		if err == nil {
			_, err = t.q.exec(endLooks, chat.ErrStopped.Error(), now, int64(begun))
		}
		return err
	})
}

// actQuery says which acts.
type actQuery struct {
	where string
	args  []any
}

func (d *DB) acts(ctx context.Context, q actQuery) (acts []chat.Act, err error) {
	err = d.backend.read(ctx, func(t *tx) error {
		acts, err = list[chat.Act](t, selectActs+q.where, q.args...)
		return err
	})
	return acts, err
}

// Act finds an act.
func (d *DB) Act(ctx context.Context, id string) (chat.Act, error) {
	return first(d.acts(ctx, actQuery{` WHERE a.id = ?`, []any{id}}))
}

// ActAsked finds the change that was asked for because of a delivery.
func (d *DB) ActAsked(ctx context.Context, delivery string) (chat.Act, error) {
	return first(d.acts(ctx, actQuery{` WHERE a.asked = ? AND a.changes = 1`, []any{delivery}}))
}

// ActWaiting finds the act that waits in a session for a person's yes.
func (d *DB) ActWaiting(ctx context.Context, sessionID string) (chat.Act, error) {
	return first(d.acts(ctx, actQuery{` WHERE s.id = ? AND a.state = 'waiting'`, []any{sessionID}}))
}

// ActClaimed finds the act in a session that a delivery does or did.
func (d *DB) ActClaimed(ctx context.Context, sessionID, delivery string) (chat.Act, error) {
	return first(d.acts(ctx, actQuery{` WHERE s.id = ? AND a.claim = ?`, []any{sessionID, delivery}}))
}

// Acts lists the newest acts, of one session if it is named.
func (d *DB) Acts(ctx context.Context, sessionID string, n int) ([]chat.Act, error) {
	if sessionID == "" {
		return d.acts(ctx, actQuery{` ORDER BY a.asked_at DESC, a.id LIMIT ?`, []any{n}})
	}
	return d.acts(ctx, actQuery{newestActs, []any{sessionID, n}})
}

const newestActs = ` WHERE s.id = ? ORDER BY a.asked_at DESC, a.id LIMIT ?`

// ActsOf implements [chat.ActionReader].
func (t *tx) ActsOf(sessionID string, limit int) ([]chat.Act, error) {
	return list[chat.Act](t, selectActs+newestActs, sessionID, limit)
}

func first(acts []chat.Act, err error) (chat.Act, error) {
	if err == nil && len(acts) == 0 {
		err = chat.ErrActNotFound
	}
	if err != nil {
		return chat.Act{}, err
	}
	return acts[0], nil
}
