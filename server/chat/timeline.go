package chat

// The limits of the entries that come with a page of messages: their number, and the bytes
// of their data. The oldest are left out.
const (
	maxTimeline      = 500
	maxTimelineBytes = 256 << 10
)

// TimelineEntry is something other than a message that happened in a session.
type TimelineEntry struct {
	SessionID string    `json:"-" db:"-"`
	Rev       int64     `json:"-" db:"rev"` // the session's revision, which a page shares with the event before
	Type      EventType `json:"type" db:"type"`
	At        Time      `json:"at" db:"at"`
	// After is the message behind which it stands; empty at the beginning.
	After string `json:"after" db:"-"`
	// Data has the fields of the event.
	Data Raw `json:"data" db:"data"`
}

// record keeps an event on the timeline. A backend keeps its own.
func (c *change) record(e *Event) error {
	if c.backend || !e.For(Timeline) {
		return nil
	}
	return c.PutEntry(&TimelineEntry{SessionID: e.SessionID, Rev: e.Rev, Type: e.Type, At: e.At, Data: e.Payload})
}

// recordPage keeps a change of page on the timeline.
func recordPage(tx Tx, s *Session, url string) error {
	if !s.Started() || url == "" || url == s.Metadata.V.URL {
		return nil
	}
	return tx.PutEntry(&TimelineEntry{SessionID: s.ID, Rev: s.Rev, Type: EntryPage, At: Now(), Data: mustJSON(map[string]string{"url": url})})
}

// addTimeline adds to a page of messages the entries between them. Entries
// before its first message belong to the page before, if there is one.
func (h *History) addTimeline(rd Reader, q HistoryQuery, mq MessageQuery) error {
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
	h.Timeline = make([]TimelineEntry, 0, len(entries))
	after, next := q.After, 0
	for _, e := range entries {
		if q.public && !(&Event{Type: e.Type}).For(TimelineVisitor) {
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
func lastEntries(entries []TimelineEntry) []TimelineEntry {
	size := 0
	for i := len(entries) - 1; i >= 0; i-- {
		if size += len(entries[i].Data); size > maxTimelineBytes {
			return entries[i+1:]
		}
	}
	return entries
}
