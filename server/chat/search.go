package chat

// FoundMessage is a message that a search found, and its place in the order of all
// messages, the newest of which is the highest.
type FoundMessage struct {
	Message
	Place int64
}

// SearchProgress says how many of the conversations that an upgrade found can be
// searched.
type SearchProgress struct {
	Done  int64 `json:"done"`
	Total int64 `json:"total"`
}

// Complete reports whether all conversations can be searched.
func (p SearchProgress) Complete() bool { return p.Done >= p.Total }
