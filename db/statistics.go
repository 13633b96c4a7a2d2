package db

import (
	"github.com/relay-chat/relay/server/chat"
)

// The range's facts are found by the index of activity: counting costs as much as
// what was active since the range began, whatever the total is.
const (
	selectSessionFacts = `SELECT s.number, s.id, s.status, s.started_at, s.answered_at, s.csat_responded_at, s.csat_score, s.csat_comment
		FROM sessions s WHERE ` + since
	selectMessageFacts = `SELECT m.session, m.created_at, m.sender, m.source_bridge, m.operator_name, m.operator_id
		FROM sessions s JOIN messages m ON m.session = s.number WHERE ` + since + ` AND m.created_at >= ? AND m.created_at < ? AND NOT m.internal`
	selectEntryFacts = `SELECT e.session, e.at, e.type, e.data
		FROM sessions s JOIN timeline e ON e.session = s.number WHERE ` + since + ` AND e.at >= ? AND e.at < ? AND e.type IN ('session_closed', 'ai_takeover')`
	selectWaitingSessions = `SELECT COUNT(*) AS waiting, COALESCE(MIN(waiting_since), 0) AS since FROM sessions WHERE ` + waiting
)

// Facts implements [chat.Reader].
func (t *tx) Facts(from, to chat.Time, use chat.Facts) error {
	defer t.q.survey()()
	if err := t.sessionFacts(from, use.Session); err != nil {
		return err
	}
	if err := t.messageFacts(from, to, use.Message); err != nil {
		return err
	}
	return t.entryFacts(from, to, use.Entry)
}

// each reads rows into the same variables and calls use after each of them.
func (t *tx) each(into []any, use func(), query string, args ...any) error {
	first := true
	err := t.q.rows(func() []any {
		if !first {
			use()
		}
		first = false
		return into
	}, query, args...)
	if err == nil && !first {
		use()
	}
	return err
}

func (t *tx) sessionFacts(from chat.Time, use func(chat.SessionFact)) error {
	var f chat.SessionFact
	into := []any{&f.Number, &f.ID, (*string)(&f.Status), (*int64)(&f.StartedAt), (*int64)(&f.AnsweredAt), (*int64)(&f.RespondedAt), &f.Score, &f.Comment}
	return t.each(into, func() { use(f) }, selectSessionFacts, int64(from))
}

func (t *tx) messageFacts(from, to chat.Time, use func(chat.MessageFact)) error {
	var f chat.MessageFact
	into := []any{&f.Session, (*int64)(&f.At), (*string)(&f.Sender), &f.Bridge, &f.Author, &f.Person}
	return t.each(into, func() { use(f) }, selectMessageFacts, int64(from), int64(from), int64(to))
}

func (t *tx) entryFacts(from, to chat.Time, use func(chat.EntryFact)) error {
	var f chat.EntryFact
	into := []any{&f.Session, (*int64)(&f.At), (*string)(&f.Type), &f.Data}
	return t.each(into, func() { use(f) }, selectEntryFacts, int64(from), int64(from), int64(to))
}

// WaitingSessions implements [chat.Reader].
func (t *tx) WaitingSessions() (chat.Waiting, error) {
	return one[chat.Waiting](t, nil, selectWaitingSessions)
}
