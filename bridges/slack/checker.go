package slack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// checker checks the app, its channel and its reception.
type checker struct {
	client   *client
	receiver *receiver
	beside   bool // another bridge's connection serves the channel, and that one checks it
	// watched is the problem that Watch found.
	watched reception.Status
}

// Check implements [chat.Bridge]. It runs the checks in order and stops at the first
// failure that the others depend on.
func (c *checker) Check(ctx context.Context) (found []chat.Finding) {
	run := &checking{checker: c}
	found = reception.RunChecks(ctx, reception.Beside(c.beside, run.token), reception.Beside(c.beside, run.scopes), run.channel, reception.Beside(c.beside, run.reception))
	if c.watched.Failing() || chat.Failed(found) { // the state changed since Watch last checked
		c.checkSetup(ctx)
	}
	return found
}

// checking is one Check.
type checking struct {
	*checker
	err error // of the last check
}

func (c *checking) token(ctx context.Context) (chat.Finding, bool) {
	const subject = "bot token"
	me, err := c.client.fetchIdentity(ctx)
	switch {
	case err != nil:
		return c.failed(subject, err), false
	case me.bot == "":
		return chat.Bad(subject, "the token is that of a person", fixToken), false
	}
	return chat.Fine(subject, fmt.Sprintf("the app is @%s in the workspace %q", me.name, me.team)), true
}

func (c *checking) scopes(context.Context) (chat.Finding, bool) {
	const subject = "scopes"
	me := c.client.self.Load()
	var lacks, without []string
	for _, scope := range neededScopes {
		if !me.may(scope) && !me.may(strings.Replace(scope, "channels:", "groups:", 1)) {
			lacks = append(lacks, scope)
		}
	}
	for _, more := range [][2]string{{scopeUpload, "visitors' files as files"}, {scopeReact, "receipts"}, {scopeNames, "names of operators elsewhere as authors"}} {
		if !me.may(more[0]) {
			without = append(without, more[1]+" ("+more[0]+")")
		}
	}
	switch {
	case len(me.scopes) == 0:
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: "the server does not report the app's scopes, so missing ones are unknown",
			Fix: "compare the app's scopes with those that relay manifest prints"}, true
	case len(lacks) > 0:
		return chat.Bad(subject, "the app lacks "+strings.Join(lacks, ", "), fixScope+".\n"+c.fixManifest()), true
	case len(without) > 0:
		return chat.Fine(subject, "the app has what it needs; further scopes would bring "+strings.Join(without, ", ")), true
	}
	return chat.Fine(subject, "the app has all"), true
}

func (c *checking) channel(ctx context.Context) (chat.Finding, bool) {
	const subject = "channel"
	if _, err := c.client.identify(ctx); err != nil {
		return c.failed(subject, err), false
	}
	ch, err := c.client.channel(ctx, c.client.cfg.ChannelID)
	switch {
	case err != nil:
		return c.failed(subject, err), true
	case ch.IsArchived:
		return chat.Bad(subject, "the channel #"+ch.Name+" is archived", "unarchive it in Slack, or take another one for SLACK_CHANNEL_ID"), true
	case !ch.IsMember && ch.IsPrivate, !ch.IsMember && !c.client.self.Load().has(scopeJoin):
		return chat.Bad(subject, "the app is not in the channel #"+ch.Name, fixInvite), true
	case !ch.IsMember:
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: "the app is not in the channel #" + ch.Name + "; it joins with the first conversation",
			Fix: fixInvite}, true
	case ch.IsPrivate && !c.client.self.Load().may("groups:history"):
		return chat.Bad(subject, "the channel #"+ch.Name+" is private, and the app may not read it", "add the scopes groups:history and groups:read and the event message.groups: "+fixScope), true
	}
	return chat.Fine(subject, "the app is in #"+ch.Name), true
}

func (c *checking) reception(ctx context.Context) (chat.Finding, bool) {
	const subject = "reception"
	_, problem := c.receiver.receiving()
	switch {
	case problem != nil:
		return chat.CallFailed(subject, "Slack", problem), false
	case c.client.cfg.AppToken != "":
		err := c.client.call(ctx, methodSocket, true, func(ctx context.Context) error {
			_, _, err := c.client.api.StartSocketModeContext(ctx)
			return err
		})
		if err != nil {
			return c.failed(subject, err), false
		}
		return chat.Fine(subject, "Slack hands events over Socket Mode"), false
	case c.client.cfg.SigningSecret == "":
		return chat.Bad(subject, errNotReceiving.Problem, errNotReceiving.Fix+".\n"+c.fixManifest()), false
	case c.client.cfg.PublicURL == "":
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: "Slack has to push events, but relay knows no public address of its own",
			Fix: "set PUBLIC_URL; or set SLACK_APP_TOKEN, and no address is needed"}, false
	case !strings.HasPrefix(c.client.cfg.PublicURL, "https://"):
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: "Slack pushes events by HTTPS only, and PUBLIC_URL is none",
			Fix: "set a PUBLIC_URL that begins with https://; or set SLACK_APP_TOKEN, and no address is needed"}, false
	}
	return chat.Fine(subject, "Slack pushes events to "+c.client.cfg.PublicURL+": that has to be the app's Request URL, under Event Subscriptions"), false
}

// fixManifest explains how to set the app up at once.
func (c *checker) fixManifest() string {
	url := c.client.cfg.PublicURL
	if c.client.cfg.AppToken != "" {
		url = ""
	}
	return "The app as it should be: open it at https://api.slack.com/apps, put this under App Manifest, save, and install the app anew:\n" + Manifest(url)
}

// failed returns the finding of an error.
func (c *checking) failed(subject string, err error) chat.Finding {
	c.err = err
	return chat.CallFailed(subject, "Slack", err)
}

// Watch checks the app's scopes and its channel until ctx ends: Slack does not
// report that the app is not in it. With a webhook it also fills gaps, because Run
// returns at once.
func (c *checker) Watch(ctx context.Context) {
	var filling sync.WaitGroup
	defer filling.Wait()
	if c.client.cfg.AppToken == "" {
		filling.Go(func() { c.receiver.fillGaps(ctx) })
		filling.Go(func() { c.receiver.lookBack(ctx) })
	}
	reception.Watch(ctx, nil, c.checkSetup)
}

// checkSetup stores the problem that an operator has to fix, and reports whether there is
// one. A check that fails otherwise changes nothing, nor does what Run reports.
func (c *checker) checkSetup(ctx context.Context) (failing bool) {
	run := &checking{checker: c}
	wrong := reception.Fault(ctx, reception.Beside(c.beside, run.token), reception.Beside(c.beside, run.scopes), run.channel)
	way, problem := c.receiver.receiving()
	reported := errors.Is(run.err, errToken) && (way == "" || problem != nil)
	var misconfigured *chat.Misconfigured
	if !reported && (run.err == nil || errors.As(run.err, &misconfigured)) {
		c.watched.Note(c.client.log, wrong, "the app's scopes and its channel work again")
	}
	return c.watched.Failing()
}

// Try posts a message and deletes it.
func (c *checker) Try(ctx context.Context) error {
	m, err := c.client.postAside(ctx, "relay: test")
	if err != nil {
		return err
	}
	err = c.client.call(ctx, "chat.delete", true, func(ctx context.Context) error {
		_, _, err := c.client.api.DeleteMessageContext(ctx, c.client.cfg.ChannelID, m.Timestamp)
		return err
	})
	if errors.Is(err, chat.ErrMessageGone) {
		return nil
	}
	return err
}
