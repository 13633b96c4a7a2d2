package slack

import (
	"context"
	"errors"
	"strings"

	"relay/bridges/reception"
	"relay/server/chat"
)

// Watch looks after the app's scopes and its channel until ctx ends: Slack tells
// nobody that the app is not in it.
func (b *Bridge) Watch(ctx context.Context) { reception.Watch(ctx, nil, b.look) }

// look notes what a human has to do, and reports whether there is anything.
// What cannot be asked is no news, nor is what Run says: once it receives, it asks
// no more, or in hours.
func (b *Bridge) look(ctx context.Context) (trouble bool) {
	wrong, err := b.fault(ctx)
	var human *chat.Misconfigured
	way, problem := b.status.get()
	told := way == "" || problem != nil
	switch {
	case errors.Is(err, errToken) && told, err != nil && !errors.As(err, &human):
	case wrong != nil:
		if b.standing.Fail(wrong) {
			b.log.Error("the bridge needs a human", "problem", wrong.Problem, "fix", wrong.Fix)
		}
	case b.standing.Heal():
		b.log.Info("the app's scopes and its channel are well again")
	}
	_, known := b.standing.Get()
	return known != nil
}

// fault is the first thing that is wrong, nil when there is none; err is what
// kept the bridge from asking.
func (b *Bridge) fault(ctx context.Context) (wrong *chat.Misconfigured, err error) {
	c := &checking{Bridge: b}
	for _, look := range []func(context.Context) (chat.Finding, bool){c.token, c.scopes, c.channel} {
		if f, _ := look(ctx); f.Level == chat.FindingFail {
			fix, _, _ := strings.Cut(f.Fix, ".\n") // the manifest is for doctor's page
			return &chat.Misconfigured{Problem: f.Text, Fix: fix}, c.err
		}
	}
	return nil, nil
}
