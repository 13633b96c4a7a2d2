package chat

import (
	"database/sql/driver"
	"encoding/json"
)

// Passage is a part of a page or a text that the AI may answer from.
type Passage struct {
	Source string // the id of the source that it is from
	Title  string // of the page, and of the headings that it stands below
	URL    string // "" for a text that is on no page
	Text   string
	// Dated is when its page was changed last, as far as that says; 0 if unknown.
	Dated Time
	// Weak: it has little of what was asked.
	Weak bool `db:"-"`
}

// Source is a page that an answer is based on, as people see it.
type Source struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Sources are the pages that an answer is based on, in the order of their numbers.
type Sources []Source

// Value stores sources as JSON text, none as none.
func (s Sources) Value() (driver.Value, error) { return listValue(s) }

// Scan reads sources from the store.
func (s *Sources) Scan(src any) error { return scanList(src, (*[]Source)(s)) }

// listValue is a list as JSON text; most messages have none, which costs nothing.
func listValue[T any](list []T) (driver.Value, error) {
	if len(list) == 0 {
		return "", nil
	}
	data, err := json.Marshal(list)
	return string(data), err
}

func scanList[T any](src any, list *[]T) error {
	*list = nil
	var text Raw
	if err := text.Scan(src); err != nil || len(text) == 0 {
		return err
	}
	return json.Unmarshal(text, list)
}
