package discord

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// sent remembers what the bridge lately wrote, and of what it does not know
// whether it did. While Discord remembers nonces, writing again does no harm;
// later it is looked for first.
type sent struct {
	mu      sync.Mutex
	unknown map[string]*doubt // by key
	remotes map[string]string // key by message
	starts  map[string]string // by key: the first message of a thread to be
}

// doubt is a message of which nobody knows whether it arrived: when an answer
// was first lost, and what it said in each attempt.
type doubt struct {
	since    time.Time
	contents []string
}

// nonceLife is how long a nonce surely counts. Discord says "the past few
// minutes".
const nonceLife = 2 * time.Minute

const maxSent = 20000

func newSent() *sent {
	return &sent{unknown: map[string]*doubt{}, remotes: map[string]string{}, starts: map[string]string{}}
}

// contentsOf is what the message of an op says: that of a file which was refused
// says so instead.
func contentsOf(op chat.Op) []string {
	list := []string{strings.TrimSpace(messageOf(op).Content)}
	if op.File != nil {
		for _, why := range []string{tooLarge, unattached} {
			list = append(list, strings.TrimSpace(messageOf(asText(op, why)).Content))
		}
	}
	return list
}

// lost notes that the answer to a call was lost.
func (s *sent) lost(key string, contents []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.unknown[key]
	if d == nil {
		if len(s.unknown) >= maxSent {
			clear(s.unknown)
		}
		d = &doubt{since: time.Now()}
		s.unknown[key] = d
	}
	for _, content := range contents {
		if !slices.Contains(d.contents, content) {
			d.contents = append(d.contents, content)
		}
	}
}

// done notes the message that came of a call.
func (s *sent) done(key, remote string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.remotes) >= maxSent {
		clear(s.remotes)
	}
	s.remotes[remote] = key
	delete(s.unknown, key)
}

// start notes the message that a thread is to be made of, "" for none.
func (s *sent) start(key, remote string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.starts) >= maxSent {
		clear(s.starts)
	}
	s.starts[key] = remote
}

func (s *sent) started(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.starts[key]
}

// doubted returns what was sent by a call of which nobody knows whether it
// arrived, and since when: as far as this bridge remembers, and else the op.
func (s *sent) doubted(op chat.Op) (since time.Time, contents []string) {
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

// claimed reports whether a message is known to be another's.
func (s *sent) claimed(remote, key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	other, known := s.remotes[remote]
	return known && other != key
}

// recalled is a message of a thread as Discord lists it.
type recalled struct {
	ID          string  `json:"id"`
	Kind        int     `json:"type"`
	Author      author  `json:"author"`
	Content     string  `json:"content"`
	Embeds      []embed `json:"embeds"`
	Attachments []struct {
		Name string `json:"filename"`
		Size int64  `json:"size"`
	} `json:"attachments"`
}

// recall looks for the message of an op that may have been carried out so long
// ago that its nonce is forgotten; "" when it is not there, or need not be looked
// for.
func (b *Bridge) recall(ctx context.Context, thread string, op chat.Op) (remote string, err error) {
	since, contents := b.sent.doubted(op)
	if since.IsZero() || time.Since(since) < nonceLife {
		return "", nil
	}
	list, err := b.leftovers(ctx, thread, op, since)
	if err != nil {
		return "", err
	}
	op = fitted(op)
	m := pick(list, op, append(contents, contentsOf(op)...))
	if m == nil {
		return "", nil
	}
	b.sent.done(op.Key, m.ID)
	return m.ID, nil
}

var _ chat.Finder = (*Bridge)(nil)

// Leftovers implements [chat.Finder].
func (b *Bridge) Leftovers(ctx context.Context, th chat.Thread, ops []chat.Op) (remotes []string, err error) {
	remotes = make([]string, len(ops))
	for i, op := range ops {
		since, contents := b.sent.doubted(op)
		if since.IsZero() {
			continue
		}
		list, err := b.leftovers(ctx, th.Ref, op, since)
		if err != nil {
			return nil, settle(err)
		}
		if m := pick(list, op, contents); m != nil {
			remotes[i] = m.ID
		}
	}
	return remotes, nil
}

// recallPages bounds a look through a thread's messages.
const recallPages = 20

// leftovers lists what the bot wrote in a thread since about a moment and relay
// does not know of: as a rule that is the one message in doubt.
func (b *Bridge) leftovers(ctx context.Context, thread string, op chat.Op, since time.Time) (left []recalled, err error) {
	me, err := b.me(ctx)
	if err != nil {
		return nil, err
	}
	after := snowflakeAt(since.Add(-uploadTimeout - time.Minute)) // the clocks may differ
	for range recallPages {
		list, err := b.messages(ctx, thread, after)
		if err != nil || len(list) == 0 {
			return left, err
		}
		for _, m := range list {
			after = m.ID
			mine := m.Author.ID == me.ID && (m.Kind == kindDefault || m.Kind == kindReply) && len(m.Embeds) == 0
			if !mine || b.sent.claimed(m.ID, op.Key) {
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

// pick finds the message of an op among those that nobody knows: one that says
// what was sent, or if relay knows all its others, one of the op's kind. What it
// says may differ: the op's text was edited since, or comes late now.
func pick(list []recalled, op chat.Op, contents []string) *recalled {
	var alike *recalled
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

// of reports whether a message may be of an op: a note, a file of that size, or
// what somebody said.
func (m *recalled) of(op chat.Op) bool {
	if op.File != nil {
		return len(m.Attachments) == 1 && (op.File.Size <= 0 || m.Attachments[0].Size == op.File.Size)
	}
	note := strings.HasPrefix(m.Content, noteSign)
	return len(m.Attachments) == 0 && note == (op.Kind == chat.OpNote)
}

// messages lists messages of a channel after one, oldest first.
func (b *Bridge) messages(ctx context.Context, in, after string) (list []recalled, err error) {
	err = b.api.get(ctx, path("/channels/%s/messages", in)+"?limit=100&after="+after, &list)
	if errors.Is(err, chat.ErrThreadGone) {
		return nil, err
	}
	slices.SortFunc(list, func(a, b recalled) int { return compareIDs(a.ID, b.ID) })
	return list, err
}
