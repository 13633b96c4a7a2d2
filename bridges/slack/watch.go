package slack

import (
	"context"
	"errors"
	"sync"

	"relay/bridges/reception"
	"relay/server/chat"
)

// Watch looks after the app's scopes and its channel until ctx ends: Slack tells
// nobody that the app is not in it. Where Slack pushes it also looks after what
// is not stored yet: Run does not stay for that.
func (b *Bridge) Watch(ctx context.Context) {
	var tending sync.WaitGroup
	defer tending.Wait()
	if b.cfg.AppToken == "" {
		tending.Go(func() { b.tend(ctx) })
	}
	reception.Watch(ctx, nil, b.look)
}

// look notes what a human has to do, and reports whether there is anything.
// What cannot be asked is no news, nor is what Run says: once it receives, it asks
// no more, or in hours.
func (b *Bridge) look(ctx context.Context) (trouble bool) {
	c := &checking{Bridge: b}
	wrong := reception.Fault(ctx, c.token, c.scopes, c.channel)
	way, problem := b.status.get()
	told := errors.Is(c.err, errToken) && (way == "" || problem != nil)
	var human *chat.Misconfigured
	if !told && (c.err == nil || errors.As(c.err, &human)) {
		b.standing.Note(b.log, wrong, "the app's scopes and its channel are well again")
	}
	return b.standing.Failing()
}
