package slack

import (
	"context"
	"errors"
	"sync"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// Watch checks the app's scopes and its channel until ctx ends: Slack does not
// report that the app is not in it. With a webhook it also fills gaps, because Run
// returns at once.
func (b *Bridge) Watch(ctx context.Context) {
	var filling sync.WaitGroup
	defer filling.Wait()
	if b.cfg.AppToken == "" {
		filling.Go(func() { b.fillGaps(ctx) })
		filling.Go(func() { b.lookBack(ctx) })
	}
	reception.Watch(ctx, nil, b.checkSetup)
}

// checkSetup stores the problem that an operator has to fix, and reports whether there is
// one. A check that fails otherwise changes nothing, nor does what Run reports.
func (b *Bridge) checkSetup(ctx context.Context) (failing bool) {
	c := &checking{Bridge: b}
	wrong := reception.Fault(ctx, c.token, c.scopes, c.channel)
	way, problem := b.receiving()
	reported := errors.Is(c.err, errToken) && (way == "" || problem != nil)
	var misconfigured *chat.Misconfigured
	if !reported && (c.err == nil || errors.As(c.err, &misconfigured)) {
		b.watched.Note(b.log, wrong, "the app's scopes and its channel work again")
	}
	return b.watched.Failing()
}
