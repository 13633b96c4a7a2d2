package engine

import (
	"github.com/relay-chat/relay/server/chat"
)

// The limits of the entries that come with a page of messages: their number, and the bytes
// of their data. The oldest are left out.
const (
	maxTimeline      = 500
	maxTimelineBytes = 256 << 10
)

// record keeps an event on the timeline. A backend keeps its own.
func (c *change) record(e *chat.Event) error {
	if c.backend || !e.For(chat.Timeline) {
		return nil
	}
	return c.PutEntry(&chat.TimelineEntry{SessionID: e.SessionID, Rev: e.Rev, Type: e.Type, At: e.At, Data: e.Payload})
}

// recordPage keeps a change of page on the timeline.
func recordPage(tx chat.ConversationTx, s *chat.Session, url string) error {
	if !s.Started() || url == "" || url == s.Metadata.V.URL {
		return nil
	}
	return tx.PutEntry(&chat.TimelineEntry{SessionID: s.ID, Rev: s.Rev, Type: chat.EntryPage, At: chat.Now(), Data: chat.MustJSON(map[string]string{"url": url})})
}

// addTimeline adds to a page of messages the entries between them. Entries
// before its first message belong to the page before, if there is one.
func (h *History) addTimeline(rd chat.ConversationReader, q HistoryQuery, mq chat.MessageQuery) error {
	from, to := mq.After, mq.Before
	if n := len(h.Messages); h.HasMore && n > 0 {
		if q.After == "" {
			from = h.Messages[0].Seq
		} else {
			to = h.Messages[n-1].Seq
		}
	}
	entries, err := rd.Timeline(mq.SessionID, from, to, maxTimeline)
	if err != nil {
		return err
	}
	entries = lastEntries(entries)
	h.Timeline = make([]chat.TimelineEntry, 0, len(entries))
	after, next := q.After, 0
	for _, e := range entries {
		if q.public && !(&chat.Event{Type: e.Type}).For(chat.TimelineVisitor) {
			continue
		}
		for ; next < len(h.Messages) && h.Messages[next].Seq <= e.Rev; next++ {
			after = h.Messages[next].ID
		}
		e.After = after
		h.Timeline = append(h.Timeline, e)
	}
	return nil
}

// lastEntries returns the newest entries whose data is within the limit.
func lastEntries(entries []chat.TimelineEntry) []chat.TimelineEntry {
	size := 0
	for i := len(entries) - 1; i >= 0; i-- {
		if size += len(entries[i].Data); size > maxTimelineBytes {
			return entries[i+1:]
		}
	}
	return entries
}
