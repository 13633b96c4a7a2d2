package inbound

import (
	"context"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

const guestCommandText = "Nothing was done, and the visitor does not see this: commands and notes are only for people of your own workspace."

// barred ignores what somebody of another organisation does in the thread, and says so
// once.
func (ev *event) barred(ctx context.Context) error {
	who := strings.Join(append([]string{ev.Thread.Ref}, ev.Handles...), " ")
	if ev.Kind != chat.InboundMessage || !ev.h.barred.shouldWarn(who, chat.Now()) {
		return nil
	}
	return ev.answer(ctx, ev.Barred)
}

// refuseCommand answers a command of somebody of another organisation.
func (ev *event) refuseCommand(ctx context.Context, parts []chat.Inbound) error {
	if err := ev.answer(ctx, guestCommandText); err != nil {
		return err
	}
	return ev.markHandled(ctx, commandPlaceholder, parts)
}
