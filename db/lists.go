package db

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

// The list is read in parts, each along an index and no further than the page
// that is asked for, and merged: a page costs the same whatever the total is.
// A condition goes on until the page is full, through all sessions if need be.
const (
	selectSessions = `SELECT ` + sessionColumns
	selectKeys     = `SELECT listed_at AS listed, last_activity AS at, id FROM sessions
		WHERE status = ? AND listed_at <= ? AND (last_activity, id) < (?, ?)`
	ofStarted    = ` AND started_at > 0`
	ofEmpty      = ` AND started_at = 0 AND id <> ''`
	newestListed = ` ORDER BY listed_at DESC, id DESC LIMIT ?`
	listedNear   = ` AND (listed_at, id) < (?, ?) AND listed_at > ? ORDER BY last_activity DESC, id DESC LIMIT ?`

	// waiting are the sessions that wait, as the index of them has it; see [chat.Session.Waits].
	waiting = `waiting_since > 0 AND status = 'open' AND NOT blocked AND snoozed_until = 0`

	selectWaitingList = `SELECT ` + sessionColumns + ` FROM sessions
		WHERE ` + waiting + ` AND (waiting_since, id) > (?, ?)`
	longestOnes = ` ORDER BY waiting_since, id LIMIT ?`
)

// fewFound is how many sessions a search reads by their numbers, which the index of what
// is searched through has; sessions that many find are found along the list.
const fewFound = 1000

// selectFound has no order, so that it reads that index alone.
const selectFound = `SELECT number FROM sessions WHERE started_at > 0`

// found returns a condition for the started sessions that a search finds, if they are few;
// none when there is no such session.
func (t *tx) found(q *chat.SessionQuery) (text string, none bool, err error) {
	if q.Search == "" {
		return "", false, nil
	}
	has, args := t.searched(q)
	numbers, err := list[int64](t, selectFound+has+` LIMIT ?`, append(args, fewFound+1)...)
	if err != nil || len(numbers) == 0 || len(numbers) > fewFound {
		return "", err == nil && len(numbers) == 0, err
	}
	var b strings.Builder
	for i, n := range numbers {
		fmt.Fprintf(&b, "%s%d", map[bool]string{true: " AND number IN (", false: ","}[i == 0], n)
	}
	return b.String() + ")", false, nil
}

// searched is the condition of a search.
func (t *tx) searched(q *chat.SessionQuery) (text string, args []any) {
	plain, asked := words.Plain(q.Search), strings.ToLower(q.Search)
	if plain == asked {
		return ` AND ` + t.q.has("search"), []any{plain}
	}
	// Sessions that have not changed since an upgrade still have their accents.
	return ` AND (` + t.q.has("search") + ` OR ` + t.q.has("search") + `)`, []any{plain, asked}
}

// conditions are what a query asks for beside the status, as SQL and its variables.
func (t *tx) conditions(q *chat.SessionQuery) (text string, args []any) {
	if q.Search != "" {
		text, args = t.searched(q)
	}
	if q.Snoozed {
		text += ` AND snoozed_until > 0`
	}
	if q.Assignee != nil {
		text, args = text+` AND assignee = ?`, append(args, *q.Assignee)
	}
	of, sites := ofSites(q.Sites)
	text, args = text+of, append(args, sites...)
	if q.Tag != "" {
		text, args = text+` AND tags LIKE ? ESCAPE '\'`, append(args, containing(`"`+q.Tag+`"`))
	}
	return text, args
}

// ofSites is the condition for sessions of sites, with its variables.
func ofSites(sites chat.SiteSet) (text string, args []any) {
	if len(sites) == 1 {
		return ofSite(&sites[0])
	}
	text, args = inList("site", sites)
	if sites != nil && !sites.Has("") {
		text += ofOthers
	}
	return text, args
}

// inList is the condition that a column is one of the sites, "" for all. No site is called -.
func inList(column string, sites chat.SiteSet) (text string, args []any) {
	if sites == nil {
		return "", nil
	}
	for _, site := range sites {
		args = append(args, site)
	}
	return ` AND ` + column + ` IN (` + cmp.Or(marks(len(args)), `'-'`) + `)`, args
}

// The sessions of the first site have an index, and those of all others one; both databases
// choose them by these conditions.
const (
	ofFirst  = ` AND site = ''`
	ofOthers = ` AND site <> ''`
)

// ofSite is the condition for sessions of a site, with its variables, "" for those of all with
// nil.
func ofSite(site *string) (text string, args []any) {
	switch {
	case site == nil:
		return "", nil
	case *site == "":
		return ofFirst, nil
	}
	return ` AND site = ?` + ofOthers, []any{*site}
}

// halved are the queries with which one of the sessions of all sites reads both indexes.
func halved(query string) []string { return []string{query + ofFirst, query + ofOthers} }

// Sessions implements [chat.Reader].
func (t *tx) Sessions(q chat.SessionQuery) ([]chat.Session, error) {
	if len(q.Sites) > 1 {
		return t.sessionsOf(q)
	}
	text, args := t.conditions(&q)
	if q.Waiting {
		args = append(append([]any{int64(q.Before.At), q.Before.ID}, args...), limitOf(q.Limit))
		return list[chat.Session](t, selectWaitingList+text+longestOnes, args...)
	}
	among, none, err := t.found(&q)
	if err != nil {
		return nil, err
	}
	var parts []string
	switch {
	case none:
	case q.Sites == nil:
		parts = halved(ofStarted + among + text)
	default:
		parts = []string{ofStarted + among + text}
	}
	if q.Empty {
		parts = append(parts, ofEmpty+text)
	}
	statuses := []chat.Status{q.Status}
	if q.Status == "" {
		statuses = []chat.Status{chat.StatusOpen, chat.StatusClosed}
	}
	if q.Before == (chat.Cursor{}) {
		q.Before.At = math.MaxInt64
	}
	var keys []listed
	for _, part := range parts {
		for _, status := range statuses {
			at := int64(q.Before.At)
			some, err := t.newest(selectKeys+part, append([]any{string(status), at, at, q.Before.ID}, args...), limitOf(q.Limit))
			if err != nil {
				return nil, err
			}
			keys = append(keys, some...)
		}
	}
	return t.sessions(newestOf(keys, limitOf(q.Limit)))
}

// listed is the key of a session in a list, with the time by which the index has it.
type listed struct {
	Listed int64 `db:"listed"`
	At     int64 `db:"at"`
	ID     string
}

// newestOf sorts keys by activity and returns the first.
func newestOf(keys []listed, limit int) []listed {
	slices.SortFunc(keys, func(a, b listed) int { return cmp.Or(cmp.Compare(b.At, a.At), strings.Compare(b.ID, a.ID)) })
	return keys[:min(len(keys), limit)]
}

// newest returns the keys of the sessions that were active last. Along the index it reads
// a page, and then those that may be in front of its last one: they are listed less than
// listedWithin before that.
func (t *tx) newest(query string, args []any, limit int) ([]listed, error) {
	keys, err := list[listed](t, query+newestListed, append(args, limit)...)
	if err != nil || len(keys) < limit {
		return keys, err
	}
	last := keys[limit-1]
	oldest := newestOf(keys, limit)[limit-1].At
	near, err := list[listed](t, query+listedNear, append(args, last.Listed, last.ID, oldest-listedWithin, limit)...)
	return newestOf(append(keys, near...), limit), err
}

// sessions reads the sessions of a page, in its order.
func (t *tx) sessions(page []listed) ([]chat.Session, error) {
	if len(page) == 0 {
		return nil, nil
	}
	var ids []any
	for _, k := range page {
		ids = append(ids, k.ID)
	}
	all, err := list[chat.Session](t, selectSessions+` FROM sessions WHERE id IN (`+marks(len(ids))+`)`, ids...)
	sort.Slice(all, func(i, j int) bool { return newestFirst(&all[i], &all[j]) < 0 })
	return all, err
}

// marks are the places of n variables.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// sessionsOf lists the sessions of several sites, each along its own index.
func (t *tx) sessionsOf(q chat.SessionQuery) (all []chat.Session, err error) {
	for _, site := range q.Sites {
		of := q
		of.Sites = chat.SiteSet{site}
		some, err := t.Sessions(of)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	order := newestFirst
	if q.Waiting {
		order = longestFirst
	}
	sort.Slice(all, func(i, j int) bool { return order(&all[i], &all[j]) < 0 })
	return all[:min(len(all), limitOf(q.Limit))], nil
}

// longestFirst is the order of the waiting ones.
func longestFirst(a, b *chat.Session) int {
	return cmp.Or(cmp.Compare(a.WaitingSince, b.WaitingSince), strings.Compare(a.ID, b.ID))
}

func newestFirst(a, b *chat.Session) int {
	if a.LastActivity != b.LastActivity {
		return cmp.Compare(b.LastActivity, a.LastActivity)
	}
	return strings.Compare(b.ID, a.ID)
}

// containing is the LIKE pattern of texts with a part.
func containing(part string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.ToLower(part)) + "%"
}

const selectSnoozed = `SELECT ` + sessionColumns + ` FROM sessions WHERE snoozed_until > 0 ORDER BY snoozed_until LIMIT ?`

// Snoozed implements [chat.Reader].
func (t *tx) Snoozed(limit int) ([]chat.Session, error) {
	return list[chat.Session](t, selectSnoozed, limit)
}

// Each list is counted along its index, and no further than anybody needs to know.
const (
	countWaiting = `SELECT COUNT(*) FROM (SELECT 1 FROM sessions WHERE ` + waiting
	countOf      = `SELECT COUNT(*) FROM (SELECT 1 FROM sessions WHERE ` + waiting + ` AND assignee = ?`
	countStatus  = `SELECT COUNT(*) FROM (SELECT 1 FROM sessions WHERE status = ? AND started_at > 0`
	fewOnes      = ` LIMIT ?) AS few`
	countSnoozed = `SELECT COUNT(*) FROM (SELECT 1 FROM sessions WHERE snoozed_until > 0`
)

// Counts implements [chat.Reader].
func (t *tx) Counts(person string, sites chat.SiteSet) (counts chat.Counts, err error) {
	of, args := ofSites(sites)
	for _, c := range []struct {
		into  *int
		query string
		args  []any
	}{
		{&counts.Waiting, countWaiting, nil},
		{&counts.Open, countStatus, []any{string(chat.StatusOpen)}},
		{&counts.Closed, countStatus, []any{string(chat.StatusClosed)}},
		{&counts.Snoozed, countSnoozed, nil},
		{&counts.Unassigned, countOf, []any{""}},
		{&counts.Mine, countOf, []any{person}},
	} {
		if c.into == &counts.Mine && person == "" {
			continue
		}
		if *c.into, err = one[int](t, nil, c.query+of+fewOnes, append(append(c.args, args...), chat.MostCounted)...); err != nil {
			return counts, err
		}
	}
	return counts, nil
}

const countWaitingBySite = `SELECT site, COUNT(*) AS count FROM (SELECT site FROM sessions WHERE ` + waiting + ` LIMIT ?) AS few GROUP BY site`

// mostWaiting bounds how many of all sites' waiting sessions are counted.
const mostWaiting = 50 * chat.MostCounted

// WaitingBySite implements [chat.Reader].
func (t *tx) WaitingBySite() (map[string]int, error) {
	rows, err := list[struct {
		Site  string `db:"site"`
		Count int    `db:"count"`
	}](t, countWaitingBySite, mostWaiting)
	counts := map[string]int{}
	for _, r := range rows {
		counts[r.Site] = min(r.Count, chat.MostCounted)
	}
	return counts, err
}

const countTags = `SELECT tags, COUNT(*) AS count FROM sessions WHERE tags <> ''`

// TagsInUse implements [chat.Reader].
func (t *tx) TagsInUse(sites chat.SiteSet) ([]chat.Tag, error) {
	of, args := ofSites(sites)
	lists, err := list[struct {
		Tags  string `db:"tags"`
		Count int    `db:"count"`
	}](t, countTags+of+` GROUP BY tags`, args...)
	counts := map[string]int{}
	for _, l := range lists {
		var tags []string
		if err := json.Unmarshal([]byte(l.Tags), &tags); err != nil {
			return nil, err
		}
		for _, tag := range tags {
			counts[tag] += l.Count
		}
	}
	tags := make([]chat.Tag, 0, len(counts))
	for name, n := range counts {
		tags = append(tags, chat.Tag{Name: name, Count: n})
	}
	sort.Slice(tags, func(i, j int) bool { return tags[i].Name < tags[j].Name })
	return tags, err
}
