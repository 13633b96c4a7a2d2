package act

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Bounds of what is read of an answer.
const (
	maxLines = 200
	maxDepth = 8
	maxText  = 6000 // characters
	maxValue = 500
)

// errForeign keeps the data of one visitor from another one.
var errForeign = &Failure{Problem: "the answer is about somebody else: its owner is not this visitor", Known: true, Refused: true}

// owned reports an error if an answer does not say that it is the visitor's.
func (t *Tool) owned(body []byte, person string) error {
	if t.Owner == "" {
		return nil
	}
	value, err := parse(body)
	if err != nil || person == "" || !owns(value, strings.Split(t.Owner, "."), person) {
		return errForeign
	}
	return nil
}

// owns reports whether a field is there and is a person's id, in each element of a list.
func owns(value any, path []string, person string) bool {
	switch v := value.(type) {
	case []any:
		return len(v) > 0 && !slices.ContainsFunc(v, func(one any) bool { return !owns(one, path, person) })
	case map[string]any:
		if len(path) == 0 {
			return false
		}
		next, has := v[path[0]]
		return has && owns(next, path[1:], person)
	}
	text, err := plain(value)
	return err == nil && len(path) == 0 && text == person
}

func parse(body []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err = decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err = decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return value, nil
}

// addressLike matches addresses and e-mail addresses in an answer: what a foreign server says leads
// nobody anywhere.
var addressLike = regexp.MustCompile(`(?i)\b(?:[a-z][a-z0-9+.-]{1,20}:/{1,2}|mailto:|javascript:|data:|www\.)\S+|\S+@\S+\.\S+`)

// lines are what an answer says, one fact in a line: "status: shipped." What is no JSON is one text.
func (t *Tool) lines(body []byte) string {
	l := listing{hide: t.hide}
	if value, err := parse(body); err == nil {
		l.add("", value, 0)
	} else {
		l.list = append(l.list, l.tidy(string(body)))
	}
	return chat.Clip(strings.TrimSpace(strings.Join(l.list, "\n")), maxText)
}

// hide takes the action's secret out of a text.
func (t *Tool) hide(text string) string {
	const shortest = 4 // a secret that is shorter would be found in any text
	_, bare, _ := strings.Cut(t.Secret, " ")
	for _, secret := range []string{t.Secret, bare} {
		if len(secret) >= shortest {
			text = strings.ReplaceAll(text, secret, "[secret]")
		}
	}
	return text
}

// listing collects what an answer says.
type listing struct {
	list []string
	hide func(string) string
}

func (l *listing) add(name string, value any, depth int) {
	if len(l.list) >= maxLines || depth > maxDepth {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			l.add(strings.TrimSpace(name+" "+l.tidy(key)), v[key], depth+1)
		}
	case []any:
		for i, one := range v {
			l.add(strings.TrimSpace(fmt.Sprintf("%s %d", name, i+1)), one, depth+1)
		}
	case nil:
	default:
		text, _ := plain(v)
		if text = l.tidy(text); text != "" {
			l.list = append(l.list, strings.TrimPrefix(name+": ", ": ")+text)
		}
	}
}

// tidy is a text in one line, without addresses.
func (l *listing) tidy(text string) string {
	text = chat.Clip(chat.OneLine(l.hide(strings.ToValidUTF8(text, ""))), maxValue)
	return strings.TrimSpace(addressLike.ReplaceAllString(text, "[address]"))
}
