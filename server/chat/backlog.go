package chat

// BacklogEvent is an operator's event with its number in the backlog, the stream of
// bridge mode.
type BacklogEvent struct {
	Number int64 `db:"number"`
	Event
}
