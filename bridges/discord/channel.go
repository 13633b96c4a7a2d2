package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/server/chat"
)

// channel is the part of Discord's channel object that relay uses.
type channel struct {
	ID          string                          `json:"id"`
	Kind        discordgo.ChannelType           `json:"type"`
	Guild       string                          `json:"guild_id"`
	Parent      string                          `json:"parent_id"`
	Owner       string                          `json:"owner_id"`
	Name        string                          `json:"name"`
	LastMessage string                          `json:"last_message_id"`
	New         bool                            `json:"newly_created"`
	Flags       discordgo.ChannelFlags          `json:"flags"`
	Tags        []tag                           `json:"available_tags"`
	Overwrites  []discordgo.PermissionOverwrite `json:"permission_overwrites"`
	Thread      *struct {
		Archived    bool      `json:"archived"`
		Locked      bool      `json:"locked"`
		ArchivedAt  time.Time `json:"archive_timestamp"`
		AutoArchive int       `json:"auto_archive_duration"`
	} `json:"thread_metadata"`
}

// tag is one that a forum offers for posts.
type tag struct {
	ID        string `json:"id"`
	Moderated bool   `json:"moderated"` // only moderators may set it
}

func (c *channel) archived() bool { return c.Thread != nil && c.Thread.Archived }
func (c *channel) locked() bool   { return c.Thread != nil && c.Thread.Locked }

// forum reports whether threads are created with their first message.
func (c *channel) forum() bool {
	return c.Kind == discordgo.ChannelTypeGuildForum || c.Kind == discordgo.ChannelTypeGuildMedia
}

// idle reports whether a thread was archived for lack of messages, not by a
// person.
func (c *channel) idle() bool {
	if !c.archived() || c.Thread.AutoArchive <= 0 {
		return false
	}
	quiet := c.Thread.ArchivedAt.Sub(madeAt(c.LastMessage))
	return quiet >= time.Duration(c.Thread.AutoArchive)*time.Minute-time.Minute
}

// tags returns the tags of a new thread: one if the forum requires it.
func (c *channel) tags() []string {
	if c.Flags&discordgo.ChannelFlagRequireTag == 0 {
		return nil
	}
	for _, tag := range c.Tags {
		if !tag.Moderated {
			return []string{tag.ID}
		}
	}
	for _, tag := range c.Tags {
		return []string{tag.ID}
	}
	return nil
}

// moderated reports whether new threads require a tag that only moderators may set.
func (c *channel) moderated() bool {
	free := slices.IndexFunc(c.Tags, func(t tag) bool { return !t.Moderated })
	return c.Flags&discordgo.ChannelFlagRequireTag != 0 && free < 0
}

// channelCache holds the bridge's channel.
type channelCache struct {
	mu sync.Mutex
	at *channel
}

// homeChannel returns the bridge's channel, fetched once.
func (c *client) homeChannel(ctx context.Context) (*channel, error) {
	c.place.mu.Lock()
	defer c.place.mu.Unlock()
	if c.place.at != nil {
		return c.place.at, nil
	}
	one, err := c.fetchChannel(ctx)
	c.place.at = one
	return one, err
}

// fetchChannel fetches the bridge's channel and checks its kind.
func (c *client) fetchChannel(ctx context.Context) (*channel, error) {
	one := new(channel)
	if err := c.get(ctx, path("/channels/%s", c.cfg.ChannelID), one); err != nil {
		return nil, channelError(err)
	}
	if err := one.suits(); err != nil {
		return nil, err
	}
	return one, nil
}

// put stores the channel, nil when it has to be fetched again.
func (p *channelCache) put(at *channel) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = at
}

// forgetChannel makes homeChannel fetch the channel again.
func (c *client) forgetChannel() { c.place.put(nil) }

// suits returns why threads cannot be created in a channel.
func (c *channel) suits() error {
	switch {
	case c.Kind != discordgo.ChannelTypeGuildText && c.Kind != discordgo.ChannelTypeGuildNews && !c.forum():
		return &chat.Misconfigured{Problem: "the channel is neither a text nor a forum channel", Fix: fixChannel}
	case c.forum() && c.Flags&discordgo.ChannelFlagRequireTag != 0 && len(c.Tags) == 0:
		return &chat.Misconfigured{Problem: "the forum requires a tag on every post, but has none",
			Fix: "in the forum's settings, create a tag, or switch off \"Require people to select tags when posting\""}
	}
	return nil
}

// channelError explains an error of a call about the bridge's channel.
func channelError(err error) error {
	if errors.Is(err, chat.ErrThreadGone) {
		return &chat.Misconfigured{Problem: "Discord knows no such channel, or the bot is not on its server", Fix: fixChannel + "; and " + fixMember}
	}
	return finalError(err)
}

// identity is the bot itself.
type identity struct {
	ID   string `json:"id"`
	Name string `json:"username"`
}

// selfMemory holds the bot's identity.
type selfMemory struct {
	mu sync.Mutex
	me *identity
}

// me returns the bot's identity, fetched once.
func (c *client) me(ctx context.Context) (*identity, error) {
	c.self.mu.Lock()
	defer c.self.mu.Unlock()
	if c.self.me != nil {
		return c.self.me, nil
	}
	me := new(identity)
	if err := c.get(ctx, "/users/@me", me); err != nil {
		return nil, finalError(err)
	}
	c.self.me = me
	return me, nil
}

// bot reports whether a user is a bot. A user that the API denies counts as none,
// because a failure would hold up reception.
func (c *client) bot(ctx context.Context, user string) (bool, error) {
	if is, known := c.bots.Get(user); known {
		return is, nil
	}
	var answer struct {
		Bot bool `json:"bot"`
	}
	if err := c.getWithRetry(ctx, path("/users/%s", user), &answer); err != nil && !denied(err) {
		return false, fmt.Errorf("look up who created a thread: %w", err)
	}
	c.bots.Put(user, answer.Bot)
	return answer.Bot, nil
}

// member returns a user's member object of the server, null when it cannot be
// fetched: a name is not worth a wait.
func (c *client) member(ctx context.Context, user string) json.RawMessage {
	if member, known := c.members.Get(user); known {
		return member
	}
	at, err := c.homeChannel(ctx)
	if err != nil {
		return nil
	}
	var answer struct {
		Nick string `json:"nick"`
	}
	if err := c.get(ctx, path("/guilds/%s/members/%s", at.Guild, user), &answer); err != nil {
		return nil
	}
	member, _ := json.Marshal(answer)
	c.members.Put(user, member)
	return member
}

// seesHistory returns an error if the bot may not read old messages: Discord then answers
// as if there were none, and what stands there would pass for deleted.
func (c *client) seesHistory(ctx context.Context) error {
	at, err := c.fetchChannel(ctx)
	if err != nil {
		return err
	}
	roles, has, me, err := c.membership(ctx, at.Guild)
	if err == nil && permissions(at, roles, me, has)&discordgo.PermissionReadMessageHistory == 0 {
		err = errors.New("the bot lacks the permission Read Message History in the channel")
	}
	return err
}

// withMember adds the author's name on the server to a message, as the gateway
// does and the API does not.
func (c *client) withMember(ctx context.Context, raw json.RawMessage) json.RawMessage {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil || !m.human() || m.Member != nil {
		return raw
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return raw
	}
	all["member"] = c.member(ctx, m.Author.ID)
	named, err := json.Marshal(all)
	if err != nil {
		return raw
	}
	return named
}
