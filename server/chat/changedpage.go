package chat

import "slices"

// PageChange is what the change of a page did to the AI's answers that rested on it.
type PageChange struct {
	Page  string `json:"page"`
	Asked int    `json:"asked"` // again
	Worse int    `json:"worse"`
}

// PageChanges are the changed pages of rehearsed questions, in the order of their newest question.
func PageChanges(list []Rehearsal) []PageChange {
	changes := []PageChange{}
	for i := range list {
		r := &list[i]
		if r.Cause == "" {
			continue
		}
		at := slices.IndexFunc(changes, func(c PageChange) bool { return c.Page == r.Cause })
		if at < 0 {
			at = len(changes)
			changes = append(changes, PageChange{Page: r.Cause})
		}
		changes[at].Asked++
		if r.Worse() {
			changes[at].Worse++
		}
	}
	return changes
}
