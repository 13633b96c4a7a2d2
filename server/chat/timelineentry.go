package chat

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
