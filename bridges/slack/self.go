package slack

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/server/chat"
)

// self is the bot's identity and scopes, from auth.test.
type self struct {
	user, bot  string // ids
	name, team string
	address    string // of the workspace
	home       home
	scopes     []string
	asked      time.Time
}

// Scopes that the bridge requires, and those that each enable a feature.
const (
	scopeUpload = "files:write"
	scopeReact  = "reactions:write"
	scopeNames  = "chat:write.customize"
	scopeJoin   = "channels:join"
)

var neededScopes = []string{"chat:write", "channels:history", "channels:read", "users:read", "files:read"}

// may reports whether a scope is or may be granted: a server that does not return the
// app's scopes rejects the calls that lack one.
func (s *self) may(scope string) bool { return s != nil && (!s.known() || s.has(scope)) }

// has reports whether a scope is known to be granted.
func (s *self) has(scope string) bool { return s != nil && slices.Contains(s.scopes, scope) }

// known reports whether the app's scopes are known.
func (s *self) known() bool { return len(s.scopes) > 0 }

// selfAge is how long the response of auth.test is used: the app may get further scopes
// with the same token.
const selfAge = 10 * time.Minute

// identify returns the bot's identity, fetched if it is unknown or old. If that fails, an
// old one is returned.
func (c *client) identify(ctx context.Context) (*self, error) {
	known := c.self.Load()
	if known != nil && time.Since(known.asked) < selfAge {
		return known, nil
	}
	now, err := c.fetchIdentity(ctx)
	var wrong *chat.Misconfigured
	if err != nil && known != nil && !errors.As(err, &wrong) {
		return known, nil
	}
	return now, err
}

// fetchIdentity fetches the bot's identity.
func (c *client) fetchIdentity(ctx context.Context) (*self, error) {
	var answer *slack.AuthTestResponse
	err := c.call(ctx, "auth.test", true, func(ctx context.Context) (err error) {
		answer, err = c.api.AuthTestContext(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	now := &self{user: answer.UserID, bot: answer.BotID, name: answer.User, team: answer.Team, address: answer.URL,
		home: home{answer.TeamID, answer.EnterpriseID}, scopes: scopesOf(answer.Header), asked: time.Now()}
	c.self.Store(now)
	return now, nil
}

// scopesOf returns the scopes in a response of the Web API.
func scopesOf(h http.Header) []string {
	return strings.FieldsFunc(h.Get("X-Oauth-Scopes"), func(r rune) bool { return r == ',' || r == ' ' })
}

// readScopes stores the scopes that a response lists.
func (c *client) readScopes(method string, h http.Header) {
	scopes, known := scopesOf(h), c.self.Load()
	if method == methodSocket || known == nil || len(scopes) == 0 || slices.Equal(scopes, known.scopes) {
		return
	}
	now := *known
	now.scopes = scopes
	c.self.CompareAndSwap(known, &now)
}

// own reports whether the bot posted a message.
func (s *self) own(m *slack.Message) bool {
	return s != nil && (s.bot != "" && m.BotID == s.bot || s.user != "" && m.User == s.user)
}

// reacted reports whether the bot reacted to a message.
func (s *self) reacted(m *slack.Message) bool {
	return s != nil && s.user != "" && slices.ContainsFunc(m.Reactions, func(r slack.ItemReaction) bool { return slices.Contains(r.Users, s.user) })
}

// channel asks for a channel.
func (c *client) channel(ctx context.Context, id string) (ch *slack.Channel, err error) {
	err = c.call(ctx, "conversations.info", true, func(ctx context.Context) (err error) {
		ch, err = c.api.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{ChannelID: id})
		return err
	})
	return ch, err
}
