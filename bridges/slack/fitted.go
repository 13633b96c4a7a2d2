package slack

import (
	"encoding/json"
	"slices"

	"github.com/slack-go/slack"
)

// fitted removes from an answer what slack-go cannot read of its messages, files and
// users, which would cost the whole answer, and logs each field once.
func (c caller) fitted(answer []byte) []byte {
	var parts map[string]json.RawMessage
	if json.Unmarshal(answer, &parts) != nil {
		return answer
	}
	var odd []string
	for name, fit := range map[string]fitter{"messages": fitList[slack.Message], "message": fitOne[slack.Message], "file": fitOne[slack.File], "user": fitOne[slack.User]} {
		if part, removed := fit(parts[name]); len(removed) > 0 && part != nil {
			parts[name], odd = part, append(odd, removed...)
		}
	}
	slices.Sort(odd)
	for _, field := range odd {
		if _, told := c.told.Get(field); !told {
			c.told.Put(field, true)
			c.log.Warn("Slack sends something in a form that relay does not know; it is skipped", "field", field)
		}
	}
	if len(odd) == 0 {
		return answer
	}
	fitting, err := json.Marshal(parts)
	if err != nil {
		return answer
	}
	return fitting
}

// fitter returns a value without what cannot be read, and the names of that; nil when
// nothing is left.
type fitter func(raw json.RawMessage) (part json.RawMessage, odd []string)

// fitOne is the [fitter] of an object. Of a list in it, the elements that can be read stay.
func fitOne[T any](raw json.RawMessage) (part json.RawMessage, odd []string) {
	if len(raw) == 0 || json.Unmarshal(raw, new(T)) == nil {
		return raw, nil
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil, []string{"(whole)"}
	}
	for name, value := range fields {
		if reads[T](name, value) {
			continue
		}
		odd = append(odd, name)
		delete(fields, name)
		if list, _ := fitList[slack.File](value); name == "files" && reads[T](name, list) {
			fields[name] = list
		}
	}
	part, err := json.Marshal(fields)
	if err != nil || json.Unmarshal(part, new(T)) != nil {
		return nil, odd
	}
	return part, odd
}

// reads reports whether T takes a field with a value.
func reads[T any](name string, value json.RawMessage) bool {
	field, err := json.Marshal(map[string]json.RawMessage{name: value})
	return err == nil && json.Unmarshal(field, new(T)) == nil
}

// fitList is the [fitter] of a list of objects.
func fitList[T any](raw json.RawMessage) (part json.RawMessage, odd []string) {
	var list []json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &list) != nil {
		return nil, nil
	}
	left := []json.RawMessage{}
	for _, one := range list {
		one, removed := fitOne[T](one)
		if odd = append(odd, removed...); one != nil {
			left = append(left, one)
		}
	}
	part, err := json.Marshal(left)
	if err != nil {
		return nil, odd
	}
	return part, odd
}
