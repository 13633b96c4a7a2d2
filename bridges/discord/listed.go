package discord

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// typeListed is the type of relay's own event after it read a thread.
const typeListed = "RELAY_LISTED"

// listing is what a reading found: the messages of a thread after one of them.
type listing struct {
	Channel string   `json:"channel_id"`
	Since   string   `json:"since"`
	IDs     []string `json:"ids"`
}

// storeListing stores which messages stand, so that deletions that were missed are
// learned. A relay that forgets does not know what stood there.
func (b *Bridge) storeListing(ctx context.Context, in chat.Receiver, l listing) error {
	if b.cfg.Forgets {
		return nil
	}
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	th, _, _ := b.threads.get(l.Channel)
	key := "l" + l.Channel + "+" + strconv.FormatInt(time.Now().UnixMicro(), 10)
	return b.store(ctx, in, key, l.Channel, event{Type: typeListed, Data: data, Session: th.session})
}

func (e *event) listed() ([]chat.Inbound, error) {
	var l listing
	if err := json.Unmarshal(e.Data, &l); err != nil {
		return nil, err
	}
	if l.Channel == "" {
		return nil, errNoID
	}
	in := e.in(chat.InboundListed, l.Channel)
	in.Since, in.Standing = l.Since, l.IDs
	return []chat.Inbound{in}, nil
}

var _ chat.Stander = (*Bridge)(nil)

// Stands implements [chat.Stander].
func (b *Bridge) Stands(ctx context.Context, th chat.Thread, remote string) (bool, error) {
	err := b.api.getWithRetry(ctx, path("/channels/%s/messages/%s", th.Ref, remote), nil)
	switch {
	case errors.Is(err, chat.ErrMessageGone):
		return false, nil
	case err == nil, denied(err), errors.Is(err, chat.ErrPermanent), errors.Is(err, chat.ErrThreadGone):
		return true, nil
	}
	return true, finalError(err)
}
