package chat

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// Time is a moment in Unix milliseconds: an integer in the store, RFC 3339 UTC
// with milliseconds in JSON. The zero Time means "never".
type Time int64

// Now returns the present.
func Now() Time { return TimeOf(present()) }

// TimeOf returns t as a Time.
func TimeOf(t time.Time) Time { return Time(t.UnixMilli()) }

// Add returns t plus d.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Milliseconds()) }

// Sub returns the duration from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t-u) * time.Millisecond }

// Monotonic returns the time by the monotonic clock, so that setting the clock does not
// matter.
func (t Time) Monotonic() time.Time { return time.Now().Add(t.Sub(Now())) }

// Std returns t as a time.Time in UTC.
func (t Time) Std() time.Time { return time.UnixMilli(int64(t)).UTC() }

// String renders t as in JSON.
func (t Time) String() string { return t.Std().Format("2006-01-02T15:04:05.000Z") }

// MarshalJSON renders t as RFC 3339 UTC with milliseconds.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.appendJSON(make([]byte, 0, 26)), nil
}

// appendJSON is AppendFormat for one layout, at a third of its cost: every
// message has a time, and is rendered for its event and for its sender.
func (t Time) appendJSON(b []byte) []byte {
	std := t.Std()
	year, month, day := std.Date()
	if year < 0 || year > 9999 {
		return std.AppendFormat(b, `"2006-01-02T15:04:05.000Z"`)
	}
	hour, minute, second := std.Clock()
	b = appendDigits(append(b, '"'), year, 4)
	b = appendDigits(append(b, '-'), int(month), 2)
	b = appendDigits(append(b, '-'), day, 2)
	b = appendDigits(append(b, 'T'), hour, 2)
	b = appendDigits(append(b, ':'), minute, 2)
	b = appendDigits(append(b, ':'), second, 2)
	b = appendDigits(append(b, '.'), std.Nanosecond()/1e6, 3)
	return append(b, 'Z', '"')
}

// appendDigits appends the last digits of a number.
func appendDigits(b []byte, number, digits int) []byte {
	for range digits {
		b = append(b, '0')
	}
	for i := len(b) - 1; number > 0; i-- {
		b[i] += byte(number % 10)
		number /= 10
	}
	return b
}

// timeForms are the forms of ISO 8601 that people write; without a zone it is
// UTC.
var timeForms = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", time.DateOnly}

// UnmarshalJSON reads an ISO 8601 time of any zone and precision. null and the
// empty text are no time. Its error is one of encoding/json, which adds the path of the field.
func (t *Time) UnmarshalJSON(data []byte) error {
	if string(data) == "null" || string(data) == `""` {
		return nil
	}
	var text string
	if json.Unmarshal(data, &text) == nil {
		for _, form := range timeForms {
			if std, err := time.Parse(form, text); err == nil {
				*t = TimeOf(std)
				return nil
			}
		}
	}
	return &json.UnmarshalTypeError{Value: "text", Type: reflect.TypeFor[Time]()}
}

// JSON is a value that the store keeps as JSON text and that is JSON itself
// in every other place.
type JSON[T any] struct{ V T }

// Of wraps v.
func Of[T any](v T) JSON[T] { return JSON[T]{v} }

// MarshalJSON renders the wrapped value.
func (j JSON[T]) MarshalJSON() ([]byte, error) { return json.Marshal(j.V) }

// UnmarshalJSON reads the wrapped value.
func (j *JSON[T]) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &j.V) }

// Value stores the wrapped value as JSON text.
func (j JSON[T]) Value() (driver.Value, error) {
	data, err := json.Marshal(j.V)
	return string(data), err
}

// Scan reads JSON text from the store.
func (j *JSON[T]) Scan(src any) error {
	switch data := src.(type) {
	case string:
		return json.Unmarshal([]byte(data), &j.V)
	case []byte:
		return json.Unmarshal(data, &j.V)
	}
	return fmt.Errorf("cannot read JSON from %T", src)
}

// Raw is JSON text of any shape; nil means that there is none.
type Raw []byte

// MarshalJSON renders the text as it is, or null.
func (r Raw) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return r, nil
}

// UnmarshalJSON keeps a copy of the text.
func (r *Raw) UnmarshalJSON(data []byte) error {
	*r = append((*r)[:0], data...)
	return nil
}

// Value stores the text.
func (r Raw) Value() (driver.Value, error) { return string(r), nil }

// Scan reads text from the store.
func (r *Raw) Scan(src any) error {
	switch data := src.(type) {
	case string:
		*r = append((*r)[:0], data...)
	case []byte:
		*r = append((*r)[:0], data...)
	default:
		return fmt.Errorf("cannot read JSON text from %T", src)
	}
	return nil
}
