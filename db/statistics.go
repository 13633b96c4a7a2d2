package db

import (
	"errors"
	"slices"

	"github.com/relay-chat/relay/db/digest"
	"github.com/relay-chat/relay/server/chat"
)

const selectWaitingSessions = `SELECT COUNT(*) AS waiting, COALESCE(MIN(waiting_since), 0) AS since FROM sessions WHERE ` + waiting

// WaitingSessions implements [chat.Reader].
func (t *tx) WaitingSessions(sites chat.SiteSet) (chat.Waiting, error) {
	of, args := ofSites(sites)
	return one[chat.Waiting](t, nil, selectWaitingSessions+of, args...)
}

const selectRatingComment = `SELECT number, id, csat_comment AS comment FROM sessions WHERE number = ?`

// RatingComment implements [chat.Reader].
func (t *tx) RatingComment(session int64) (chat.RatingComment, error) {
	return one[chat.RatingComment](t, nil, selectRatingComment, session)
}

const (
	selectChanged  = `SELECT session FROM digest_changes ORDER BY session`
	selectDigested = `SELECT portion FROM digests WHERE latest > 0 ORDER BY portion`
	selectDigests  = `SELECT portion, facts FROM digests WHERE latest > 0 AND latest >= ? ORDER BY portion`
)

// Facts implements [chat.Reader]. It reads digests, and the rows of the sessions that have
// none or have changed since. Both say the same.
func (t *tx) Facts(from chat.Time, use func(*chat.SessionFacts) error) error {
	defer t.q.survey()()
	changed, err := list[int64](t, selectChanged)
	if err != nil {
		return err
	}
	digested, err := t.digestedFacts(from, changed, use)
	if err != nil {
		return err
	}
	if err := t.undigestedFacts(digested, use); err != nil {
		return err
	}
	for len(changed) > 0 {
		n := min(len(changed), portionSize)
		err := t.readFacts(factsOfChanged, changed[0], changed[n-1], func(s *chat.SessionFacts) error {
			if !digested[s.Number/portionSize] {
				return nil // it was read with its portion
			}
			return use(s)
		})
		if err != nil {
			return err
		}
		changed = changed[n:]
	}
	return nil
}

// digestedFacts uses what the digests say of sessions that have not changed since, and
// returns which portions have one.
func (t *tx) digestedFacts(from chat.Time, changed []int64, use func(*chat.SessionFacts) error) (digested map[int64]bool, err error) {
	portions, err := list[int64](t, selectDigested)
	if err != nil {
		return nil, err
	}
	digested = make(map[int64]bool, len(portions))
	for _, p := range portions {
		digested[p] = true
	}
	var portion int64
	var facts []byte
	var sessions digest.Sessions
	into := []any{&portion, &facts}
	err = t.each(into, func() error {
		if sessions.Decode(facts) != nil { // the rows still tell
			digested[portion] = false
			return nil
		}
		for i := range sessions.List {
			s := &sessions.List[i]
			if _, gone := slices.BinarySearch(changed, s.Number); gone {
				continue
			}
			if err := use(s); err != nil {
				return err
			}
		}
		return nil
	}, selectDigests, int64(from))
	return digested, err
}

// undigestedFacts uses the rows of the portions that have no digest.
func (t *tx) undigestedFacts(digested map[int64]bool, use func(*chat.SessionFacts) error) error {
	highest, err := one[int64](t, nil, selectHighest)
	if err != nil {
		return err
	}
	for p := int64(0); p <= highest/portionSize; p++ {
		if digested[p] {
			continue
		}
		if err := t.readFacts(factsOfAll, p*portionSize, (p+1)*portionSize-1, use); err != nil {
			return err
		}
	}
	return nil
}

// factQueries read the rows of sessions whose number is in a range.
type factQueries struct{ sessions, messages, entries string }

var (
	factsOfAll     = newFactQueries(`sessions s`, `s.number`)
	factsOfChanged = newFactQueries(`digest_changes c JOIN sessions s ON s.number = c.session`, `c.session`)
)

func newFactQueries(source, number string) factQueries {
	where := ` WHERE ` + number + ` BETWEEN ? AND ? AND s.started_at > 0`
	return factQueries{
		sessions: `SELECT s.number, s.site, s.status, s.started_at, s.answered_at, s.csat_responded_at, s.csat_score, s.csat_comment <> '' FROM ` + source + where + ` ORDER BY ` + number,
		messages: `SELECT m.session, m.created_at, m.sender, m.source_bridge, m.operator_name, m.operator_id
			FROM ` + source + ` JOIN messages m ON m.session = s.number` + where + ` AND NOT m.internal AND m.source_bridge <> 'relay' ORDER BY ` + number,
		entries: `SELECT e.session, e.at, e.type, e.data
			FROM ` + source + ` JOIN timeline e ON e.session = s.number` + where + ` AND e.type IN ('session_closed', 'ai_takeover') ORDER BY ` + number,
	}
}

// readFacts uses the rows of the sessions in a range.
func (t *tx) readFacts(q factQueries, first, last int64, use func(*chat.SessionFacts) error) error {
	sessions, err := t.sessionFacts(q.sessions, first, last)
	if err != nil || len(sessions) == 0 {
		return err
	}
	if err := t.messageFacts(sessions, q.messages, first, last); err != nil {
		return err
	}
	if err := t.entryFacts(sessions, q.entries, first, last); err != nil {
		return err
	}
	for i := range sessions {
		if err := use(&sessions[i]); err != nil {
			return err
		}
	}
	return nil
}

// each reads rows into the same variables and calls use after each of them.
func (t *tx) each(into []any, use func() error, query string, args ...any) error {
	var failed error
	read := false
	err := t.q.rows(func() []any {
		if read && failed == nil {
			failed = use()
		}
		read = true
		return into
	}, query, args...)
	if err == nil && read && failed == nil {
		failed = use()
	}
	return errors.Join(err, failed)
}

func (t *tx) sessionFacts(query string, first, last int64) (all []chat.SessionFacts, err error) {
	var s chat.SessionFacts
	var status chat.Status
	into := []any{&s.Number, &s.Site, (*string)(&status), (*int64)(&s.StartedAt), (*int64)(&s.AnsweredAt), (*int64)(&s.RespondedAt), &s.Score, &s.Commented}
	err = t.each(into, func() error {
		s.Closed = status == chat.StatusClosed
		all = append(all, s)
		return nil
	}, query, first, last)
	return all, err
}

// messageFacts adds the messages to their sessions; both are in the order of their numbers.
func (t *tx) messageFacts(sessions []chat.SessionFacts, query string, first, last int64) error {
	var session int64
	var at chat.Time
	var w chat.Writer
	writers := map[chat.Writer]*chat.Writer{}
	into := []any{&session, (*int64)(&at), (*string)(&w.Sender), &w.Bridge, &w.Author, &w.Person}
	return t.each(into, func() error {
		for sessions[0].Number < session {
			sessions = sessions[1:]
		}
		by := writers[w]
		if by == nil {
			by = new(w)
			writers[w] = by
		}
		sessions[0].Messages = append(sessions[0].Messages, chat.MessageFact{At: at, By: by})
		return nil
	}, query, first, last)
}

// entryFacts adds the entries to their sessions; both are in the order of their numbers.
func (t *tx) entryFacts(sessions []chat.SessionFacts, query string, first, last int64) error {
	var session int64
	var at chat.Time
	var kind chat.EventType
	var data chat.Raw
	into := []any{&session, (*int64)(&at), (*string)(&kind), &data}
	return t.each(into, func() error {
		for sessions[0].Number < session {
			sessions = sessions[1:]
		}
		switch s := &sessions[0]; {
		case kind == chat.EventSessionClosed:
			s.Closings = append(s.Closings, at)
		case chat.GivesBack(data):
			s.HandBacks = append(s.HandBacks, at)
		}
		return nil
	}, query, first, last)
}
