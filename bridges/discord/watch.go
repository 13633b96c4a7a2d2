package discord

import (
	"context"
	"errors"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// Watch checks the bot's channel and permissions until ctx ends: Discord does not
// report when they are wrong.
func (b *Bridge) Watch(ctx context.Context) { reception.Watch(ctx, nil, b.checkSetup) }

// checkSetup stores the problem that an operator has to fix, and reports whether there is
// one. A check that fails otherwise changes nothing, nor does what Run reports.
func (b *Bridge) checkSetup(ctx context.Context) (failing bool) {
	c := &checking{Bridge: b}
	wrong := reception.Fault(ctx, c.token, c.channel, c.rights, c.commands)
	var misconfigured *chat.Misconfigured
	switch {
	case errors.Is(c.err, errToken) && b.cfg.Gateway, c.err != nil && !errors.As(c.err, &misconfigured):
	case b.watched.Note(b.log, wrong, "the channel and the bot's permissions work again"):
		b.offerCommands(ctx) // which failed before
	}
	return b.watched.Failing()
}
