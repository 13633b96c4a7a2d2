package slack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"relay/server/chat"
)

// Check implements [chat.Bridge]. It looks at one thing after the other and
// stops at the first that the others need.
func (b *Bridge) Check(ctx context.Context) (found []chat.Finding) {
	for _, look := range []func(context.Context) (f chat.Finding, goOn bool){b.checkToken, b.checkScopes, b.checkChannel, b.checkReception} {
		begun := time.Now()
		f, goOn := look(ctx)
		f.Took = time.Since(begun)
		found = append(found, f)
		if !goOn {
			break
		}
	}
	return found
}

func (b *Bridge) checkToken(ctx context.Context) (chat.Finding, bool) {
	const subject = "bot token"
	me, err := b.know(ctx)
	switch {
	case err != nil:
		return failed(subject, err), false
	case me.bot == "":
		return chat.Bad(subject, "the token is that of a person", fixToken), false
	}
	return chat.Fine(subject, fmt.Sprintf("the app is @%s in the workspace %q", me.name, me.team)), true
}

func (b *Bridge) checkScopes(context.Context) (chat.Finding, bool) {
	const subject = "scopes"
	me := b.self.Load()
	var lacks, without []string
	for _, scope := range neededScopes {
		if !me.may(scope) && !me.may(strings.Replace(scope, "channels:", "groups:", 1)) {
			lacks = append(lacks, scope)
		}
	}
	for _, more := range [][2]string{{scopeUpload, "visitors' files as files"}, {scopeReact, "receipts"}, {scopeNames, "names of other desks' operators as authors"}} {
		if !me.may(more[0]) {
			without = append(without, more[1]+" ("+more[0]+")")
		}
	}
	switch {
	case len(me.scopes) == 0:
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: "Slack does not tell the app's scopes", Fix: fixScope}, true
	case len(lacks) > 0:
		return chat.Bad(subject, "the app lacks "+strings.Join(lacks, ", "), b.fixManifest()), true
	case len(without) > 0:
		return chat.Fine(subject, "the app has what it needs; further scopes would bring "+strings.Join(without, ", ")), true
	}
	return chat.Fine(subject, "the app has all"), true
}

func (b *Bridge) checkChannel(ctx context.Context) (chat.Finding, bool) {
	const subject = "channel"
	var ch *slack.Channel
	err := b.call(ctx, "conversations.info", true, func(ctx context.Context) (err error) {
		ch, err = b.api.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{ChannelID: b.cfg.ChannelID})
		return err
	})
	switch {
	case err != nil:
		return failed(subject, err), true
	case ch.IsArchived:
		return chat.Bad(subject, "the channel #"+ch.Name+" is archived", "unarchive it in Slack, or take another one for SLACK_CHANNEL_ID"), true
	case !ch.IsMember && ch.IsPrivate, !ch.IsMember && !b.self.Load().may(scopeJoin):
		return chat.Bad(subject, "the app is not in the channel #"+ch.Name, fixInvite), true
	case !ch.IsMember:
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: "the app is not in the channel #" + ch.Name + "; it joins with the first session",
			Fix: fixInvite}, true
	case ch.IsPrivate && !b.self.Load().may("groups:history"):
		return chat.Bad(subject, "the channel #"+ch.Name+" is private, and the app may not read it", "add the scopes groups:history and groups:read and the event message.groups: "+fixScope), true
	}
	return chat.Fine(subject, "the app is in #"+ch.Name), true
}

func (b *Bridge) checkReception(ctx context.Context) (chat.Finding, bool) {
	const subject = "reception"
	_, problem := b.Receiving()
	switch {
	case problem != nil:
		return chat.Bad(subject, "events cannot be received: "+problem.Error(), "if this lasts, look at the other findings and at the network"), false
	case b.cfg.AppToken != "":
		err := b.call(ctx, methodSocket, true, func(ctx context.Context) error {
			_, _, err := b.api.StartSocketModeContext(ctx)
			return err
		})
		if err != nil {
			return failed(subject, err), false
		}
		return chat.Fine(subject, "Slack hands events over Socket Mode"), false
	case b.cfg.SigningSecret == "":
		return chat.Bad(subject, errDeaf.Problem, errDeaf.Fix+".\n"+b.fixManifest()), false
	case b.cfg.PublicURL == "":
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: "Slack has to push events, but relay knows no public address of its own",
			Fix: "set PUBLIC_URL; or set SLACK_APP_TOKEN, and no address is needed"}, false
	}
	return chat.Fine(subject, "Slack pushes events to "+b.cfg.PublicURL+": that has to be the app's Request URL, under Event Subscriptions"), false
}

// fixManifest tells how to set the app up at once.
func (b *Bridge) fixManifest() string {
	url := b.cfg.PublicURL
	if b.cfg.AppToken != "" {
		url = ""
	}
	return "open your app at https://api.slack.com/apps, put this under App Manifest, save, and install the app anew:\n" + Manifest(url)
}

// failed makes a finding of an error.
func failed(subject string, err error) chat.Finding {
	var human *chat.Misconfigured
	if errors.As(err, &human) {
		return chat.Bad(subject, human.Problem, human.Fix)
	}
	return chat.Bad(subject, "Slack could not be asked: "+err.Error(), "check the network of this machine, and SLACK_API_URL if you set it; then try again")
}
