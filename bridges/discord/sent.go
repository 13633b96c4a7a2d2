package discord

import (
	"context"
	"errors"
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
	unknown map[string]time.Time // by key: when an answer was first lost
	remotes map[string]string    // key by message
	starts  map[string]string    // by key: the first message of a thread to be
}

// nonceLife is how long a nonce surely counts. Discord says "the past few
// minutes".
const nonceLife = 2 * time.Minute

const maxSent = 20000

func newSent() *sent {
	return &sent{unknown: map[string]time.Time{}, remotes: map[string]string{}, starts: map[string]string{}}
}

// lost notes that the answer to a call was lost.
func (s *sent) lost(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unknown) >= maxSent {
		clear(s.unknown)
	}
	if _, known := s.unknown[key]; !known {
		s.unknown[key] = time.Now()
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

// since returns when the answer to a call was first lost.
func (s *sent) since(key string) (at time.Time, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known = s.unknown[key]
	return at, known
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
	lost, known := b.sent.since(op.Key)
	if !known || time.Since(lost) < nonceLife {
		return "", nil
	}
	me, err := b.me(ctx)
	if err != nil {
		return "", err
	}
	after := snowflakeAt(lost.Add(-uploadTimeout - time.Minute)) // the clocks may differ
	for range 5 {
		list, err := b.messages(ctx, thread, after)
		if err != nil || len(list) == 0 {
			return "", err
		}
		for _, m := range list {
			if after = m.ID; m.Author.ID == me.ID && m.shows(op) && !b.sent.claimed(m.ID, op.Key) {
				b.sent.done(op.Key, m.ID)
				return m.ID, nil
			}
		}
	}
	return "", nil
}

// shows reports whether a message is what an op makes.
func (m *recalled) shows(op chat.Op) bool {
	if op.File == nil || op.File.Size > maxFile {
		return sameContent(m.Content, messageOf(asText(op)).Content)
	}
	return len(m.Attachments) == 1 && m.Attachments[0].Size == op.File.Size && sameContent(m.Content, messageOf(op).Content)
}

// sameContent compares texts as Discord keeps them: without white space around.
func sameContent(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// messages lists messages of a channel after one, oldest first.
func (b *Bridge) messages(ctx context.Context, in, after string) (list []recalled, err error) {
	err = b.api.get(ctx, path("/channels/%s/messages", in)+"?limit=100&after="+after, &list)
	if errors.Is(err, chat.ErrThreadGone) {
		return nil, err
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list, err
}
