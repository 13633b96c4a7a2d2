package chat

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// MaxName is the longest name of a custom event or a pre-chat field.
const MaxName = 100

// The limits of a custom event's data: bytes of its JSON without spaces, and fields of the
// object. Operators' pages show each event, and a conversation may have hundreds.
const (
	MaxEventData   = 4 << 10
	maxEventFields = 50
)

// CustomEvent is an event whose meaning only the website and its backend
// know. Data is a JSON object or nil.
type CustomEvent struct {
	Name      string `json:"name"`
	Data      Raw    `json:"data,omitempty"`
	Timestamp Time   `json:"timestamp"`
}

// Check rejects an invalid event; parent is its path in the request body.
func (e *CustomEvent) Check(parent string) error {
	switch {
	case e.Name == "":
		return Errorf(Invalid, "%sname is required", parent)
	case utf8.RuneCountInString(e.Name) > MaxName:
		return Errorf(Invalid, "%sname must be at most %d characters", parent, MaxName)
	case len(e.Data) > 0 && e.Data[0] != '{':
		return Errorf(Invalid, "%sdata must be an object", parent)
	case len(e.Data) > 0:
		return e.checkData(parent)
	}
	return nil
}

// checkData takes the spaces out of the data and limits it.
func (e *CustomEvent) checkData(parent string) error {
	var small bytes.Buffer
	var fields map[string]json.RawMessage
	if err := json.Compact(&small, e.Data); err != nil || json.Unmarshal(small.Bytes(), &fields) != nil {
		return Errorf(Invalid, "%sdata must be an object", parent)
	}
	switch {
	case small.Len() > MaxEventData:
		return Errorf(Invalid, "%sdata must be at most %d bytes of JSON; it has %d", parent, MaxEventData, small.Len())
	case len(fields) > maxEventFields:
		return Errorf(Invalid, "%sdata must have at most %d fields; it has %d", parent, maxEventFields, len(fields))
	}
	e.Data = small.Bytes()
	return nil
}
