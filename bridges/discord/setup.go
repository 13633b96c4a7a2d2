package discord

import (
	"context"
	"slices"
	"sort"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/server/chat"
)

// Setup connects a bot whose channel is not known yet.
type Setup struct{ bridge *Bridge }

// NewSetup returns the set-up of a token, without any call.
func NewSetup(cfg Config) (*Setup, error) {
	cfg.ChannelID, cfg.Gateway = "100000", true // until a channel is looked at
	b, err := New(cfg)
	if err != nil {
		return nil, err
	}
	return &Setup{b}, nil
}

// Bot checks the token and the Message Content intent and returns the bot's name and
// its invite link.
func (s *Setup) Bot(ctx context.Context) (name, link string, found []chat.Finding) {
	c := &checking{checker: s.bridge.checker}
	token, _ := c.token(ctx)
	if token.Level == chat.FindingFail {
		return "", "", []chat.Finding{token}
	}
	token.Text = "Discord accepts it"
	intent, _ := c.intent(ctx)
	me, err := c.client.me(ctx)
	if err != nil {
		return "", "", []chat.Finding{c.failed(token.Subject, err)}
	}
	return me.Name, inviteLink(c.app.ID), []chat.Finding{token, intent}
}

// maxServers bounds the servers whose channels are listed.
const maxServers = 20

// Places returns the text and forum channels of the bot's servers, each with the
// permissions that the bot lacks there.
func (s *Setup) Places(ctx context.Context) (list []chat.Place, err error) {
	servers, err := s.servers(ctx)
	if err != nil {
		return nil, err
	}
	for _, server := range servers[:min(len(servers), maxServers)] {
		channels, err := s.channels(ctx, server.ID)
		if err != nil {
			return nil, finalError(err)
		}
		for _, p := range channels {
			p.Within = server.Name
			list = append(list, p)
		}
	}
	return list, nil
}

type server struct{ ID, Name string }

// servers lists those that the bot is on.
func (s *Setup) servers(ctx context.Context) (list []server, err error) {
	if err := s.bridge.client.get(ctx, "/users/@me/guilds", &list); err != nil {
		return nil, finalError(err)
	}
	return list, nil
}

// At asks for a channel's name and that of its server.
func (s *Setup) At(ctx context.Context, id string) (p chat.Place, err error) {
	var at channel
	if err := s.bridge.client.get(ctx, path("/channels/%s", id), &at); err != nil {
		return p, finalError(err)
	}
	servers, err := s.servers(ctx)
	if err != nil {
		return p, err
	}
	p = chat.Place{ID: id, Name: "#" + at.Name, Link: "https://discord.com" + path("/channels/%s/%s", at.Guild, at.ID)}
	if i := slices.IndexFunc(servers, func(of server) bool { return of.ID == at.Guild }); i >= 0 {
		p.Within = servers[i].Name
	}
	return p, nil
}

func (s *Setup) channels(ctx context.Context, server string) (list []chat.Place, err error) {
	var all []channel
	if err := s.bridge.client.get(ctx, path("/guilds/%s/channels", server), &all); err != nil {
		return nil, err
	}
	roles, member, me, err := s.bridge.client.membership(ctx, server)
	if err != nil {
		return nil, err
	}
	for i := range all {
		at := &all[i]
		at.Guild = server
		may := permissions(at, roles, me, member)
		if at.suits() != nil || may&discordgo.PermissionViewChannel == 0 {
			continue
		}
		p := chat.Place{ID: at.ID, Name: "#" + at.Name}
		if f := findMissing("permissions", may, "the link above"); f.Level == chat.FindingFail {
			p.Problem, p.Fix = f.Text, f.Fix
		}
		list = append(list, p)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list, nil
}

// Enter does nothing: the bot is on its servers already.
func (s *Setup) Enter(context.Context, string) error { return nil }
