package db

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/relay-chat/relay/server/chat"
)

const selectThreads = `SELECT t.bridge, t.channel, t.ref, s.id AS session_id, t.state, t.created_at, t.anchor
	FROM threads t JOIN sessions s ON s.number = t.session`

const (
	selectThread    = selectThreads + ` WHERE t.bridge = ? AND t.channel = ? AND t.ref = ?`
	selectThreadsOf = selectThreads + ` WHERE t.session = ` + ofSession + ` AND t.bridge = ? AND t.channel = ? AND t.state < 2`
	countLost       = `SELECT COUNT(*) FROM threads t WHERE t.session = ` + ofSession + ` AND t.bridge = ? AND t.channel = ? AND t.state = 2`
)

// Thread implements [chat.Reader].
func (t *tx) Thread(bridge, channel, ref string) (chat.Thread, error) {
	return one[chat.Thread](t, chat.ErrThreadNotFound, selectThread, bridge, channel, ref)
}

// ThreadOf implements [chat.Reader]. A session has few threads: they are
// ordered here.
func (t *tx) ThreadOf(sessionID, bridge, channel string) (chat.Thread, error) {
	threads, err := list[chat.Thread](t, selectThreadsOf, sessionID, bridge, channel)
	if err != nil || len(threads) == 0 {
		return chat.Thread{}, cmp.Or(err, error(chat.ErrThreadNotFound))
	}
	return slices.MaxFunc(threads, func(a, b chat.Thread) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.Ref, b.Ref))
	}), nil
}

const (
	selectThreadsOfSession = selectThreads + ` WHERE t.session = ` + ofSession + ` AND t.state < 2 ORDER BY t.created_at, t.bridge, t.ref`
	selectLinksOfSession   = selectLinks + ` WHERE l.session = ` + ofSession + ` AND l.bridge = ? AND l.channel = ? ORDER BY l.created_at, l.remote`
)

// ThreadsOf implements [chat.Reader].
func (t *tx) ThreadsOf(sessionID string) ([]chat.Thread, error) {
	return list[chat.Thread](t, selectThreadsOfSession, sessionID)
}

// selectChannels steps from one channel to the next in the table's order: there are many
// threads and few channels.
const selectChannels = `WITH RECURSIVE steps (channel) AS (
		SELECT MIN(channel) FROM threads WHERE bridge = ?
		UNION ALL
		SELECT (SELECT MIN(t.channel) FROM threads t WHERE t.bridge = ? AND t.channel > steps.channel) FROM steps WHERE steps.channel IS NOT NULL
	)
	SELECT channel FROM steps WHERE channel IS NOT NULL AND EXISTS (
		SELECT 1 FROM threads t JOIN sessions s ON s.number = t.session
		WHERE t.bridge = ? AND t.channel = steps.channel AND t.state < 2 AND s.status = 'open')`

// ChannelsInUse implements [chat.Reader].
func (t *tx) ChannelsInUse(bridge string) ([]string, error) {
	return list[string](t, selectChannels, bridge, bridge, bridge)
}

// LinksOf implements [chat.Reader].
func (t *tx) LinksOf(sessionID, bridge, channel string) ([]chat.Link, error) {
	return list[chat.Link](t, selectLinksOfSession, sessionID, bridge, channel)
}

// LostThreads implements [chat.Reader].
func (t *tx) LostThreads(sessionID, bridge, channel string) (n int, err error) {
	err = t.q.get(&n, countLost, sessionID, bridge, channel)
	return n, err
}

const upsertThread = `INSERT INTO threads (bridge, channel, ref, session, state, created_at, anchor) VALUES (?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (bridge, channel, ref) DO UPDATE SET session = excluded.session, state = excluded.state, anchor = excluded.anchor`

// SaveThread implements [chat.Tx].
func (t *tx) SaveThread(th *chat.Thread) error {
	n, err := t.number(th.SessionID)
	if err == nil {
		_, err = t.q.exec(upsertThread, th.Bridge, th.Channel, th.Ref, n, int(th.State), int64(th.CreatedAt), th.Anchor)
	}
	return wrap(err, "save thread %s of %s", th.Ref, th.Bridge)
}

const selectLinks = `SELECT l.bridge, l.channel, l.remote, s.id AS session_id, l.message_id, l.part, l.origin, l.rev, l.state, l.created_at, l.said
	FROM links l JOIN sessions s ON s.number = l.session`

const (
	selectLinksOf = selectLinks + ` WHERE l.session = ` + ofSession + ` AND l.message_id = ? AND l.bridge = ? AND l.channel = ?`
	selectLinksAt = selectLinks + ` WHERE l.bridge = ? AND l.channel = ? AND l.remote = ?`
)

// Links implements [chat.Reader].
func (t *tx) Links(sessionID, messageID, bridge, channel string) ([]chat.Link, error) {
	links, err := list[chat.Link](t, selectLinksOf, sessionID, messageID, bridge, channel)
	sort.Slice(links, func(i, j int) bool {
		a, b := &links[i], &links[j]
		return cmp.Or(cmp.Compare(a.Part, b.Part), cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.Remote, b.Remote)) < 0
	})
	return links, err
}

// LinksAt implements [chat.Reader].
func (t *tx) LinksAt(bridge, channel, remote string) ([]chat.Link, error) {
	links, err := list[chat.Link](t, selectLinksAt, bridge, channel, remote)
	sort.Slice(links, func(i, j int) bool {
		a, b := &links[i], &links[j]
		return cmp.Or(cmp.Compare(a.SessionID, b.SessionID), cmp.Compare(a.MessageID, b.MessageID), cmp.Compare(a.Part, b.Part)) < 0
	})
	return links, err
}

const upsertLink = `INSERT INTO links (bridge, channel, remote, session, message_id, part, origin, rev, state, created_at, said)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (bridge, channel, remote, session, message_id, part) DO UPDATE SET rev = excluded.rev, state = excluded.state, said = excluded.said`

// SaveLink implements [chat.Tx].
func (t *tx) SaveLink(l *chat.Link) error {
	n, err := t.number(l.SessionID)
	if err == nil {
		_, err = t.q.exec(upsertLink, l.Bridge, l.Channel, l.Remote, n, l.MessageID, l.Part, bit(l.Origin), l.Rev, int(l.State),
			int64(l.CreatedAt), l.Said)
	}
	return wrap(err, "save link of %s to %s", l.MessageID, l.Bridge)
}

const dropLinks = `DELETE FROM links WHERE bridge = ? AND channel = ? AND remote = ?`

// DropLinks implements [chat.Tx].
func (t *tx) DropLinks(bridge, channel, remote string) error {
	_, err := t.q.exec(dropLinks, bridge, channel, remote)
	return wrap(err, "drop the links to %s at %s", remote, bridge)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A row that the new channel already has is newer: the old one goes.
const (
	dropMovedThreads = `DELETE FROM threads WHERE bridge = ? AND channel = ? AND EXISTS (SELECT 1 FROM threads n
		WHERE n.bridge = threads.bridge AND n.channel = ? AND n.ref = threads.ref)`
	moveThreads    = `UPDATE threads SET channel = ? WHERE bridge = ? AND channel = ?`
	dropMovedLinks = `DELETE FROM links WHERE bridge = ? AND channel = ? AND EXISTS (SELECT 1 FROM links n
		WHERE n.bridge = links.bridge AND n.channel = ? AND n.remote = links.remote)`
	moveLinks = `UPDATE links SET channel = ? WHERE bridge = ? AND channel = ?`
)

// MoveChannel implements [chat.Tx].
func (t *tx) MoveChannel(bridge, from, to string) error {
	for _, step := range []struct {
		query string
		args  []any
	}{
		{dropMovedThreads, []any{bridge, from, to}},
		{moveThreads, []any{to, bridge, from}},
		{dropMovedLinks, []any{bridge, from, to}},
		{moveLinks, []any{to, bridge, from}},
	} {
		if _, err := t.q.exec(step.query, step.args...); err != nil {
			return fmt.Errorf("move %s from channel %s: %w", bridge, from, err)
		}
	}
	return nil
}

const selectWaiting = `SELECT COUNT(*) FROM deliveries WHERE dest = ? AND state < 2`

// Waiting implements [chat.Reader].
func (t *tx) Waiting(dest string) (int, error) {
	return one[int](t, nil, selectWaiting, dest)
}
