package chat

// Cursor is a place in a list: of sessions by their last activity, of
// deliveries by their creation.
type Cursor struct {
	At Time
	ID string
}
