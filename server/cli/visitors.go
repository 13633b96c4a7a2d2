// Package cli is what relay's commands do with conversations beside a running relay:
// export and erase them, and complete command lines.
package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// page is how many sessions or messages are in memory at a time.
const page = 100

// each calls use with every session of a visitor, or of all with "".
func each(ctx context.Context, store chat.Store, who string, use func(*chat.Session) error) error {
	for last := int64(0); ; {
		var list []chat.Session
		err := store.Look(ctx, func(rd chat.Reader) (err error) {
			list, last, err = rd.Export(last, page)
			return err
		})
		if err != nil {
			return err
		}
		for i := range list {
			if !concerns(&list[i], who) {
				continue
			}
			if err := use(&list[i]); err != nil {
				return err
			}
		}
		if len(list) < page {
			return nil
		}
	}
}

// concerns reports whether a session is that of a visitor, by its id or by what it
// said of itself, like an e-mail address.
func concerns(s *chat.Session, who string) bool {
	return who == "" || s.VisitorID == who || says(s.Identity, who) || says(s.PreChat, who)
}

// says reports whether a JSON object has a text as one of its values.
func says(object chat.Raw, text string) bool {
	var values map[string]any
	if len(object) == 0 || json.Unmarshal(object, &values) != nil {
		return false
	}
	for _, v := range values {
		if s, ok := v.(string); ok && strings.EqualFold(strings.TrimSpace(s), text) {
			return true
		}
	}
	return false
}

// SessionsOf lists the ids of all sessions of a visitor: of those that name it, and of
// whoever opened them, also without a message.
func SessionsOf(ctx context.Context, store chat.Store, who string) (ids []string, err error) {
	visitors := []string{who}
	err = each(ctx, store, who, func(s *chat.Session) error {
		ids = append(ids, s.ID)
		if !slices.Contains(visitors, s.VisitorID) {
			visitors = append(visitors, s.VisitorID)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = store.Look(ctx, func(rd chat.Reader) error {
		for _, v := range visitors {
			for _, blocked := range []bool{false, true} {
				more, err := rd.SessionsOfVisitor(v, blocked, 10_000)
				if err != nil {
					return err
				}
				ids = append(ids, more...)
			}
		}
		return nil
	})
	slices.Sort(ids)
	return slices.Compact(ids), err
}
