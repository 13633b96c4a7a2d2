package discord

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// receiver receives events over the gateway, and slash commands.
type receiver struct {
	cfg     Config
	log     *slog.Logger
	key     ed25519.PublicKey // nil when there is none
	client  *client
	threads *threads
	inbox   *inbox
	reader  *reader
	status  *reception.Status // of the connection, which all channels share
	delays  delays
	// receivers are those of all channels that receive by this connection, itself first.
	receivers []*receiver
}

// storePause is the pause after the n-th failure to store an event. Discord sends it
// only once.
var storePause = chat.Backoff(100*time.Millisecond, 10*time.Second)

// head identifies the channel of an event.
type head struct {
	ID       string     `json:"id"`
	Channel  string     `json:"channel_id"`
	Guild    string     `json:"guild_id"`
	EditedAt *time.Time `json:"edited_timestamp"`
	IDs      []string   `json:"ids"`
}

// handleEvent stores an event if it matters to relay. Nothing else of the server is
// kept, not even in a log.
func (r *receiver) handleEvent(ctx context.Context, in chat.Receiver, kind string, data json.RawMessage) error {
	var h head
	switch kind {
	case "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		if err := json.Unmarshal(data, &h); err != nil {
			return fmt.Errorf("%w: it cannot be read", chat.ErrPermanent)
		}
		return r.handleMessage(ctx, in, kind, &h, data)
	case "THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE", "CHANNEL_UPDATE", "CHANNEL_DELETE":
		c := new(channel)
		if err := json.Unmarshal(data, c); err != nil {
			return fmt.Errorf("%w: it cannot be read", chat.ErrPermanent)
		}
		return r.handleChannel(ctx, in, kind, c, data)
	case "INTERACTION_CREATE":
		return r.handleInteraction(ctx, in, data)
	}
	return nil
}

// laneOf returns an event's lane, and whether the event may matter.
func (r *receiver) laneOf(kind string, data json.RawMessage) (lane string, wanted bool) {
	var h head
	_ = json.Unmarshal(data, &h) // handleEvent reports the error
	switch kind {
	case "THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE", "CHANNEL_UPDATE", "CHANNEL_DELETE":
		return h.ID, true
	case "INTERACTION_CREATE":
		return h.Channel, true
	case "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		_, _, other := r.threads.known.get(h.Channel)
		return h.Channel, !other && h.Channel != r.cfg.ChannelID
	}
	return "", false
}

// ready stores the bot's identity.
func (r *receiver) ready(data json.RawMessage) {
	var event struct {
		User identity `json:"user"`
	}
	if err := json.Unmarshal(data, &event); err == nil && event.User.ID != "" {
		r.client.self.mu.Lock()
		r.client.self.me = &event.User
		r.client.self.mu.Unlock()
	}
	r.log.Info("receiving updates", "way", wayGateway)
}

// handleMessage stores an event of a message in a registered thread, after what was
// missed there.
func (r *receiver) handleMessage(ctx context.Context, in chat.Receiver, kind string, h *head, data json.RawMessage) error {
	if h.Channel == "" {
		return fmt.Errorf("%w: it names no channel", chat.ErrPermanent)
	}
	if kind == "MESSAGE_UPDATE" && h.EditedAt == nil { // not an edit
		return nil
	}
	_, ours, err := r.threads.lookupThread(ctx, h.Channel)
	if err != nil || !ours {
		return err
	}
	if err := r.reader.readMissed(ctx, in, h.Channel, ""); err != nil {
		return err
	}
	return r.inbox.storeMessage(ctx, in, kind, h, data)
}

// handleChannel handles changes of threads, and of the channel itself.
func (r *receiver) handleChannel(ctx context.Context, in chat.Receiver, kind string, c *channel, data json.RawMessage) error {
	if c.ID == r.cfg.ChannelID {
		r.client.forgetChannel()
		if kind == "CHANNEL_DELETE" {
			r.log.Error("the channel was deleted", "fix", fixChannel)
		}
		return nil
	}
	if c.Parent != r.cfg.ChannelID {
		if c.Thread != nil { // its messages need not be looked up
			r.threads.known.foreign(c.ID)
		}
		return nil
	}
	switch kind {
	case "THREAD_CREATE":
		_, known, _ := r.threads.known.get(c.ID)
		if ours, err := r.threads.registerThread(ctx, c); err != nil || !ours || known || !c.New {
			return err
		}
		r.threads.known.created(c.ID)
	case "THREAD_DELETE":
		one, known, _ := r.threads.known.get(c.ID)
		if !known {
			return nil
		}
		if err := r.inbox.store(ctx, in, "x"+c.ID, c.ID, event{Type: kind, Data: data, Session: one.session}); err != nil {
			return err
		}
		r.threads.known.forget(c.ID)
	case "THREAD_UPDATE":
		return r.handleThreadState(ctx, in, c)
	}
	return nil
}

// handleThreadState stores that a person closed or reopened a thread.
func (r *receiver) handleThreadState(ctx context.Context, in chat.Receiver, c *channel) error {
	if ours, err := r.threads.registerThread(ctx, c); err != nil || !ours {
		return err
	}
	if err := r.reader.readMissed(ctx, in, c.ID, ""); err != nil {
		return err
	}
	return r.reader.followState(ctx, in, c)
}

// checkThread handles what happened to a thread that is no longer open. One that
// the API denies is skipped.
func (r *receiver) checkThread(ctx context.Context, in chat.Receiver, id string) error {
	var raw json.RawMessage
	err := r.client.getWithRetry(ctx, path("/channels/%s", id), &raw)
	if errors.Is(err, chat.ErrThreadGone) {
		data, err := json.Marshal(channel{ID: id, Parent: r.cfg.ChannelID})
		if err != nil {
			return err
		}
		return r.handleEvent(ctx, in, "THREAD_DELETE", data)
	}
	if denied(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("check a thread: %w", err)
	}
	c := new(channel)
	if err := json.Unmarshal(raw, c); err != nil {
		return fmt.Errorf("%w: a thread that cannot be read", chat.ErrPermanent)
	}
	if err := r.reader.readMissed(ctx, in, id, c.LastMessage); err != nil {
		return err
	}
	return r.handleEvent(ctx, in, "THREAD_UPDATE", raw)
}

// isHome reports whether a server is that of the bridge's channel.
func (r *receiver) isHome(g *guild) bool {
	for i := range g.Channels {
		if g.Channels[i].ID == r.cfg.ChannelID {
			return true
		}
	}
	return slices.ContainsFunc(g.Threads, func(c channel) bool { return c.Parent == r.cfg.ChannelID })
}

// reportFailure logs a failure of reception once, however often it occurs. Discord
// ends every connection now and then: that alone is none.
func (r *receiver) reportFailure(err error) {
	if errors.Is(err, errEnded) {
		r.log.Info("the gateway ended the connection; reconnecting")
		return
	}
	r.status.ReportFailure(r.log, err)
}

// resume registers a thread, reads what was missed in it, and follows its state.
func (r *receiver) resume(ctx context.Context, in chat.Receiver, c *channel) error {
	ours, err := r.threads.registerThread(ctx, c)
	if err != nil || !ours {
		return err
	}
	before, _, _ := r.threads.known.get(c.ID)
	if err := r.reader.readMissed(ctx, in, c.ID, c.LastMessage); err != nil {
		return err
	}
	if !before.pending && !before.closed {
		return nil
	}
	return r.reader.followState(ctx, in, c)
}

// Ways to receive updates.
const (
	wayGateway = "gateway"
	wayWebhook = "webhook" // slash commands only
	wayNone    = "none"
)
