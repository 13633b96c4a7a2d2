package telegram

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/server/chat"
)

// Setup connects a bot whose group is not known yet. It finds the groups by the
// updates that Telegram keeps for the bot.
type Setup struct {
	bridge *Bridge
	groups groups
}

// NewSetup returns the set-up of a token, without any call.
func NewSetup(cfg Config) (*Setup, error) {
	cfg.ChatID = "1" // until a group is looked at
	b, err := New(cfg)
	if err != nil {
		return nil, err
	}
	return &Setup{bridge: b}, nil
}

// Bot checks the token and returns the bot's name and the link that adds it to a
// group with the rights that it needs (Telegram, "Deep links").
func (s *Setup) Bot(ctx context.Context) (name, link string, found []chat.Finding) {
	f, _ := s.bridge.checker.checkToken(ctx)
	if user := s.bridge.client.username.Load(); user != nil {
		name, link = "@"+*user, "https://t.me/"+*user+"?startgroup=relay&admin=manage_topics+delete_messages+pin_messages"
	}
	return name, link, []chat.Finding{f}
}

// Places returns the groups that the bot was added to, each with what it lacks.
func (s *Setup) Places(ctx context.Context) (list []chat.Place, err error) {
	if err := s.findGroups(ctx); err != nil {
		return nil, err
	}
	return s.bridge.client.places(ctx, &s.groups), nil
}

// At asks for a group's title. Links of groups are those of "Deep links": a public one has its name,
// and a private one opens at its first topic, General.
func (s *Setup) At(ctx context.Context, id string) (p chat.Place, err error) {
	group, err := parseGroup(id)
	if err != nil {
		return p, err
	}
	found, err := s.bridge.client.bot.GetChatWithContext(ctx, group, &gotgbot.GetChatOpts{RequestOpts: within(callTimeout)})
	if err != nil {
		return p, translate(err, true)
	}
	address := "c/" + strings.TrimPrefix(id, "-100") + "/1"
	if found.Username != "" {
		address = url.PathEscape(found.Username)
	}
	return chat.Place{ID: id, Name: found.Title, Link: "https://t.me/" + address}, nil
}

// Enter does nothing: the bot is in its groups already.
func (s *Setup) Enter(context.Context, string) error { return nil }

// latest makes Telegram return the last hundred updates, and forget earlier ones
// (Bot API, "getUpdates"): nobody waits for those of a bot without a group.
const latest = -100

// findGroups reads which groups the bot is in. Nothing is confirmed, so that the bridge
// receives the updates, too.
func (s *Setup) findGroups(ctx context.Context) error {
	if err := s.freeUpdates(ctx); err != nil {
		return err
	}
	params := map[string]any{"offset": latest, "timeout": 0, "allowed_updates": allowedUpdates}
	answer, err := s.bridge.client.bot.RequestWithContext(ctx, "getUpdates", params, within(callTimeout))
	if err != nil {
		return translate(err, true)
	}
	var updates []groupUpdate
	if err := json.Unmarshal(answer, &updates); err != nil {
		return err
	}
	for _, u := range updates {
		s.groups.learn(u)
	}
	return nil
}

// freeUpdates removes a webhook that an earlier relay set: Telegram does not answer
// getUpdates beside one.
func (s *Setup) freeUpdates(ctx context.Context) error {
	info, err := s.bridge.client.bot.GetWebhookInfoWithContext(ctx, nil)
	if err != nil {
		return translate(err, true)
	}
	if !endsInRoute(info.Url) {
		return nil
	}
	return s.bridge.receiver.deleteWebhook(ctx)
}

// trialName is the name of a topic that is there for a moment.
const trialName = "relay: test"

// Try creates a topic and deletes it.
func (t *threads) Try(ctx context.Context) error {
	topic, err := t.createTopic(ctx, trialName)
	if err != nil {
		return err
	}
	if _, err := t.client.bot.DeleteForumTopicWithContext(ctx, t.client.group.Load(), topic, nil); err != nil {
		return translate(err, true)
	}
	return nil
}
