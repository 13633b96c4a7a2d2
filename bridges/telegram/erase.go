package telegram

import (
	"context"
	"fmt"
	"strconv"

	"github.com/relay-chat/relay/server/chat"
)

var _ chat.ThreadEraser = (*Bridge)(nil)

// EraseThread implements [chat.ThreadEraser]: Telegram deletes a topic with all of its
// messages, whatever their age. The bot needs the right to delete messages.
func (b *Bridge) EraseThread(ctx context.Context, th chat.Thread) error {
	topic, err := strconv.ParseInt(th.Ref, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: %q is not a topic", chat.ErrThreadGone, th.Ref)
	}
	return b.free(ctx, func(ctx context.Context) error {
		_, err := b.bot.DeleteForumTopicWithContext(ctx, b.group.Load(), topic, nil)
		return err
	})
}
