package discord

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/bridges/cache"
	"github.com/relay-chat/relay/server/chat"
)

// sent remembers recent messages and lost answers. While Discord remembers nonces,
// repeating a call is harmless; later its message is looked up first.
type sent struct {
	mu      sync.Mutex
	unknown map[string]*lostAnswer // by key
	remotes *cache.Cache[string]   // key by message
}

// lostAnswer is a message that may have arrived: when an answer was first lost, and
// the content of each attempt.
type lostAnswer struct {
	since    time.Time
	contents []string
}

// nonceLife is how long a nonce certainly counts. Discord says "the past few
// minutes".
const nonceLife = 2 * time.Minute

const maxSent = 20000

func newSent() *sent {
	return &sent{unknown: map[string]*lostAnswer{}, remotes: cache.New[string](maxSent)}
}

// contentsOf returns the possible contents of an op's message: a rejected file is
// replaced by text.
func contentsOf(op chat.Op) []string {
	list := []string{strings.TrimSpace(messageOf(op).Content)}
	if op.File != nil {
		for _, why := range []string{tooLarge, unattached} {
			list = append(list, strings.TrimSpace(messageOf(asText(op, why)).Content))
		}
	}
	return list
}

// lost stores that the answer to a call was lost.
func (s *sent) lost(key string, contents []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.unknown[key]
	if d == nil {
		if len(s.unknown) >= maxSent {
			clear(s.unknown)
		}
		d = &lostAnswer{since: time.Now()}
		s.unknown[key] = d
	}
	for _, content := range contents {
		if !slices.Contains(d.contents, content) {
			d.contents = append(d.contents, content)
		}
	}
}

// done stores the message of a call.
func (s *sent) done(key, remote string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remotes.Put(remote, key)
	delete(s.unknown, key)
}

// unconfirmed returns the contents that may have arrived and since when, as far as
// this bridge remembers, else from the op.
func (s *sent) unconfirmed(op chat.Op) (since time.Time, contents []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.unknown[op.Key]; d != nil {
		return d.since, slices.Clone(d.contents)
	}
	if op.Since == 0 {
		return time.Time{}, nil
	}
	return op.Since.Std(), nil
}

// claimed reports whether a message belongs to another key.
func (s *sent) claimed(remote, key string) bool {
	other, known := s.remotes.Get(remote)
	return known && other != key
}

// sentMessage is a message of a thread as Discord lists it.
type sentMessage struct {
	ID          string                `json:"id"`
	Kind        discordgo.MessageType `json:"type"`
	Author      author                `json:"author"`
	Content     string                `json:"content"`
	Embeds      []embed               `json:"embeds"`
	Attachments []struct {
		Name string `json:"filename"`
		Size int64  `json:"size"`
	} `json:"attachments"`
}

// findSent looks for the message of an op that may have been carried out so long ago
// that its nonce has expired; "" when there is none.
func (w *writer) findSent(ctx context.Context, thread string, op chat.Op) (remote string, err error) {
	since, contents := w.sent.unconfirmed(op)
	if since.IsZero() || time.Since(since) < nonceLife {
		return "", nil
	}
	list, err := w.leftovers(ctx, thread, op, since)
	if err != nil {
		return "", err
	}
	op = fitted(op)
	m := pick(list, op, append(contents, contentsOf(op)...))
	if m == nil {
		return "", nil
	}
	w.sent.done(op.Key, m.ID)
	return m.ID, nil
}

// Leftovers implements [chat.Finder].
func (w *writer) Leftovers(ctx context.Context, th chat.Thread, ops []chat.Op) (remotes []string, err error) {
	remotes = make([]string, len(ops))
	for i, op := range ops {
		since, contents := w.sent.unconfirmed(op)
		if since.IsZero() {
			continue
		}
		list, err := w.leftovers(ctx, th.Ref, op, since)
		if err != nil {
			return nil, finalError(err)
		}
		if m := pick(list, op, contents); m != nil {
			remotes[i] = m.ID
		}
	}
	return remotes, nil
}

// maxPages bounds a search in a thread's messages.
const maxPages = 20

// leftovers lists the bot's messages in a thread since about a moment that relay
// does not know: usually the one that is unconfirmed.
func (w *writer) leftovers(ctx context.Context, thread string, op chat.Op, since time.Time) (left []sentMessage, err error) {
	me, err := w.client.me(ctx)
	if err != nil {
		return nil, err
	}
	after := snowflakeAt(since.Add(-uploadTimeout - time.Minute)) // clocks may differ
	for range maxPages {
		list, err := w.client.messages(ctx, thread, after)
		if err != nil || len(list) == 0 {
			return left, err
		}
		for _, m := range list {
			after = m.ID
			mine := m.Author.ID == me.ID && isWritten(m.Kind) && len(m.Embeds) == 0
			if !mine || w.sent.claimed(m.ID, op.Key) {
				continue
			}
			if known, err := isKnown(ctx, op, m.ID); err != nil {
				return nil, err
			} else if !known {
				left = append(left, m)
			}
		}
	}
	return left, nil
}

func isKnown(ctx context.Context, op chat.Op, remote string) (bool, error) {
	if op.Known == nil {
		return false, nil
	}
	return op.Known(ctx, remote)
}

// pick finds the message of an op among unknown ones: one with the same content or,
// if relay knows all others, one of the op's kind. The content may differ because
// the op's text was edited since.
func pick(list []sentMessage, op chat.Op, contents []string) *sentMessage {
	var alike *sentMessage
	for i := range list {
		m := &list[i]
		text := len(m.Attachments) == 0 && m.Content != "" // it may stand for a file
		if said := slices.Contains(contents, strings.TrimSpace(m.Content)); said && (text || m.of(op)) {
			return m
		}
		if alike == nil && op.Known != nil && m.of(op) {
			alike = m
		}
	}
	return alike
}

// of reports whether a message may be of an op: a note, a file of that size, or a
// text.
func (m *sentMessage) of(op chat.Op) bool {
	if op.File != nil {
		return len(m.Attachments) == 1 && (op.File.Size <= 0 || m.Attachments[0].Size == op.File.Size)
	}
	note := strings.HasPrefix(m.Content, noteSign)
	return len(m.Attachments) == 0 && note == (op.Kind == chat.OpNote)
}
