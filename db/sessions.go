package db

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

const sessionColumns = `id, visitor_id, token_hash, resumable, status, blocked, rev, init_rev, leaving_rev, started_at, answered_at,
	unread, ai_active, ai_ended, ai_answers, metadata, identity, verified, prechat, csat_asked_at, csat_score, csat_comment, csat_responded_at,
	created_at, last_activity, assignee, tags, snoozed_until, waiting_since, browser, site, devices, link_until, person, unanswered_rev, mailed_seq, mailing, member_mail_rev, continued_in, merged, moved_on`

const selectSession = `SELECT ` + sessionColumns + ` FROM sessions WHERE id = ?`

// Session implements [chat.Reader].
func (t *tx) Session(id string) (s chat.Session, err error) {
	err = t.row(chat.ErrSessionNotFound, variables(&s), selectSession, id)
	return s, err
}

// variables are what sessionColumns are read into, in their order.
func variables(s *chat.Session) []any {
	return []any{&s.ID, &s.VisitorID, &s.TokenHash, &s.Resumable, (*string)(&s.Status), &s.Blocked, &s.Rev, &s.InitRev,
		&s.LeavingRev, (*int64)(&s.StartedAt), (*int64)(&s.AnsweredAt), &s.Unread, &s.AIActive, &s.AIEnded, &s.AIAnswers, &s.Metadata, &s.Identity,
		&s.Verified, &s.PreChat, (*int64)(&s.AskedAt), &s.Score, &s.Comment, (*int64)(&s.RespondedAt),
		(*int64)(&s.CreatedAt), (*int64)(&s.LastActivity), &s.Assignee, &s.Tags, (*int64)(&s.SnoozedUntil), (*int64)(&s.WaitingSince), &s.Browser, &s.Site,
		&s.Devices, (*int64)(&s.LinkUntil), &s.Person, &s.UnansweredRev, &s.MailedSeq, &s.Mailing, &s.MemberMailRev, &s.ContinuedIn, &s.Merged, (*int64)(&s.MovedOn)}
}

const selectHeader = `SELECT site, token_hash, devices, status, blocked, rev, init_rev, leaving_rev, continued_in, merged, moved_on FROM sessions WHERE id = ?`

// SessionHeader implements [chat.Reader].
func (t *tx) SessionHeader(id string) (chat.Session, error) {
	if s, ok := t.committedCache.header(id); ok {
		return s, nil
	}
	s := chat.Session{ID: id}
	err := t.row(chat.ErrSessionNotFound, []any{&s.Site, &s.TokenHash, &s.Devices, (*string)(&s.Status), &s.Blocked, &s.Rev, &s.InitRev, &s.LeavingRev, &s.ContinuedIn,
		&s.Merged, (*int64)(&s.MovedOn)},
		selectHeader, id)
	return s, err
}

const selectStored = `SELECT ` + sessionColumns + `, number, listed_at FROM sessions WHERE id = ?`

// Lock implements [chat.Tx].
func (t *tx) Lock(id string) (chat.Session, error) {
	s, ok := t.cache.get(id)
	if !ok {
		into := append(variables(&s.Session), &s.Number, &s.ListedAt)
		if err := t.row(chat.ErrSessionNotFound, into, t.q.lock(selectStored), id); err != nil {
			return chat.Session{}, err
		}
		t.cache.put(&s)
	}
	t.locked = s
	return s.own().Session, nil
}

const selectNumber = `SELECT number FROM sessions WHERE id = ?`

// number returns the number of a session: of the locked one, as a rule.
func (t *tx) number(sessionID string) (int64, error) {
	if t.locked.ID == sessionID && sessionID != "" {
		return t.locked.Number, nil
	}
	return one[int64](t, chat.ErrSessionNotFound, selectNumber, sessionID)
}

// ofSession is the number of a session in the conditions of queries.
const ofSession = `(SELECT number FROM sessions WHERE id = ?)`

const selectSessionByToken = `SELECT ` + sessionColumns + ` FROM sessions WHERE token_hash = ? AND token_hash <> ''`

// SessionByToken implements [chat.Reader].
func (t *tx) SessionByToken(hash string) (chat.Session, error) {
	return one[chat.Session](t, chat.ErrSessionNotFound, selectSessionByToken, hash)
}

const selectSessionByVisitor = `SELECT ` + sessionColumns + ` FROM sessions WHERE visitor_id = ? AND site = ? AND resumable`

// SessionByVisitor implements [chat.Reader].
func (t *tx) SessionByVisitor(site, visitorID string) (chat.Session, error) {
	return one[chat.Session](t, chat.ErrSessionNotFound, selectSessionByVisitor, visitorID, site)
}

const selectOfPerson = `SELECT ` + sessionColumns + ` FROM sessions WHERE person = ? AND person <> '' AND site = ? AND started_at > 0 AND blocked = FALSE
	ORDER BY number DESC LIMIT ?`

// SessionsOfPerson implements [chat.Reader].
func (t *tx) SessionsOfPerson(site, person string, limit int) ([]chat.Session, error) {
	return list[chat.Session](t, selectOfPerson, person, site, limit)
}

const selectMerged = `SELECT ` + sessionColumns + ` FROM sessions WHERE merged = ? AND merged <> '' AND site = ? ORDER BY number LIMIT ?`

// MergedSessions implements [chat.Reader].
func (t *tx) MergedSessions(site, merged string) ([]chat.Session, error) {
	all, err := list[chat.Session](t, selectMerged, merged, site, chat.MaxMerged)
	slices.SortFunc(all, func(a, b chat.Session) int { return strings.Compare(a.ID, b.ID) })
	return all, err
}

// selectBrokenMerges reads all that are merged, for the clean-up.
const selectBrokenMerges = `SELECT MIN(id) FROM sessions WHERE merged <> '' GROUP BY merged
	HAVING COUNT(*) = 1 OR SUM(CASE WHEN moved_on = 0 THEN 1 ELSE 0 END) <> 1 OR MIN(NULLIF(person, '')) <> MAX(person) LIMIT ?`

// BrokenMerges implements [chat.Reader].
func (t *tx) BrokenMerges(limit int) ([]string, error) {
	return list[string](t, selectBrokenMerges, limit)
}

const (
	selectIdleOpen = `SELECT id FROM sessions WHERE status = 'open' AND started_at > 0 AND listed_at < ? AND last_activity < ?
		AND waiting_since = 0 AND snoozed_until = 0`
	oldestActivity = ` ORDER BY listed_at LIMIT ?`
)

// IdleSessions implements [chat.Reader].
func (t *tx) IdleSessions(site string, since chat.Time, limit int) ([]string, error) {
	of, args := ofSite(&site)
	return list[string](t, selectIdleOpen+of+oldestActivity, append(append([]any{int64(since), int64(since)}, args...), limit)...)
}

const selectBlocked = `SELECT EXISTS (SELECT 1 FROM sessions WHERE visitor_id = ? AND site = ? AND token_hash = '' AND blocked = TRUE)`

// VisitorBlocked implements [chat.Reader].
func (t *tx) VisitorBlocked(site, visitorID string) (bool, error) {
	return one[bool](t, nil, selectBlocked, visitorID, site)
}

const selectOfVisitor = `SELECT id FROM sessions WHERE visitor_id = ? AND site = ? AND token_hash = '' AND blocked = ? LIMIT ?`

// SessionsOfVisitor implements [chat.Reader].
func (t *tx) SessionsOfVisitor(site, visitorID string, blocked bool, limit int) ([]string, error) {
	ids, err := list[string](t, selectOfVisitor, visitorID, site, blocked, limit)
	slices.Sort(ids)
	return ids, err
}

const selectOfBrowser = `SELECT id FROM sessions WHERE browser = ? AND browser <> '' AND blocked = ?
	UNION ALL SELECT id FROM sessions WHERE id = ? AND blocked = ? LIMIT ?`

// SessionsOfBrowser implements [chat.Reader].
func (t *tx) SessionsOfBrowser(browser string, blocked bool, limit int) ([]string, error) {
	ids, err := list[string](t, selectOfBrowser, browser, blocked, browser, blocked, limit)
	slices.Sort(ids)
	return ids, err
}

const selectExport = `SELECT number, ` + sessionColumns + ` FROM sessions WHERE number > ? AND started_at > 0`

// Export implements [chat.Reader].
func (t *tx) Export(site *string, after int64, limit int) ([]chat.Session, int64, error) {
	query, args := selectExport, []any{after}
	if site != nil {
		query, args = query+` AND site = ?`, append(args, *site)
	}
	rows, err := list[stored](t, limited(query+` ORDER BY number LIMIT ?`, limit), args...)
	sessions := make([]chat.Session, len(rows))
	for i := range rows {
		sessions[i], after = rows[i].Session, rows[i].Number
	}
	return sessions, after, err
}

// searchText is what a search for a session looks through: who its visitor is
// and where, and its tags. Before it was without accents, it only was in small letters.
func searchText(s *chat.Session) string {
	parts := append([]string{s.VisitorID, s.Metadata.V.URL, chat.Nickname(s.VisitorID)}, s.TagList()...)
	fixed := len(parts)
	for _, data := range []chat.Raw{s.Identity, s.PreChat} {
		var fields map[string]any
		if json.Unmarshal(data, &fields) != nil {
			continue // it is no object: nothing to look through
		}
		for _, v := range fields {
			if text, ok := v.(string); ok {
				parts = append(parts, text)
			}
		}
	}
	slices.Sort(parts[fixed:])
	return words.Plain(strings.Join(parts, "\n"))
}

const insertSession = `INSERT INTO sessions (` + sessionColumns + `, search, listed_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// CreateSession implements [chat.Tx].
func (t *tx) CreateSession(s *chat.Session) error {
	_, err := t.q.exec(insertSession, s.ID, s.VisitorID, s.TokenHash, s.Resumable, string(s.Status), s.Blocked, s.Rev,
		s.InitRev, s.LeavingRev, int64(s.StartedAt), int64(s.AnsweredAt), s.Unread, s.AIActive, s.AIEnded, s.AIAnswers, s.Metadata, s.Identity,
		s.Verified, s.PreChat, int64(s.AskedAt), s.Score, s.Comment, int64(s.RespondedAt), int64(s.CreatedAt),
		int64(s.LastActivity), s.Assignee, s.Tags, int64(s.SnoozedUntil), int64(s.WaitingSince), s.Browser, s.Site,
		s.Devices, int64(s.LinkUntil), s.Person, s.UnansweredRev, s.MailedSeq, s.Mailing, s.MemberMailRev, s.ContinuedIn, s.Merged, int64(s.MovedOn), searchText(s), int64(s.LastActivity))
	return wrap(err, "create session %s", s.ID)
}

// Most changes of a session are messages, which move a few numbers; the rest
// is written only if it differs from what was locked. Naming a column, even
// with the value it has, makes SQLite write every index with that column.
const (
	updateActivity = `UPDATE sessions SET rev = ?, unread = ?, last_activity = ? WHERE number = ?`

	updateSession = `UPDATE sessions SET rev = ?, init_rev = ?, leaving_rev = ?, status = ?, ai_active = ?, ai_ended = ?, ai_answers = ?,
		unread = ?, started_at = ?, answered_at = ?, last_activity = ?, waiting_since = ?, unanswered_rev = ?, mailed_seq = ?, mailing = ?, member_mail_rev = ?, listed_at = ? WHERE number = ?`
	updateProfile = `UPDATE sessions SET visitor_id = ?, blocked = ?, token_hash = ?, resumable = ?, verified = ?, metadata = ?,
		identity = ?, prechat = ?, csat_asked_at = ?, csat_score = ?, csat_comment = ?, csat_responded_at = ?,
		created_at = ?, assignee = ?, tags = ?, snoozed_until = ?, devices = ?, link_until = ?, person = ?, continued_in = ?, merged = ?, moved_on = ?, search = ? WHERE number = ?`
)

// SaveSession implements [chat.Tx].
func (t *tx) SaveSession(s *chat.Session) error {
	return wrap(t.saveSession(s), "save session %s", s.ID)
}

func (t *tx) saveSession(s *chat.Session) error {
	n, err := t.number(s.ID)
	if err != nil {
		return err
	}
	listed := listedAt(&t.locked, s)
	if sameState(&t.locked.Session, s) && listed == t.locked.ListedAt {
		err = t.touch(chat.ErrSessionNotFound, updateActivity, s.Rev, s.Unread, int64(s.LastActivity), n)
	} else {
		err = t.touch(chat.ErrSessionNotFound, updateSession, s.Rev, s.InitRev, s.LeavingRev, string(s.Status), s.AIActive, s.AIEnded, s.AIAnswers,
			s.Unread, int64(s.StartedAt), int64(s.AnsweredAt), int64(s.LastActivity), int64(s.WaitingSince), s.UnansweredRev, s.MailedSeq, s.Mailing, s.MemberMailRev, listed, n)
	}
	if err != nil {
		return err
	}
	now := stored{Session: *s, Number: n, ListedAt: listed}
	if sameProfile(&t.locked.Session, s) {
		now.Identity, now.PreChat = t.locked.Identity, t.locked.PreChat
	} else {
		now = now.own()
		_, err = t.q.exec(updateProfile, s.VisitorID, s.Blocked, s.TokenHash, s.Resumable, s.Verified, s.Metadata, s.Identity,
			s.PreChat, int64(s.AskedAt), s.Score, s.Comment, int64(s.RespondedAt), int64(s.CreatedAt), s.Assignee, s.Tags,
			int64(s.SnoozedUntil), s.Devices, int64(s.LinkUntil), s.Person, s.ContinuedIn, s.Merged, int64(s.MovedOn), searchText(s), n)
	}
	if err != nil {
		return err
	}
	t.locked = now
	t.cache.put(&now)
	return nil
}

// listedWithin is how long activity may go on before lists find a session by a later time.
const listedWithin = int64(time.Minute / time.Millisecond)

// listedAt is the time by which lists find a session that changes: that of its last activity,
// or one at most listedWithin before it. Only it is in indexes: most messages write none, and
// PostgreSQL keeps their updates of a session in its page. Lists look
// through what is that near (see newest).
func listedAt(before *stored, s *chat.Session) int64 {
	since := int64(s.LastActivity) - before.ListedAt
	if sameState(&before.Session, s) && 0 <= since && since < listedWithin {
		return before.ListedAt
	}
	return int64(s.LastActivity)
}

// sameState reports whether updateActivity says all that updateSession would.
func sameState(a, b *chat.Session) bool {
	return a.ID == b.ID && a.InitRev == b.InitRev && a.LeavingRev == b.LeavingRev && a.Status == b.Status &&
		a.AIActive == b.AIActive && a.AIEnded == b.AIEnded && a.AIAnswers == b.AIAnswers && a.StartedAt == b.StartedAt && a.AnsweredAt == b.AnsweredAt &&
		a.WaitingSince == b.WaitingSince && a.UnansweredRev == b.UnansweredRev && a.MailedSeq == b.MailedSeq && a.Mailing == b.Mailing && a.MemberMailRev == b.MemberMailRev
}

// sameProfile reports whether updateProfile would change nothing.
func sameProfile(a, b *chat.Session) bool {
	return a.ID == b.ID && a.VisitorID == b.VisitorID && a.Blocked == b.Blocked && a.TokenHash == b.TokenHash && a.Resumable == b.Resumable &&
		a.Verified == b.Verified && a.Metadata == b.Metadata && bytes.Equal(a.Identity, b.Identity) &&
		bytes.Equal(a.PreChat, b.PreChat) && a.CSAT == b.CSAT && a.CreatedAt == b.CreatedAt &&
		a.Assignee == b.Assignee && a.Tags == b.Tags && a.SnoozedUntil == b.SnoozedUntil &&
		a.Devices == b.Devices && a.LinkUntil == b.LinkUntil && a.Person == b.Person && a.ContinuedIn == b.ContinuedIn && a.Merged == b.Merged && a.MovedOn == b.MovedOn
}

const deleteSession = `DELETE FROM sessions WHERE id = ?`

// EraseSession implements [chat.Tx]. Foreign keys delete everything else of the
// session, except for its updates in the inbox.
func (t *tx) EraseSession(id string) error {
	return t.erase(deleteSession, id)
}

// forgetWords empties what the audit list keeps of a session's words.
const forgetWords = `UPDATE audit SET detail = '' WHERE target = ? AND action IN ('message_edited', 'message_deleted', 'contact_changed')`

// erase removes a session by one of the queries for it, which may set conditions. What
// the audit list and the knowledge keep of its words goes with it.
func (t *tx) erase(query, id string, args ...any) error {
	places, err := list[threadName](t, selectPlaces, id)
	number, n := int64(0), int64(0)
	var gone chat.Session
	if err == nil {
		if number, err = t.number(id); errors.Is(err, chat.ErrSessionNotFound) {
			return nil
		}
	}
	var topics []string
	if err == nil {
		gone, err = t.whose(id)
	}
	if err == nil {
		topics, err = list[string](t, selectTopicsOf, number)
	}
	if err == nil {
		n, err = t.q.exec(query, append([]any{id}, args...)...)
	}
	if err == nil && n > 0 {
		_, err = t.q.exec(forgetWords, id)
	}
	if err == nil && n > 0 {
		err = t.forgetAsked(number)
	}
	if err == nil && n > 0 {
		err = errors.Join(t.forgetContacts(&gone), t.forgetTopics(id, topics))
	}
	if err == nil && n > 0 {
		err = t.emptyInbox(places)
	}
	if err != nil {
		return fmt.Errorf("erase session %s: %w", id, err)
	}
	t.locked = stored{}
	t.cache.drop(id)
	return nil
}
