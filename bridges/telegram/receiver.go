package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// receiver receives updates and parses them.
type receiver struct {
	cfg         Config
	log         *slog.Logger
	client      *client
	threads     *threads
	status      *reception.Status // of the connection, which all groups share
	receivers   []*receiver       // those of all groups that receive by this connection, itself first
	groups      groups            // that the bot was added to
	pushedSince atomic.Int64      // when the webhook was set
	changed     chan struct{}     // makes Watch look: something changed in the group
}

// Long polling (Bot API, getUpdates). Telegram renumbers the updates of a bot that
// was idle for a week.
const (
	pollTime   = 50 * time.Second
	pollLimit  = 100
	emptyPause = time.Second // after an empty answer that came at once: no hot loop
	numbersAge = 6 * 24 * time.Hour
	quietTime  = 2 * time.Minute // another program counts as gone after this time without a conflict
)

// retryPause is the pause after the n-th failure in a row. Reception never gives
// up: Telegram keeps an operator's answer for a day.
var retryPause = chat.Backoff(time.Second, 30*time.Second)

// Run implements [chat.Bridge]. It chooses how updates are received (see register)
// and polls unless Telegram pushes them.
func (r *receiver) Run(ctx context.Context, in chat.Receiver) error {
	p := poller{receiver: r, in: in}
	for failures := 0; ctx.Err() == nil; {
		done, err := p.step(ctx)
		var misconfigured *chat.Misconfigured
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &misconfigured) && !contested(err):
			r.status.Fail(err)
			return err
		case err != nil:
			failures++
			r.status.ReportFailure(r.log, err)
			chat.Rest(ctx, pauseAfter(err, failures))
		case done:
			return nil
		case time.Since(p.disturbed) < quietTime:
			failures = 0
		default:
			failures = 0
			r.status.ReportRecovery(r.log)
		}
	}
	return nil
}

// poller polls for updates.
type poller struct {
	receiver   *receiver
	in         chat.Receiver
	registered bool
	offset     int64 // the first update that is not stored; 0 before the first
	moved      time.Time
	disturbed  time.Time // the last conflict with another program
}

// step registers if necessary and polls once. done means that Telegram pushes.
func (p *poller) step(ctx context.Context) (done bool, err error) {
	if !p.registered {
		pushes, err := p.receiver.register(ctx)
		if err != nil {
			return false, err
		}
		p.receiver.announce(pushes, time.Since(p.disturbed) < quietTime)
		if p.registered = true; pushes {
			p.receiver.readTopics(pushes)
			return true, nil
		}
	}
	err = p.poll(ctx)
	if errors.Is(err, errWebhookSet) {
		p.registered = false // choose again
	}
	if contested(err) {
		p.disturbed = time.Now()
	}
	return false, err
}

// contested reports whether another program uses the bot's token.
func contested(err error) bool {
	return errors.Is(err, errOtherPoller) || errors.Is(err, errWebhookSet)
}

// poll polls once and stores the updates in order. The next poll confirms them to
// Telegram.
func (p *poller) poll(ctx context.Context) error {
	if time.Since(p.moved) > numbersAge {
		p.offset = 0
	}
	begun := time.Now()
	updates, err := p.ask(ctx)
	if err != nil {
		return err
	}
	for _, raw := range updates {
		id, err := p.receiver.receive(ctx, p.in, raw)
		if err != nil {
			return fmt.Errorf("store an update: %w", err)
		}
		p.offset, p.moved = id+1, time.Now()
	}
	if len(updates) < pollLimit {
		p.receiver.readTopics(false)
	}
	if len(updates) == 0 && time.Since(begun) < emptyPause {
		return chat.Rest(ctx, emptyPause)
	}
	return nil
}

// ask calls getUpdates. The updates are raw: gotgbot's types would lose unknown
// fields.
func (p *poller) ask(ctx context.Context) (updates []json.RawMessage, err error) {
	params := map[string]any{"timeout": int(pollTime / time.Second), "limit": pollLimit, "allowed_updates": allowedUpdates}
	if p.offset != 0 {
		params["offset"] = p.offset
	}
	answer, err := p.receiver.client.bot.RequestWithContext(ctx, "getUpdates", params, within(pollTime+10*time.Second))
	if err != nil {
		return nil, translate(err, true)
	}
	return updates, json.Unmarshal(answer, &updates)
}

// receive stores a raw update, if it matters to relay, and returns its number.
func (r *receiver) receive(ctx context.Context, in chat.Receiver, raw []byte) (id int64, err error) {
	u, err := decode(raw)
	if err != nil && u.ID == 0 {
		return 0, fmt.Errorf("%w: an update without a number: %w", chat.ErrPermanent, err)
	}
	if u.Member != nil {
		r.learnGroup(raw)
	}
	meaning, err := r.understand(u, raw)
	if err == nil && len(meaning) == 0 {
		return u.ID, nil
	}
	// Each bot has its own numbers.
	key := strconv.FormatInt(r.client.bot.Id, 10) + ":" + strconv.FormatInt(u.ID, 10)
	stored := chat.Update{Bridge: Name, Key: key, Raw: chat.Raw(raw)}
	if len(meaning) > 0 {
		stored.Thread = meaning[0].Thread.Ref
	}
	return u.ID, in.Receive(ctx, stored)
}

// understand lets the receivers of all groups look at an update, and returns what it means
// to the one whose group it concerns.
func (r *receiver) understand(u *update, raw []byte) (meaning []chat.Inbound, err error) {
	for _, one := range r.receivers {
		one.observe(u)
		if meaning, err = one.Parse(raw); err != nil || len(meaning) > 0 {
			break
		}
	}
	return meaning, err
}

// learnGroup keeps which group the bot was added to or removed from.
func (r *receiver) learnGroup(raw []byte) {
	var u groupUpdate
	if json.Unmarshal(raw, &u) == nil {
		r.groups.learn(groupUpdate{Member: u.Member})
	}
}

// readTopics notes that the topics of all groups are reported until now, or that Telegram
// pushes the reports.
func (r *receiver) readTopics(pushes bool) {
	for _, one := range r.receivers {
		one.threads.created.read(pushes)
	}
}

// observe keeps what the bridge itself has to know: its new topics, their sessions
// and changes of its rights.
func (r *receiver) observe(u *update) {
	if m := u.Message; m != nil && r.isGroup(m.Chat.ID) && m.InTopic {
		if m.TopicCreated != nil && m.From != nil && m.From.ID == r.client.bot.Id {
			r.threads.created.add(m.Topic, m.TopicCreated.Name, time.Unix(m.Date, 0))
		}
		if m.ReplyTo != nil && m.ReplyTo.TopicCreated != nil {
			r.threads.known.Learn(m.ref(), r.threads.sessionByRoot(m))
		}
	}
	if u.Member != nil && r.isGroup(u.Member.Chat.ID) {
		r.checkNow()
	}
}

// checkNow makes Watch check now.
func (r *receiver) checkNow() {
	select {
	case r.changed <- struct{}{}:
	default: // it is about to
	}
}

// pauseAfter returns how long to wait after a failure.
func pauseAfter(err error, failures int) time.Duration {
	pause := retryPause(failures)
	var refusal *gotgbot.TelegramError
	var wait *chat.RetryAfter
	switch {
	case errors.As(err, &wait):
		return max(pause, wait.After)
	case contested(err), errors.As(err, &refusal):
		return max(pause, 3*time.Second)
	}
	return pause
}

// Ways to receive updates.
const (
	wayPolling = "polling"
	wayWebhook = "webhook"
)
