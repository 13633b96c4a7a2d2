// Package privacy finds, exports and erases what relay has of one visitor, for the API
// and the commands alike. It imports package chat only.
package privacy

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// page is how many sessions or messages are in memory at a time.
const page = 100

// maxOfVisitor bounds the sessions of one visitor that are looked up.
const maxOfVisitor = 10_000

// each calls use with every session with messages.
func each(ctx context.Context, store chat.Store, use func(*chat.Session) error) error {
	for last := int64(0); ; {
		var list []chat.Session
		err := store.ReadOne(ctx, func(rd chat.Reader) (err error) {
			list, last, err = rd.Export(last, page)
			return err
		})
		if err != nil {
			return err
		}
		for i := range list {
			if err := use(&list[i]); err != nil {
				return err
			}
		}
		if len(list) < page {
			return ctx.Err()
		}
	}
}

// concerns reports whether a session is that of a visitor, by its id or by what it
// said of itself, like an e-mail address.
func concerns(s *chat.Session, who string) bool {
	return s.VisitorID == who || says(s.Identity, who) || says(s.PreChat, who)
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

// Find lists the sessions of a visitor, the oldest first: those that name it, and of
// whoever opened them, also without a message.
func Find(ctx context.Context, store chat.Store, who string) ([]chat.Session, error) {
	ids, err := find(ctx, store, strings.TrimSpace(who))
	if err != nil {
		return nil, err
	}
	list := make([]chat.Session, 0, len(ids))
	err = store.ReadOne(ctx, func(rd chat.Reader) error {
		for _, id := range ids {
			s, err := rd.Session(id)
			if errors.Is(err, chat.ErrSessionNotFound) {
				continue // erased meanwhile
			}
			if err != nil {
				return err
			}
			list = append(list, s)
		}
		return nil
	})
	sort.Slice(list, func(i, j int) bool { return list[i].CreatedAt < list[j].CreatedAt })
	return list, err
}

func find(ctx context.Context, store chat.Store, who string) (ids []string, err error) {
	if who == "" {
		return nil, chat.Errorf(chat.Invalid, "visitor is required: an id, or an e-mail address")
	}
	visitors := []string{who}
	err = each(ctx, store, func(s *chat.Session) error {
		if !concerns(s, who) {
			return nil
		}
		ids = append(ids, s.ID)
		if !slices.Contains(visitors, s.VisitorID) {
			visitors = append(visitors, s.VisitorID)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = store.ReadOne(ctx, func(rd chat.Reader) error {
		for _, v := range visitors {
			for _, blocked := range []bool{false, true} {
				more, err := rd.SessionsOfVisitor(v, blocked, maxOfVisitor)
				if err != nil {
					return err
				}
				ids = append(ids, more...)
			}
		}
		return nil
	})
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return id == chat.SystemSession }), err
}
