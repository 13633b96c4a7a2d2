package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// inbox stores the events of registered threads.
type inbox struct {
	cfg    Config
	log    *slog.Logger
	client *client
	known  *registry
	blind  sync.Once // it was logged that messages have no content
}

// storeMessage stores an event of a message in a registered thread.
func (b *inbox) storeMessage(ctx context.Context, in chat.Receiver, kind string, h *head, data json.RawMessage) error {
	th, _, _ := b.known.get(h.Channel)
	key := "m" + h.ID
	switch {
	case kind == "MESSAGE_DELETE":
		key = "d" + h.ID
	case kind == "MESSAGE_DELETE_BULK" && len(h.IDs) > 0:
		key = "b" + h.IDs[0] + "+" + strconv.Itoa(len(h.IDs))
	case kind == "MESSAGE_UPDATE" && h.EditedAt != nil:
		key += "e" + strconv.FormatInt(h.EditedAt.UnixMicro(), 10)
	case kind != "MESSAGE_CREATE":
		return nil
	}
	err := b.store(ctx, in, key, h.Channel, event{Type: kind, Data: data, Session: th.session})
	if err == nil && kind == "MESSAGE_CREATE" {
		b.known.setNewest(h.Channel, h.ID)
	}
	return err
}

// store stores an event of a registered thread.
func (b *inbox) store(ctx context.Context, in chat.Receiver, key, ref string, e event) error {
	e.Parent = b.cfg.ChannelID
	if list, err := e.inbound(); err == nil && len(list) == 0 {
		b.warnIfBlind(&e)
		return nil
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("%w: %w", chat.ErrPermanent, err)
	}
	return in.Receive(ctx, chat.Update{Bridge: Name, Key: key, Thread: ref, Raw: chat.Raw(raw)})
}

// warnIfBlind logs once that a person's message has no content: the bot may not
// read messages then.
func (b *inbox) warnIfBlind(e *event) {
	var m message
	if e.Type != "MESSAGE_CREATE" || json.Unmarshal(e.Data, &m) != nil || !m.human() {
		return
	}
	b.blind.Do(func() { b.log.Warn("an operator's message arrived without content", "fix", fixIntent) })
}

// storePage stores the messages of a page, in order.
func (b *inbox) storePage(ctx context.Context, in chat.Receiver, page []listed) error {
	for _, m := range page {
		if err := b.storeFetched(ctx, in, &m.head, m.raw); err != nil {
			return err
		}
	}
	return nil
}

// storeFetched stores a message read from the API like one from the gateway.
func (b *inbox) storeFetched(ctx context.Context, in chat.Receiver, h *head, raw json.RawMessage) error {
	raw = b.client.withMember(ctx, raw)
	kinds := []string{"MESSAGE_CREATE"}
	if h.EditedAt != nil {
		kinds = append(kinds, "MESSAGE_UPDATE")
	}
	for _, kind := range kinds {
		if err := b.storeMessage(ctx, in, kind, h, raw); err != nil && !errors.Is(err, chat.ErrPermanent) {
			return err
		}
	}
	return nil
}

// storeTurn stores that a registered thread was closed or reopened.
func (b *inbox) storeTurn(ctx context.Context, in chat.Receiver, c *channel) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	one, _, _ := b.known.get(c.ID)
	key := "t" + c.ID + map[bool]string{true: "-", false: "+"}[c.archived()] + strconv.FormatInt(c.Thread.ArchivedAt.UnixMicro(), 10)
	if err := b.store(ctx, in, key, c.ID, event{Type: "THREAD_UPDATE", Data: data, Session: one.session}); err != nil {
		return err
	}
	b.known.setClosed(c.ID, c.archived())
	b.known.setTurned(c.ID, c.archived(), c.Thread.ArchivedAt)
	return nil
}

// storeListing stores which messages stand, so that deletions that were missed are
// learned. A relay that forgets does not know what stood there.
func (b *inbox) storeListing(ctx context.Context, in chat.Receiver, l listing) error {
	if b.cfg.Forgets {
		return nil
	}
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	th, _, _ := b.known.get(l.Channel)
	key := "l" + l.Channel + "+" + strconv.FormatInt(time.Now().UnixMicro(), 10)
	return b.store(ctx, in, key, l.Channel, event{Type: typeListed, Data: data, Session: th.session})
}
