package discord

import (
	"context"
	"fmt"
	"net/http"

	"github.com/relay-chat/relay/server/chat"
)

var _ chat.ThreadEraser = (*Bridge)(nil)

// EraseThread implements [chat.ThreadEraser]: Discord deletes a thread with all of its
// messages. The bot needs the permission Manage Threads.
func (b *Bridge) EraseThread(ctx context.Context, th chat.Thread) error {
	if !isSnowflake(th.Ref) {
		return fmt.Errorf("%w: %q is no thread", chat.ErrThreadGone, th.Ref)
	}
	return b.api.call(ctx, request{method: http.MethodDelete, path: path("/channels/%s", th.Ref), repeatable: true}, nil)
}
