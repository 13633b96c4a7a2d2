package chat

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what organises conversations.
const (
	maxTags = 20
	maxTag  = 40
	// MostCounted is as far as conversations are counted.
	MostCounted = 1000
)

// Tags are words that operators put on a session, in order.
type Tags []string

// Stored is how a session keeps its tags: a JSON list, "" for none.
func (t Tags) Stored() string {
	if len(t) == 0 {
		return ""
	}
	return string(MustJSON(t))
}

// Counts are how many conversations are in each list, at most MostCounted.
type Counts struct {
	Waiting    int `json:"waiting" db:"waiting"`
	Open       int `json:"open" db:"open"`
	Closed     int `json:"closed" db:"closed"`
	Snoozed    int `json:"snoozed" db:"snoozed"`
	Mine       int `json:"mine" db:"mine"`
	Unassigned int `json:"unassigned" db:"unassigned"`
}

// Tag is a tag that is in use, and how often.
type Tag struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// CleanTag puts a tag into the form that is stored: small letters on one line.
func CleanTag(tag string) (string, error) {
	tag = strings.ToLower(OneLine(strings.TrimPrefix(strings.TrimSpace(tag), "#")))
	if tag == "" || utf8.RuneCountInString(tag) > maxTag || strings.ContainsFunc(tag, oddInTag) {
		return "", Errorf(Invalid, "a tag must be 1 to %d letters, digits, spaces, - or _", maxTag)
	}
	return tag, nil
}

func oddInTag(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(" -_.:/&+", r)
}

// CleanTags puts tags into the form that is stored: in order, none twice.
func CleanTags(tags []string) (Tags, error) {
	clean := make(Tags, 0, len(tags))
	for _, tag := range tags {
		tag, err := CleanTag(tag)
		if err != nil {
			return nil, err
		}
		clean = append(clean, tag)
	}
	slices.Sort(clean)
	clean = slices.Compact(clean)
	if len(clean) > maxTags {
		return nil, Errorf(Invalid, "a conversation has at most %d tags", maxTags)
	}
	return clean, nil
}

// With returns the tags with others beside them, as far as a session has room for them.
func (t Tags) With(others Tags) Tags {
	all := slices.Clone(t)
	for _, tag := range others {
		if len(all) < maxTags && !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	slices.Sort(all)
	return all
}

// TagList returns the session's tags; it is never nil.
func (s *Session) TagList() Tags {
	tags := Tags{}
	if s.Tags != "" {
		_ = json.Unmarshal([]byte(s.Tags), &tags) // a list, as it was stored
	}
	return tags
}
