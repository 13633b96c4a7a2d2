package discord

import (
	"context"
	"errors"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// Watch looks after the bot's channel until ctx ends: Discord tells nobody that
// it is the wrong one, or what the bot lacks in it.
func (b *Bridge) Watch(ctx context.Context) { reception.Watch(ctx, nil, b.look) }

// look notes what a human has to do, and reports whether there is anything.
// What cannot be asked is no news, nor is what Run says.
func (b *Bridge) look(ctx context.Context) (trouble bool) {
	c := &checking{Bridge: b}
	wrong := reception.Fault(ctx, c.token, c.channel, c.rights, c.commands)
	var human *chat.Misconfigured
	switch {
	case errors.Is(c.err, errToken) && b.cfg.Gateway, c.err != nil && !errors.As(c.err, &human):
	case b.standing.Note(b.log, wrong, "the channel and what the bot may do there are well again"):
		b.offerCommands(ctx) // nobody could before
	}
	return b.standing.Failing()
}
