// Package telegram is the bridge to Telegram: a forum topic per session in a
// group with topics, by the Bot API. It imports package chat, gotgbot for the
// API's methods and types, and rate for the group's budget.
//
// gotgbot's updater is not used: it confirms updates before they are handled
// and handles those of one topic at once. Neither is its HTTP client, which
// sends every call as chunked multipart. See Run and caller.
package telegram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// Name is the bridge's name.
const Name = "telegram"

// Config holds a bridge's settings.
type Config struct {
	Token  string // from @BotFather
	ChatID string // of the group with topics: -100 and digits
	// WebhookSecret proves that an update comes from Telegram. Without it Webhook
	// rejects everything.
	WebhookSecret string
	// PublicURL is Webhook's public address, its path included; "" when relay has
	// none.
	PublicURL string
	// APIURL is another Bot API server; "" is Telegram's own.
	APIURL string
	// Budget is how many messages a minute the group accepts; 0 is Telegram's 20.
	Budget int
	// Transport carries the calls; nil is the bridge's own.
	Transport http.RoundTripper
	Log       *slog.Logger
}

// Bridge implements [chat.Bridge]: it is the sum of its parts.
type Bridge struct {
	*client
	*threads
	*writer
	*receiver
	*checker
}

var (
	_ chat.Bridge       = (*Bridge)(nil)
	_ chat.Besides      = (*Bridge)(nil)
	_ chat.ThreadEraser = (*Bridge)(nil)
)

var (
	isToken  = chat.Pattern(`[0-9]{1,19}:[A-Za-z0-9_-]+`)
	isSecret = chat.Pattern(`[A-Za-z0-9_-]{0,256}`)
)

// New returns a bridge, without any call. The error is a [chat.Misconfigured] and
// holds no secret.
func New(cfg Config) (*Bridge, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if !isToken(cfg.Token) {
		return nil, &chat.Misconfigured{Problem: "the bot token is not one of Telegram's", Fix: fixToken}
	}
	group, err := parseGroup(cfg.ChatID)
	if err != nil {
		return nil, err
	}
	if !isSecret(cfg.WebhookSecret) {
		return nil, &chat.Misconfigured{Problem: "Telegram does not accept this webhook secret",
			Fix: "use 1 to 256 letters, digits, _ and - for TELEGRAM_WEBHOOK_SECRET"}
	}
	id, err := strconv.ParseInt(cfg.Token[:strings.IndexByte(cfg.Token, ':')], 10, 64)
	if err != nil {
		return nil, &chat.Misconfigured{Problem: "the bot token is not one of Telegram's", Fix: fixToken}
	}
	caller, err := newCaller(cfg)
	if err != nil {
		return nil, err
	}
	log := cfg.Log.With("bridge", Name)
	bot := &gotgbot.Bot{Token: cfg.Token, User: gotgbot.User{Id: id, IsBot: true}, BotClient: caller}
	c := &client{log: log, bot: bot, caller: caller, budget: newBudget(cfg.Budget), username: new(atomic.Pointer[string])}
	c.group.Store(group)
	return assemble(cfg, c, new(reception.Status)), nil
}

// parseGroup reads the id of a group.
func parseGroup(id string) (group int64, err error) {
	if group, err = strconv.ParseInt(strings.TrimSpace(id), 10, 64); err != nil {
		return 0, &chat.Misconfigured{Problem: "the chat id is not a number", Fix: fixChatID}
	}
	return group, nil
}

// assemble makes the bridge of a client.
func assemble(cfg Config, c *client, status *reception.Status) *Bridge {
	t := &threads{client: c, created: newCreatedTopics()}
	r := &receiver{cfg: cfg, log: c.log, client: c, threads: t, status: status, changed: make(chan struct{}, 1)}
	r.add(r)
	return &Bridge{client: c, threads: t, writer: &writer{log: c.log, client: c, threads: t}, receiver: r, checker: &checker{client: c, receiver: r}}
}

// Name implements [chat.Bridge].
func (b *Bridge) Name() string { return Name }

// Limits implements [chat.Bridge]. All threads share the group's budget; a few run
// in parallel so that a large file does not delay the others.
func (b *Bridge) Limits() chat.Limits {
	return chat.Limits{Parallel: 4, Coalesce: true, Timeout: uploadTimeout + 2*callTimeout, Short: "tg", Slash: true}
}

// Time limits of calls.
const (
	callTimeout   = 15 * time.Second
	uploadTimeout = 2 * time.Minute
)

// Fixes of the most frequent faults.
const (
	fixToken  = "copy the token that @BotFather gave you into TELEGRAM_BOT_TOKEN; it looks like 123456789:AAE…"
	fixChatID = "put the id of your group into TELEGRAM_CHAT_ID: it begins with -100, and at https://web.telegram.org/a/ the group's address ends in it"
	fixMember = "add the bot to the group, then make it an administrator with the right \"Manage topics\""
	fixTopics = "open Group settings → Topics in Telegram and switch them on"
	fixRights = "in the group's settings, under Administrators, give the bot the right \"Manage topics\""
)

var errBase = &chat.Misconfigured{Problem: "the address of the Bot API server is not one",
	Fix: "write TELEGRAM_API_URL like http://localhost:8081, or leave it out"}

// Do implements [chat.Bridge].
func (b *Bridge) Do(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	if op.Kind == chat.OpOpen {
		return b.threads.open(ctx, op)
	}
	topic, err := strconv.ParseInt(th.Ref, 10, 64)
	if err != nil {
		return "", fmt.Errorf("%w: %q is not a topic", chat.ErrThreadGone, th.Ref)
	}
	switch op.Kind {
	case chat.OpPost, chat.OpNote:
		remote, err = b.writer.post(ctx, topic, op)
	case chat.OpEdit:
		remote, err = b.writer.edit(ctx, topic, op)
	case chat.OpDelete:
		err = b.client.delete(ctx, op)
	case chat.OpReact:
		err = b.writer.react(ctx, op)
	case chat.OpClose:
		err = b.threads.close(ctx, topic)
	case chat.OpReopen:
		err = b.threads.reopen(ctx, topic)
	case chat.OpTyping:
		b.writer.typing(ctx, topic)
	default:
		err = fmt.Errorf("%w: Telegram has no op %d", chat.ErrPermanent, op.Kind)
	}
	if errors.Is(err, chat.ErrThreadGone) {
		b.threads.known.Forget(th.Ref)
	}
	return remote, err
}

// Receiving returns how updates are received, polling or webhook, and the problem
// with that or the group, nil for none. The way is "" before Run chose.
func (b *Bridge) Receiving() (way string, problem error) {
	way, problem = b.receiver.status.Get()
	_, watched := b.checker.watched.Get()
	return way, cmp.Or(problem, watched)
}
