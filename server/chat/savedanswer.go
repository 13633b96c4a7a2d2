package chat

// SavedAnswer is a text that operators saved under a name: !name sends it.
type SavedAnswer struct {
	Name string `json:"name" db:"name"`
	// Owner is the person whose own answer it is, "" for one of the whole team.
	Owner string `json:"-" db:"owner"`
	// Site is the id of the site for whose visitors it is, or AllSites.
	Site      string `json:"-" db:"site"`
	Own       bool   `json:"own,omitempty" db:"-"` // of the person who asks
	Content   string `json:"content" db:"content"`
	SavedBy   string `json:"savedBy,omitempty" db:"saved_by"`
	UpdatedAt Time   `json:"updatedAt" db:"updated_at"`
}

// ErrSavedAnswerNotFound means that no answer has this name.
var ErrSavedAnswerNotFound = &Error{Kind: NotFound, Text: "Saved answer not found"}

// Before reports whether an answer comes before another of its name: one's own before a
// shared one, and a site's before that of all.
func (a *SavedAnswer) Before(b *SavedAnswer) bool {
	if (a.Owner != "") != (b.Owner != "") {
		return a.Owner != ""
	}
	return a.Site != AllSites && b.Site == AllSites
}

// Replaces reports whether an answer takes the place of a stored one.
func (a *SavedAnswer) Replaces(b SavedAnswer) bool {
	return a.Owner == b.Owner && a.Site == b.Site && a.Name == b.Name
}
