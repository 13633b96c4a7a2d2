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
}

// Source is a page that an answer is based on, as people see it.
type Source struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Sources are the pages that an answer is based on, in the order of their numbers.
type Sources []Source

// Value stores sources as JSON text, none as none.
func (s Sources) Value() (driver.Value, error) {
	if len(s) == 0 {
		return "", nil
	}
	data, err := json.Marshal([]Source(s))
	return string(data), err
}

// Scan reads sources from the store.
func (s *Sources) Scan(src any) error {
	*s = nil
	var text Raw
	if err := text.Scan(src); err != nil || len(text) == 0 {
		return err
	}
	return json.Unmarshal(text, (*[]Source)(s))
}
