// Package slack is the bridge to Slack: a thread per session in one channel, by the
// Web API, with operators' messages by Socket Mode or the Events API. It imports
// package chat, slack-go for the Web API's methods and types, and gorilla/websocket,
// a dependency of slack-go, for the socket.
//
// slack-go's Socket Mode client is not used: it decodes so strictly that an odd event
// is never acknowledged, and passes events on before they are stored. See listen and
// decode.
package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/bridges/cache"
	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// Name is the bridge's name.
const Name = "slack"

// Config holds a bridge's settings.
type Config struct {
	BotToken  string // of the installed app: xoxb-
	ChannelID string // C and letters; G for an old private channel
	// SigningSecret proves that a request comes from Slack. Without it Webhook rejects
	// everything.
	SigningSecret string
	// AppToken selects Socket Mode: xapp-, with the scope connections:write.
	AppToken string
	// PublicURL is Webhook's public address, its path included; "" when relay has
	// none.
	PublicURL string
	// APIURL is another base address of the Web API; "" is Slack's own.
	APIURL string
	// OtherWorkspaces lets people of other workspaces, who share the channel by Slack
	// Connect, answer visitors.
	OtherWorkspaces bool
	// Pause is the average time between two messages; 0 is Slack's second.
	Pause time.Duration
	// Back is how far back Run reads operators' messages.
	Back time.Duration
	// Forgets says that a restart forgets which messages were received: only what stands
	// behind the bridge's own last post of a thread, from before the start, is read.
	Forgets bool
	// Transport carries the calls and Dial the socket; nil is the network.
	Transport http.RoundTripper
	Dial      func(ctx context.Context, network, address string) (net.Conn, error)
	Log       *slog.Logger
}

// Bridge implements [chat.Bridge]: it is the sum of its parts.
type Bridge struct {
	*client
	*threads
	*writer
	*parser
	*receiver
	*checker
}

var (
	_ chat.Bridge   = (*Bridge)(nil)
	_ chat.Besides  = (*Bridge)(nil)
	_ chat.Recaller = (*Bridge)(nil)
	_ chat.Stander  = (*Bridge)(nil)
)

var (
	isToken    = chat.Pattern(`xoxb-[A-Za-z0-9-]+`)
	isAppToken = chat.Pattern(`(xapp-[A-Za-z0-9-]+)?`)
	isChannel  = chat.Pattern(`[CG][A-Z0-9]+`)
)

// New returns a bridge, without any call. The error is a [chat.Misconfigured] and
// holds no secret.
func New(cfg Config) (*Bridge, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	switch {
	case !isToken(cfg.BotToken):
		return nil, &chat.Misconfigured{Problem: "the bot token is not one of Slack's", Fix: fixToken}
	case !isAppToken(cfg.AppToken):
		return nil, &chat.Misconfigured{Problem: "the app token is not one of Slack's", Fix: fixAppToken}
	}
	if err := checkChannel(&cfg); err != nil {
		return nil, err
	}
	base, err := call.ParseBase(cfg.APIURL, slack.APIURL, errBase)
	if err != nil {
		return nil, err
	}
	return assemble(cfg, newClient(cfg, base), new(reception.Status)), nil
}

// checkChannel trims the channel's id and refuses what is none.
func checkChannel(cfg *Config) error {
	if cfg.ChannelID = strings.TrimSpace(cfg.ChannelID); !isChannel(cfg.ChannelID) {
		return &chat.Misconfigured{Problem: "the channel id is not one of Slack's", Fix: fixChannel}
	}
	return nil
}

// assemble makes the bridge of a client.
func assemble(cfg Config, c *client, status *reception.Status) *Bridge {
	who := &people{client: c, names: cache.New[person](5000)}
	t := &threads{client: c}
	p := &parser{client: c, people: who, last: cache.New[*message](500)}
	r := &receiver{cfg: cfg, log: c.log, begun: exactTS(time.Now()), client: c, parser: p, status: status, gaps: newGapTracker()}
	r.add(r)
	w := &writer{log: c.log, client: c, threads: t, people: who,
		quotes: cache.New[string](2000), quoted: cache.New[string](2000), uploads: cache.New[string](1000)}
	return &Bridge{client: c, threads: t, writer: w, parser: p, receiver: r, checker: &checker{client: c, receiver: r}}
}

// Name implements [chat.Bridge].
func (b *Bridge) Name() string { return Name }

// Limits implements [chat.Bridge]. All threads share the channel's message per second;
// a few run in parallel so that a large file does not delay the others.
func (b *Bridge) Limits() chat.Limits {
	return chat.Limits{Parallel: 4, Coalesce: true, Timeout: uploadTimeout + 4*callTimeout, Short: "sl"}
}

// Time limits of calls.
const (
	callTimeout   = 15 * time.Second
	uploadTimeout = 2 * time.Minute
)

// Fixes of the most frequent faults.
const (
	fixToken    = "open your app at https://api.slack.com/apps, install it under OAuth & Permissions, and copy the Bot User OAuth Token into SLACK_BOT_TOKEN; it begins with xoxb-"
	fixAppToken = "open your app at https://api.slack.com/apps, make an App-Level Token with the scope connections:write under Basic Information, and copy it into SLACK_APP_TOKEN; it begins with xapp-"
	fixChannel  = "put the id of your channel into SLACK_CHANNEL_ID: open the channel's details in Slack, the id is at the bottom and begins with C"
	fixInvite   = "write \"/invite\" and the app's name in the channel"
	fixScope    = "open your app at https://api.slack.com/apps, add the scope under OAuth & Permissions and install the app anew"
)

var errBase = &chat.Misconfigured{Problem: "the address of Slack's Web API is not one",
	Fix: "write SLACK_API_URL like https://slack-gov.com/api, or leave it out"}

// Receiving returns how events are received, socket or webhook, and the problem with
// that or the channel, nil for none. The way is "" before Run chose.
func (b *Bridge) Receiving() (way string, problem error) {
	way, problem = b.receiver.receiving()
	_, watched := b.checker.watched.Get()
	return way, cmp.Or(problem, watched, b.receiver.gaps.trouble())
}

// Do implements [chat.Bridge].
func (b *Bridge) Do(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	me, err := b.client.identify(ctx)
	if err != nil {
		return "", err
	}
	switch op.Kind {
	case chat.OpOpen:
		return b.threads.open(ctx, op)
	case chat.OpPost, chat.OpNote:
		remote, err = b.writer.post(ctx, me, th, op)
	case chat.OpEdit:
		remote, err = b.writer.edit(ctx, me, th, op)
	case chat.OpDelete:
		err = b.client.delete(ctx, op.Remote)
		if err == nil || errors.Is(err, chat.ErrMessageGone) || errors.Is(err, chat.ErrMessageStays) {
			b.writer.requote(ctx, th, op.Remote, "")
		}
	case chat.OpReact:
		err = b.writer.react(ctx, me, op)
	case chat.OpClose, chat.OpReopen:
		err = b.threads.markClosed(ctx, th, op.Kind == chat.OpClose)
	case chat.OpTyping: // Slack has no typing indicator for apps
	default:
		err = fmt.Errorf("%w: Slack has no op %d", chat.ErrPermanent, op.Kind)
	}
	if errors.Is(err, chat.ErrThreadGone) {
		b.threads.known.Forget(th.Ref)
	}
	return remote, err
}
