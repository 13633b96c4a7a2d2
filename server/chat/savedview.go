package chat

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of saved views: how many a person has, and the longest name and site, in characters.
const (
	maxViews    = 20
	maxViewName = 40
	maxViewSite = 100
)

// SavedView is a list of conversations that a person has named.
type SavedView struct {
	Name string `json:"name"`
	// Status is waiting, open, closed, snoozed or all.
	Status string `json:"status"`
	// Assignee is me, none or "": of anybody.
	Assignee string `json:"assignee,omitempty"`
	Tag      string `json:"tag,omitempty"`
	Site     string `json:"site,omitempty"` // a public id, "" for all
}

// clean puts a view into the form that is stored.
func (v *SavedView) clean() error {
	v.Name = OneLine(strings.TrimSpace(v.Name))
	switch n := utf8.RuneCountInString(v.Name); {
	case n == 0 || n > maxViewName:
		return Errorf(Invalid, "name must be 1 to %d characters", maxViewName)
	case !slices.Contains([]string{"waiting", "open", "closed", "snoozed", "all"}, v.Status):
		return Errorf(Invalid, "status must be waiting, open, closed, snoozed or all")
	case !slices.Contains([]string{"", "me", "none"}, v.Assignee):
		return Errorf(Invalid, "assignee must be me, none or left out")
	case utf8.RuneCountInString(v.Site) > maxViewSite:
		return Errorf(Invalid, "site must be the id of a site")
	case v.Tag == "":
		return nil
	}
	tag, err := CleanTag(v.Tag)
	if err != nil {
		return Errorf(Invalid, "tag: %s", err.Error())
	}
	v.Tag = tag
	return nil
}

// CleanViews puts a person's views into the form that is stored, in their order.
func CleanViews(views []SavedView) error {
	const field = "preferences.views"
	if len(views) > maxViews {
		return ErrorAt(Invalid, field, fmt.Sprintf("%s must be at most %d", field, maxViews))
	}
	names := map[string]bool{}
	for i := range views {
		if err := views[i].clean(); err != nil {
			return ErrorAt(Invalid, field, fmt.Sprintf("%s.%d.%s", field, i, err.Error()))
		}
		key := strings.ToLower(views[i].Name)
		if names[key] {
			return ErrorAt(Invalid, field, fmt.Sprintf("%s.%d.name is that of another view", field, i))
		}
		names[key] = true
	}
	return nil
}
