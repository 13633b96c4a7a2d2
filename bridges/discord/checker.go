package discord

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// checker checks the bot, its permissions and its reception.
type checker struct {
	log      *slog.Logger
	client   *client
	receiver *receiver
	beside   bool // another bridge's connection serves the channel, and that one checks it
	// watched is the problem that Watch found.
	watched reception.Status
}

// Check implements [chat.Bridge]. It runs the checks in order and stops at the
// first failure that the others depend on.
func (c *checker) Check(ctx context.Context) []chat.Finding {
	run := &checking{checker: c}
	found := reception.RunChecks(ctx, run.token, run.channel, run.rights, reception.Beside(c.beside, run.intent),
		reception.Beside(c.beside, run.commands), reception.Beside(c.beside, run.reception))
	if c.watched.Failing() || chat.Failed(found) { // the state changed since Watch last checked
		c.checkSetup(ctx)
	}
	return found
}

// application is the bot's application.
type application struct {
	ID        string `json:"id"`
	Flags     int    `json:"flags"`
	VerifyKey string `json:"verify_key"`
	Endpoint  string `json:"interactions_endpoint_url"`
}

// Flags of an application whose bot may read messages (Discord, "Application
// Flags"): with review, or without because it is small.
const mayRead = 1<<18 | 1<<19

// checking is one run of the checks; each adds what the later ones need.
type checking struct {
	*checker
	app application
	at  *channel
	err error // the last failure
}

func (c *checking) token(ctx context.Context) (chat.Finding, bool) {
	me := new(identity)
	if err := c.client.get(ctx, "/users/@me", me); err != nil {
		return c.failed("bot token", err), false
	}
	if err := c.client.get(ctx, "/applications/@me", &c.app); err != nil {
		return c.failed("bot token", err), false
	}
	if c.beside {
		return chat.Finding{}, true
	}
	return chat.Fine("bot token", fmt.Sprintf("the bot is %s; its invite link is %s", me.Name, inviteLink(c.app.ID))), true
}

func (c *checking) channel(ctx context.Context) (chat.Finding, bool) {
	const subject = "channel"
	at, err := c.client.fetchChannel(ctx) // not homeChannel, whose lock would delay sending
	c.client.place.put(at)
	if err != nil {
		f := c.failed(subject, err)
		f.Fix += "; the invite link is " + inviteLink(c.app.ID)
		return f, false
	}
	c.at = at
	kind := "text"
	if at.forum() {
		kind = "forum"
	}
	return chat.Fine(subject, fmt.Sprintf("#%s is a %s channel", at.Name, kind)), true
}

func (c *checking) rights(ctx context.Context) (chat.Finding, bool) {
	const subject = "permissions"
	roles, has, me, err := c.client.membership(ctx, c.at.Guild)
	if err != nil {
		return c.failed(subject, err), true
	}
	may := permissions(c.at, roles, me, has)
	if f := findMissing(subject, may, inviteLink(c.app.ID)); f.Level == chat.FindingFail || may&discordgo.PermissionManageThreads != 0 || !c.at.moderated() {
		return f, true
	}
	return chat.Bad(subject, "the forum requires a tag on every post, and only moderators may use its tags",
		"create a tag that everybody may use in the forum's settings, or give the bot the permission Manage Threads"), true
}

// findMissing reports missing permissions and what does not work without them.
func findMissing(subject string, may int64, link string) chat.Finding {
	var missing, without []string
	for _, r := range rights {
		switch {
		case may&r.bit != 0:
		case r.optional == "":
			missing = append(missing, r.name)
		default:
			without = append(without, r.name+" ("+r.optional+")")
		}
	}
	fix := "invite the bot again by " + link + ", and check that the channel's own permissions do not deny any of them"
	switch {
	case len(missing) > 0:
		return chat.Bad(subject, "the bot lacks in the channel: "+strings.Join(missing, ", "), fix)
	case len(without) > 0:
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: "the bot lacks in the channel: " + strings.Join(without, ", "), Fix: fix}
	}
	return chat.Fine(subject, "the bot has all the permissions it needs")
}

func (c *checking) intent(context.Context) (chat.Finding, bool) {
	const subject = "message content"
	if !c.client.cfg.Gateway {
		return chat.Finding{}, true
	}
	if c.app.Flags&mayRead == 0 {
		return chat.Bad(subject, "the bot may not read what operators write", fixIntent), true
	}
	return chat.Fine(subject, "the bot may read what operators write"), true
}

// commands checks how slash commands are received.
func (c *checking) commands(context.Context) (chat.Finding, bool) {
	const subject = "slash commands"
	switch {
	case c.receiver.key == nil && c.app.Endpoint == "":
		return chat.Finding{}, true
	case c.receiver.key == nil:
		return chat.Bad(subject, "Discord pushes slash commands to an address, but relay has no key to verify them",
			"set DISCORD_PUBLIC_KEY to "+c.app.VerifyKey+", or remove the Interactions Endpoint URL at "+portal), true
	case c.app.VerifyKey != "" && !strings.EqualFold(c.app.VerifyKey, hex.EncodeToString(c.receiver.key)):
		return chat.Bad(subject, "the public key belongs to another application", "set DISCORD_PUBLIC_KEY to "+c.app.VerifyKey), true
	case c.app.Endpoint == "" && !c.client.cfg.Gateway:
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: "Discord does not know where to push slash commands",
			Fix: "at " + portal + ", under General Information, set Interactions Endpoint URL to relay's address with /webhooks/discord (bridge mode) or /api/webhooks/discord"}, true
	case c.app.Endpoint == "":
		return chat.Fine(subject, "they arrive over the gateway"), true
	}
	return chat.Fine(subject, "Discord pushes them to your address"), true
}

func (c *checking) reception(ctx context.Context) (chat.Finding, bool) {
	const subject = "reception"
	if !c.client.cfg.Gateway {
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: "the gateway is off: relay sends to Discord, but receives no answers from operators there", Fix: fixGateway}, true
	}
	if way, problem := c.receiver.status.Get(); way == wayGateway && problem != nil {
		return chat.CallFailed(subject, "Discord", problem), true
	}
	if waits := c.receiver.delays.trouble(); waits != nil {
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: waits.Error(), Fix: "relay keeps retrying; if this lasts, check that the bot may still read these threads"}, true
	}
	var gateway struct {
		Starts struct {
			Left  int   `json:"remaining"`
			After int64 `json:"reset_after"`
		} `json:"session_start_limit"`
	}
	if err := c.client.get(ctx, "/gateway/bot", &gateway); err != nil {
		return c.failed(subject, err), true
	}
	if gateway.Starts.Left == 0 && gateway.Starts.After > 0 {
		return chat.Bad(subject, "the bot has used up its gateway connections for today",
			"find out which other program uses this token; it may connect again in "+(time.Duration(gateway.Starts.After)*time.Millisecond).Round(time.Minute).String()), true
	}
	return chat.Fine(subject, "operators' answers arrive over the gateway"), true
}

// failed turns an error into a finding and remembers it.
func (c *checking) failed(subject string, err error) chat.Finding {
	c.err = finalError(err)
	return chat.CallFailed(subject, "Discord", c.err)
}

// Watch checks the bot's channel and permissions until ctx ends: Discord does not
// report when they are wrong.
func (c *checker) Watch(ctx context.Context) { reception.Watch(ctx, nil, c.checkSetup) }

// checkSetup stores the problem that an operator has to fix, and reports whether there is
// one. A check that fails otherwise changes nothing, nor does what Run reports.
func (c *checker) checkSetup(ctx context.Context) (failing bool) {
	run := &checking{checker: c}
	wrong := reception.Fault(ctx, run.token, run.channel, run.rights, reception.Beside(c.beside, run.commands))
	var misconfigured *chat.Misconfigured
	switch {
	case errors.Is(run.err, errToken) && c.client.cfg.Gateway, run.err != nil && !errors.As(run.err, &misconfigured):
	case c.watched.Note(c.log, wrong, "the channel and the bot's permissions work again"):
		c.client.offerCommands(ctx) // which failed before
	}
	return c.watched.Failing()
}

// Try posts a message and deletes it. In a forum it posts nothing: the bot could not remove the post.
func (c *checker) Try(ctx context.Context) error {
	at, err := c.client.homeChannel(ctx)
	switch {
	case err != nil:
		return err
	case at.forum():
		return chat.ErrNoTrial
	}
	var made struct{ ID string }
	body := map[string]any{"content": "relay: test", "allowed_mentions": noMentions}
	if err := c.client.call(ctx, request{http.MethodPost, path("/channels/%s/messages", at.ID), body, false}, &made); err != nil {
		return finalError(err)
	}
	return finalError(c.client.call(ctx, request{http.MethodDelete, path("/channels/%s/messages/%s", at.ID, made.ID), nil, true}, nil))
}
