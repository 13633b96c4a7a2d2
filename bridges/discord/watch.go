package discord

import (
	"context"
	"errors"

	"relay/bridges/reception"
	"relay/server/chat"
)

// Watch looks after the bot's channel until ctx ends: Discord tells nobody that
// it is the wrong one, or what the bot lacks in it.
func (b *Bridge) Watch(ctx context.Context) { reception.Watch(ctx, nil, b.look) }

// look notes what a human has to do, and reports whether there is anything.
// What cannot be asked is no news, nor is what Run says.
func (b *Bridge) look(ctx context.Context) (trouble bool) {
	wrong, err := b.fault(ctx)
	var human *chat.Misconfigured
	switch {
	case errors.Is(err, errToken) && b.cfg.Gateway, err != nil && !errors.As(err, &human):
	case wrong != nil:
		if b.standing.Fail(wrong) {
			b.log.Error("the bridge needs a human", "problem", wrong.Problem, "fix", wrong.Fix)
		}
	case b.standing.Heal():
		b.log.Info("the channel and what the bot may do there are well again")
		b.offerCommands(ctx) // nobody could before
	}
	_, known := b.standing.Get()
	return known != nil
}

// fault is the first thing that is wrong, nil when there is none; err is what
// kept the bridge from asking.
func (b *Bridge) fault(ctx context.Context) (wrong *chat.Misconfigured, err error) {
	c := &checking{Bridge: b}
	for _, look := range []func(context.Context) (chat.Finding, bool){c.token, c.channel, c.rights, c.commands} {
		if f, _ := look(ctx); f.Level == chat.FindingFail {
			return &chat.Misconfigured{Problem: f.Text, Fix: f.Fix}, c.err
		}
	}
	return nil, nil
}
