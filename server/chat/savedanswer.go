package chat

// SavedAnswer is a text that operators saved under a name: !name sends it.
type SavedAnswer struct {
	Name string `json:"name" db:"name"`
	// Owner is the person whose own answer it is, "" for one of the whole team.
	Owner     string `json:"-" db:"owner"`
	Own       bool   `json:"own,omitempty" db:"-"` // of the person who asks
	Content   string `json:"content" db:"content"`
	SavedBy   string `json:"savedBy,omitempty" db:"saved_by"`
	UpdatedAt Time   `json:"updatedAt" db:"updated_at"`
}

// ErrSavedAnswerNotFound means that no answer has this name.
var ErrSavedAnswerNotFound = &Error{Kind: NotFound, Text: "Saved answer not found"}
