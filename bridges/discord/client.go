package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sort"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/bridges/cache"
	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/server/chat"
)

// client makes the REST calls. The token is in a header of every call and in
// nothing that client returns.
type client struct {
	cfg  Config
	log  *slog.Logger
	base *url.URL
	// http calls the API and downloads files, the latter without the token.
	http    *http.Client
	pace    *pace
	place   channelCache
	self    *selfMemory
	bots    *cache.Cache[bool]            // by user: whether it is a bot
	members *cache.Cache[json.RawMessage] // by user: the member object, since a connection began
}

// request is one call.
type request struct {
	method, path string // the path after the version
	body         any    // JSON, or *form
	// repeatable means that the call may be repeated when its answer is lost.
	repeatable bool
}

func newClient(cfg Config) (*client, error) {
	base, err := call.ParseBase(cfg.APIURL, "https://discord.com/api/v10", errBase)
	if err != nil {
		return nil, err
	}
	return &client{cfg: cfg, log: cfg.Log.With("bridge", Name), base: base, http: call.NewClient(cfg.Transport, 16), pace: newPace(),
		self: new(selfMemory), bots: cache.New[bool](1000), members: newMembers()}, nil
}

func newMembers() *cache.Cache[json.RawMessage] { return cache.New[json.RawMessage](maxThreads) }

// outcome is what became of a request.
type outcome struct {
	sent   bool // it may have been carried out
	status int  // 0 without an answer
	header http.Header
}

// call makes a call and reads its answer into out, unless that is nil. Its errors
// are those of package chat or of this one.
func (c *client) call(ctx context.Context, r request, out any) error {
	route := routeOf(r.method, r.path)
	if err := c.pace.await(ctx, route); err != nil {
		return err
	}
	timeout := callTimeout
	if _, upload := r.body.(*form); upload {
		timeout = uploadTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	o := new(outcome)
	answer, err := c.send(ctx, r, o)
	c.pace.learn(route, o)
	if err == nil && o.status >= 300 {
		err = newRefusal(route, o, answer)
	} else if err != nil {
		err = &call.Error{Name: route, Sent: o.sent || o.status != 0, Err: call.Redact(err)}
	}
	if err != nil {
		err = translate(err, r.repeatable)
		c.keepWait(route, err)
		return err
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return translate(&call.Error{Name: route, Sent: true, Err: errors.New("the answer is not one of Discord's")}, r.repeatable)
	}
	return nil
}

// maxAnswer bounds an answer of the API.
const maxAnswer = 32 << 20

// userAgent identifies relay (Discord, "User Agent").
const userAgent = "DiscordBot (https://github.com/bwmarrin/discordgo, v" + discordgo.VERSION + ") relay"

// send makes the request and stores its outcome in o.
func (c *client) send(ctx context.Context, r request, o *outcome) ([]byte, error) {
	body, file, err := encode(ctx, r.body)
	if err != nil {
		return nil, err
	}
	ctx, sent := call.Trace(ctx)
	req, err := body.Request(ctx, r.method, c.base.String()+r.path)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bot "+c.cfg.Token)
	req.Header.Set("User-Agent", userAgent)
	resp, err := c.http.Do(req)
	if err == nil {
		defer resp.Body.Close()
	}
	if file != nil && file.Err() != nil { // a form without its end has no effect
		return nil, file.Err()
	}
	o.sent = sent.Load()
	if err != nil {
		return nil, err
	}
	o.status, o.header = resp.StatusCode, resp.Header
	return io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
}

// encode renders a body and returns its file, nil for none.
func encode(ctx context.Context, body any) (call.Body, *call.File, error) {
	switch body := body.(type) {
	case nil:
		return call.Body{}, nil, nil
	case *form:
		return body.encode(ctx)
	}
	b, err := call.JSON(body)
	return b, nil, err
}

// get makes a GET call.
func (c *client) get(ctx context.Context, path string, out any) error {
	return c.call(ctx, request{method: http.MethodGet, path: path, repeatable: true}, out)
}

// lookups is how often getWithRetry calls.
const lookups = 5

// getWithRetry makes a GET call outside of any op, where nobody else retries after
// a rate limit.
func (c *client) getWithRetry(ctx context.Context, path string, out any) error {
	return call.WithRetry(ctx, lookups, 0, func() error { return c.get(ctx, path, out) })
}

// path formats a call's path and escapes its parts.
func path(format string, parts ...any) string {
	for i, p := range parts {
		if text, ok := p.(string); ok {
			parts[i] = url.PathEscape(text)
		}
	}
	return fmt.Sprintf(format, parts...)
}

// Channel implements [chat.Bridge].
func (c *client) Channel() string { return c.cfg.ChannelID }

// messages lists messages of a channel after one, oldest first.
func (c *client) messages(ctx context.Context, in, after string) (list []sentMessage, err error) {
	err = c.get(ctx, path("/channels/%s/messages", in)+"?limit=100&after="+after, &list)
	if errors.Is(err, chat.ErrThreadGone) {
		return nil, err
	}
	sort.Slice(list, func(i, j int) bool { return compareIDs(list[i].ID, list[j].ID) < 0 })
	return list, err
}

// archive lists archived threads, the last archived first. next is the query of the
// next page, "" when there is none.
func (c *client) archive(ctx context.Context, before string) (list []channel, next string, err error) {
	var page struct {
		Threads []channel `json:"threads"`
		More    bool      `json:"has_more"`
	}
	if err := c.getWithRetry(ctx, path("/channels/%s/threads/archived/public", c.cfg.ChannelID)+"?limit=100"+before, &page); err != nil {
		return nil, "", err
	}
	for i := range page.Threads {
		if one := &page.Threads[i]; page.More && one.Thread != nil {
			next = "&before=" + one.Thread.ArchivedAt.UTC().Format("2006-01-02T15:04:05.000000Z")
		}
	}
	return page.Threads, next, nil
}

// active lists the open threads that the bot created in its channel, newest first.
func (c *client) active(ctx context.Context, at *channel) (list []channel, err error) {
	me, err := c.me(ctx)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Threads []channel `json:"threads"`
	}
	if err := c.getWithRetry(ctx, path("/guilds/%s/threads/active", at.Guild), &answer); err != nil {
		return nil, err
	}
	for _, one := range answer.Threads {
		if one.Parent == c.cfg.ChannelID && one.Owner == me.ID {
			list = append(list, one)
		}
	}
	sort.Slice(list, func(i, j int) bool { return compareIDs(list[j].ID, list[i].ID) < 0 })
	return list, nil
}

// write creates a message. Discord creates one of the same nonce only once within
// some minutes and returns the first (Discord, "Create Message", enforce_nonce).
func (c *client) write(ctx context.Context, in string, m newMessage, files *form) (remote string, err error) {
	var made struct {
		ID string `json:"id"`
	}
	send := func() error {
		var body any = m
		if files != nil {
			files.message = m
			body = files
		}
		return c.call(ctx, request{method: http.MethodPost, path: path("/channels/%s/messages", in), body: body}, &made)
	}
	if err = send(); errors.Is(err, errNoReply) && m.Reference != nil {
		m.Reference = nil
		err = send()
	}
	if err == nil && made.ID == "" {
		err = fmt.Errorf("%w: Discord returned no id", chat.ErrAmbiguous)
	}
	return made.ID, err
}

// membership returns a server's roles, those that the bot has, and the bot's id.
func (c *client) membership(ctx context.Context, server string) (roles []role, has []string, id string, err error) {
	me, err := c.me(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	var member struct {
		Roles []string `json:"roles"`
	}
	if err := c.get(ctx, path("/guilds/%s/members/%s", server, me.ID), &member); err != nil {
		return nil, nil, "", err
	}
	err = c.get(ctx, path("/guilds/%s/roles", server), &roles)
	return roles, member.Roles, me.ID, err
}
