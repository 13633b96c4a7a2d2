package slack

import (
	"context"
	"encoding/json"
	"net/url"
	"sort"
	"strings"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/server/chat"
)

// Setup connects an app whose channel is not known yet.
type Setup struct{ bridge *Bridge }

// NewSetup returns the set-up of the tokens, without any call.
func NewSetup(cfg Config) (*Setup, error) {
	cfg.ChannelID = placeholder // until a channel is chosen
	b, err := New(cfg)
	if err != nil {
		return nil, err
	}
	return &Setup{b}, nil
}

const placeholder = "C0"

// Bot checks the tokens and the scopes and returns the app's name.
func (s *Setup) Bot(ctx context.Context) (name, link string, found []chat.Finding) {
	c := &checking{checker: s.bridge.checker}
	token, goOn := c.token(ctx)
	if !goOn {
		return "", "", []chat.Finding{token}
	}
	scopes, _ := c.scopes(ctx)
	found = append(found, token, scopes)
	if s.bridge.client.cfg.AppToken != "" {
		f, _ := c.reception(ctx)
		found = append(found, f)
	}
	me := s.bridge.client.self.Load()
	return "@" + me.name + " in " + me.team, "", found
}

// maxChannelPages bounds the list of channels, 200 to a page.
const maxChannelPages = 10

// Places returns the channels that the app can see.
func (s *Setup) Places(ctx context.Context) (list []chat.Place, err error) {
	types := []string{"public_channel"}
	if s.bridge.client.self.Load().may("groups:read") {
		types = append(types, "private_channel")
	}
	for cursor, n := "", 0; n < maxChannelPages; n++ {
		q := &slack.GetConversationsParameters{Cursor: cursor, ExcludeArchived: true, Limit: 200, Types: types}
		var channels []slack.Channel
		err := s.bridge.client.call(ctx, "conversations.list", true, func(ctx context.Context) (err error) {
			channels, cursor, err = s.bridge.client.api.GetConversationsContext(ctx, q)
			return err
		})
		if err != nil {
			return nil, err
		}
		for i := range channels {
			list = append(list, s.place(&channels[i]))
		}
		if cursor == "" {
			break
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list, nil
}

func (s *Setup) place(ch *slack.Channel) chat.Place {
	p := chat.Place{ID: ch.ID, Name: "#" + ch.Name}
	if !ch.IsMember && (ch.IsPrivate || !s.bridge.client.self.Load().may(scopeJoin)) {
		p.Problem, p.Fix = "the app is not in the channel", fixInvite
	}
	return p
}

// At asks for a channel's name. Its link is that of the workspace's archives, which opens the app.
func (s *Setup) At(ctx context.Context, id string) (p chat.Place, err error) {
	me, err := s.bridge.client.identify(ctx)
	if err != nil {
		return p, err
	}
	ch, err := s.bridge.client.channel(ctx, id)
	if err != nil {
		return p, err
	}
	p = chat.Place{ID: id, Name: "#" + ch.Name}
	if strings.HasPrefix(me.address, "https://") {
		p.Link = strings.TrimSuffix(me.address, "/") + "/archives/" + url.PathEscape(id)
	}
	return p, nil
}

// Enter joins a public channel.
func (s *Setup) Enter(ctx context.Context, id string) error {
	b, err := New(slackConfig(s.bridge.client.cfg, id))
	if err != nil {
		return err
	}
	b.client.self.Store(s.bridge.client.self.Load())
	if found, _ := (&checking{checker: b.checker}).channel(ctx); found.Level == chat.FindingOK {
		return nil
	}
	if !b.client.join(ctx) {
		return &chat.Misconfigured{Problem: "the app could not join the channel", Fix: fixInvite}
	}
	return nil
}

func slackConfig(cfg Config, channel string) Config {
	cfg.ChannelID = channel
	return cfg
}

// AppLink returns the address at which Slack makes an app of the manifest
// (https://docs.slack.dev/app-manifests/configuring-apps-with-app-manifests).
func AppLink(requestURL string) string {
	text, _ := json.Marshal(manifest(requestURL)) // always succeeds
	return "https://api.slack.com/apps?new_app=1&manifest_json=" + url.QueryEscape(string(text))
}
