// Package discord is the bridge to Discord: a thread per session in a text or
// forum channel. It imports package chat, discordgo for the gateway, and
// gorilla/websocket for the gateway's close codes.
//
// discordgo is used for the connection only: its typed events may be empty, its
// reconnection ignores why the gateway closed, and its calls buffer whole files and
// sleep without a context. See Run, client and event.
package discord

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges/cache"
	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// Name is the bridge's name.
const Name = "discord"

// Config holds a bridge's settings.
type Config struct {
	Token     string // of the bot, from the developer portal
	ChannelID string // of the text or forum channel
	// Gateway is whether operators' answers are received. Without it the bridge
	// only sends.
	Gateway bool
	// PublicKey is the application's, in hex. Without it Webhook rejects everything.
	PublicKey string
	// APIURL is another base address of the REST API; "" is Discord's own. The
	// gateway's address comes from its GET /gateway/bot.
	APIURL string
	// CatchUp is how far before the bridge's start the first connection reads
	// operators' messages. The engine must recognise those it received already.
	CatchUp time.Duration
	// Forgets says that a restart forgets which messages were received: the first
	// connection reads only what stands behind the bridge's own last post of a thread.
	Forgets bool
	// Transport carries the calls and Dial opens the gateway's connection; nil are
	// the bridge's own.
	Transport http.RoundTripper
	Dial      func(ctx context.Context, network, address string) (net.Conn, error)
	Log       *slog.Logger

	// ConnectTimeout bounds the start of a gateway connection, ReadTimeout is how
	// long the gateway may be silent, and Pause how long to wait after the n-th
	// failure in a row. Zero values are those for Discord's own.
	ConnectTimeout, ReadTimeout time.Duration
	Pause                       func(n int) time.Duration
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
	_ chat.Finder       = (*Bridge)(nil)
	_ chat.Stander      = (*Bridge)(nil)
	_ chat.ThreadEraser = (*Bridge)(nil)
)

var (
	isToken     = chat.Pattern(`[A-Za-z0-9._-]{20,}`)
	isSnowflake = chat.Pattern(snowflake)
)

// snowflake is the pattern of Discord's ids.
const snowflake = `[1-9][0-9]{0,19}`

// New returns a bridge, without any call. The error is a [chat.Misconfigured] and
// holds no secret.
func New(cfg Config) (*Bridge, error) {
	cfg.Token = strings.TrimPrefix(strings.TrimSpace(cfg.Token), "Bot ")
	if !isToken(cfg.Token) {
		return nil, &chat.Misconfigured{Problem: "the bot token is not one of Discord's", Fix: fixToken}
	}
	if err := checkChannel(&cfg); err != nil {
		return nil, err
	}
	key, err := parseKey(cfg.PublicKey)
	if err != nil {
		return nil, err
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.ConnectTimeout <= 0 {
		cfg.ConnectTimeout = 30 * time.Second
	}
	if cfg.ReadTimeout <= 0 { // a heartbeat is due every 41 s, and each is answered
		cfg.ReadTimeout = 100 * time.Second
	}
	if cfg.Pause == nil {
		cfg.Pause = gatewayPause
	}
	c, err := newClient(cfg)
	if err != nil {
		return nil, err
	}
	return assemble(cfg, c, key, new(reception.Status)), nil
}

// checkChannel trims the channel's id and refuses what is none.
func checkChannel(cfg *Config) error {
	if cfg.ChannelID = strings.TrimSpace(cfg.ChannelID); !isSnowflake(cfg.ChannelID) {
		return &chat.Misconfigured{Problem: "the channel id is not one of Discord's", Fix: fixChannel}
	}
	return nil
}

// assemble makes the bridge of a client.
func assemble(cfg Config, c *client, key ed25519.PublicKey, status *reception.Status) *Bridge {
	t := &threads{client: c, log: c.log, known: newRegistry(), starts: cache.New[string](maxSent)}
	in := &inbox{cfg: cfg, log: c.log, client: c, known: t.known}
	missed := &reader{cfg: cfg, begun: time.Now(), client: c, threads: t, inbox: in, readers: make(chan struct{}, maxReaders)}
	r := &receiver{cfg: cfg, log: c.log, key: key, client: c, threads: t, inbox: in, reader: missed, status: status}
	r.add(r)
	return &Bridge{client: c, threads: t, writer: &writer{log: c.log, client: c, threads: t, sent: newSent(), typed: cache.New[time.Time](1000)},
		receiver: r, checker: &checker{log: c.log, client: c, receiver: r}}
}

// parseKey reads the application's public key (Discord, "Interactions
// endpoint"): 32 bytes in hex.
func parseKey(text string) (ed25519.PublicKey, error) {
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, &chat.Misconfigured{Problem: "the public key is not one of Discord's", Fix: fixKey}
	}
	return key, nil
}

// Name implements [chat.Bridge].
func (b *Bridge) Name() string { return Name }

// Limits implements [chat.Bridge]. Discord limits by thread, so threads need not
// wait for each other. Messages that waited for Discord are sent together.
func (b *Bridge) Limits() chat.Limits {
	return chat.Limits{Parallel: 8, Coalesce: true, Timeout: uploadTimeout + 3*callTimeout, Short: "dc"}
}

// Time limits of calls.
const (
	callTimeout   = 15 * time.Second
	uploadTimeout = 2 * time.Minute
)

// Fixes of the most frequent faults.
const (
	portal     = "https://discord.com/developers/applications"
	fixToken   = "at " + portal + ", under Bot, press Reset Token and copy the new token into DISCORD_BOT_TOKEN"
	fixChannel = "in Discord's settings, under Advanced, switch on Developer Mode; then right-click the channel, press Copy Channel ID, and put it into DISCORD_CHANNEL_ID"
	fixMember  = "invite the bot to your server by the link that `relay doctor` prints, and let it see the channel"
	fixRights  = "invite the bot again by the link that `relay doctor` prints, and check that the channel's own permissions do not deny any of them"
	fixIntent  = "at " + portal + ", under Bot, switch on Message Content Intent"
	fixKey     = "copy the Public Key from " + portal + ", under General Information, into DISCORD_PUBLIC_KEY; it is 64 hexadecimal digits"
)

var errBase = &chat.Misconfigured{Problem: "the address of Discord's API is not one",
	Fix: "write DISCORD_API_URL like http://localhost:8082/api/v10, or leave it out"}

// Do implements [chat.Bridge].
func (b *Bridge) Do(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	if op.Kind == chat.OpOpen {
		return b.threads.open(ctx, op)
	}
	if !isSnowflake(th.Ref) {
		return "", fmt.Errorf("%w: %q is no thread", chat.ErrThreadGone, th.Ref)
	}
	switch op.Kind {
	case chat.OpPost, chat.OpNote:
		remote, err = b.writer.post(ctx, th.Ref, th.State, op)
	case chat.OpEdit:
		remote, err = b.writer.edit(ctx, th, op)
	case chat.OpDelete:
		err = b.writer.delete(ctx, th.Ref, op)
	case chat.OpReact:
		err = b.writer.react(ctx, th.Ref, op)
	case chat.OpClose:
		err = b.threads.close(ctx, th.Ref)
	case chat.OpReopen:
		err = b.threads.reopen(ctx, th.Ref)
	case chat.OpTyping:
		b.writer.typing(ctx, th.Ref)
	default:
		err = fmt.Errorf("%w: Discord has no op %d", chat.ErrPermanent, op.Kind)
	}
	if errors.Is(err, chat.ErrThreadGone) {
		err = b.threads.gone(ctx, th.Ref, err)
	}
	return remote, finalError(err)
}

// Receiving returns how updates are received and the problem with that or the
// channel, nil for none. The way is "" before Run chose. A gateway that is switched
// off is no problem.
func (b *Bridge) Receiving() (way string, problem error) {
	way, problem = b.receiver.status.Get()
	_, watched := b.checker.watched.Get()
	return way, cmp.Or(problem, watched, b.receiver.delays.trouble())
}
