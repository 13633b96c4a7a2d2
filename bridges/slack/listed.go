package slack

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/server/chat"
)

// typeListed is the type of relay's own event after it read a thread: the messages that
// stand in it after Since.
const typeListed = "relay_listed"

// storeListing stores which messages stand, so that deletions that were missed are
// learned.
func (r *receiver) storeListing(ctx context.Context, in chat.Receiver, ref, since string, found []string) error {
	e := envelope{Type: typeListed, Since: since, Standing: found}
	e.Event.Channel, e.Event.ThreadTS, e.Event.EventTS = r.cfg.ChannelID, ref, strconv.FormatInt(time.Now().UnixMicro(), 10)
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return r.store(ctx, in, raw)
}

// listed returns what a listing means.
func (e *envelope) listed() chat.Inbound {
	return chat.Inbound{Kind: chat.InboundListed, Thread: chat.Thread{Bridge: Name, Channel: e.Event.Channel, Ref: e.Event.ThreadTS},
		Since: e.Since, Standing: e.Standing}
}

var _ chat.Stander = (*Bridge)(nil)

// Stands implements [chat.Stander].
func (w *writer) Stands(ctx context.Context, th chat.Thread, remote string) (bool, error) {
	q := &slack.GetConversationRepliesParameters{Timestamp: th.Ref, Oldest: remote, Latest: remote, Inclusive: true, Limit: 10}
	list, _, err := w.client.replies(ctx, q)
	if denied := blind(err); denied == nil && err != nil || errors.Is(err, chat.ErrThreadGone) {
		return true, nil
	}
	if err != nil {
		return true, err
	}
	return slices.ContainsFunc(list, func(m slack.Message) bool { return m.Timestamp == remote && m.SubType != subtypeTombstone }), nil
}
