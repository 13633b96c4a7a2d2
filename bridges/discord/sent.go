package discord

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"relay/server/chat"
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

// lost notes that the answer to a call was lost.
func (s *sent) lost(key, content string) {
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
	if content = strings.TrimSpace(content); !slices.Contains(d.contents, content) {
		d.contents = append(d.contents, content)
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

// doubted returns what is not known of a call, nil when all is.
func (s *sent) doubted(key string) *doubt {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.unknown[key]
	if d == nil {
		return nil
	}
	return &doubt{d.since, slices.Clone(d.contents)}
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
	Author      author  `json:"author"`
	Content     string  `json:"content"`
	Embeds      []embed `json:"embeds"`
	Attachments []struct {
		Name string `json:"filename"`
		Size int64  `json:"size"`
	} `json:"attachments"`
}

// recall looks for the message of an op whose answer was lost so long ago that
// its nonce may be forgotten; "" when it is not there, or need not be looked
// for.
func (b *Bridge) recall(ctx context.Context, thread string, op chat.Op) (remote string, err error) {
	d := b.sent.doubted(op.Key)
	if d == nil || time.Since(d.since) < nonceLife {
		return "", nil
	}
	me, err := b.me(ctx)
	if err != nil {
		return "", err
	}
	after := snowflakeAt(d.since.Add(-uploadTimeout - time.Minute)) // the clocks may differ
	for range 5 {
		list, err := b.messages(ctx, thread, after)
		if err != nil || len(list) == 0 {
			return "", err
		}
		for _, m := range list {
			if after = m.ID; m.Author.ID == me.ID && m.shows(op, d) && !b.sent.claimed(m.ID, op.Key) {
				b.sent.done(op.Key, m.ID)
				return m.ID, nil
			}
		}
	}
	return "", nil
}

// shows reports whether a message is what an op made: Discord keeps texts
// without white space around.
func (m *recalled) shows(op chat.Op, d *doubt) bool {
	if !slices.Contains(d.contents, strings.TrimSpace(m.Content)) {
		return false
	}
	if op = fitted(op); op.File == nil {
		return true
	}
	return len(m.Attachments) == 1 && m.Attachments[0].Size == op.File.Size
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
