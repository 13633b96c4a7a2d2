package bridges

import (
	"context"
	"time"

	"relay/server/chat"
)

// What proves that a platform lives again makes due what rests because it failed
// meanwhile: an update that comes in, and reception or what a bridge watches being
// well again.

// alive is the inbox of a bridge whose updates are a sign of life.
type alive struct {
	chat.Receiver
	lives func()
}

// Receive implements [chat.Receiver].
func (a alive) Receive(ctx context.Context, u chat.Update) error {
	a.lives()
	return a.Receiver.Receive(ctx, u)
}

func (s *slot) inbox() chat.Receiver { return alive{s.set.engine.Inbox, s.lives} }

func (s *slot) lives() { s.set.engine.Outbox.Lives(s.kind.Name) }

// lookPause is how often a bridge is asked how it is doing.
const lookPause = 5 * time.Second

// seeLife notices, until ctx ends, that what kept updates away is over.
func (s *slot) seeLife(ctx context.Context, r Receiving) {
	for failing := false; chat.Rest(ctx, lookPause) == nil; {
		_, problem := r.Receiving()
		if failing && problem == nil {
			s.lives()
		}
		failing = problem != nil
	}
}
