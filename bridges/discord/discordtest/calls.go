package discordtest

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// call carries a request out. The caller holds the lock.
func (f *Platform) call(op string, v []string, q url.Values, body any, files []*file) (any, *apiError) {
	object, _ := body.(map[string]any)
	switch op {
	case "GET /users/@me":
		return map[string]any{"id": botID, "username": "relay", "bot": true}, nil
	case "GET /users/{user_id}":
		return map[string]any{"id": v[0], "username": "somebody", "bot": v[0] == botID || v[0] == otherBot}, nil
	case "GET /applications/@me":
		return f.application(), nil
	case "GET /gateway/bot":
		return map[string]any{"url": f.gatewayURL(), "shards": 1, "session_start_limit": map[string]any{"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}}, nil
	case "PUT /applications/{application_id}/guilds/{guild_id}/commands":
		f.commands, _ = body.([]any)
		return f.commands, nil
	case "POST /interactions/{interaction_id}/{interaction_token}/callback":
		f.answers = append(f.answers, object)
		return nil, nil
	}
	if op == "GET /users/@me/guilds" {
		return f.servers(), nil
	}
	if f.server.kicked {
		return nil, noAccess
	}
	if strings.HasPrefix(op[strings.Index(op, " ")+1:], "/guilds/") {
		return f.callServer(op, v)
	}
	c := f.channels[v[0]]
	if c == nil {
		return nil, unknownChannel
	}
	switch op {
	case "GET /channels/{channel_id}":
		return f.render(c), nil
	case "PATCH /channels/{channel_id}":
		return f.patch(c, object)
	case "DELETE /channels/{channel_id}":
		f.deleteThread(c)
		return f.render(c), nil
	case "POST /channels/{channel_id}/threads":
		return f.newPost(c, object)
	case "GET /channels/{channel_id}/threads/archived/public":
		return f.archive(c, q), nil
	case "POST /channels/{channel_id}/typing":
		c.typed++
		return nil, nil
	case "GET /channels/{channel_id}/messages":
		return f.list(c, q), nil
	case "POST /channels/{channel_id}/messages":
		return f.create(c, object, files)
	}
	m := f.messages[v[1]]
	if m == nil || m.channel != c.id {
		return nil, unknownMessage
	}
	return f.callMessage(op, c, m, v, object)
}

func (f *Platform) callServer(op string, v []string) (any, *apiError) {
	switch op {
	case "GET /guilds/{guild_id}/members/{user_id}":
		return map[string]any{"user": map[string]any{"id": v[1]}, "nick": f.nick(v[1]), "roles": []string{roleID}}, nil
	case "GET /guilds/{guild_id}/roles":
		return []any{map[string]any{"id": guildID, "permissions": "0"}, map[string]any{"id": roleID, "permissions": "70695161818176"}}, nil
	}
	if op == "GET /guilds/{guild_id}/channels" {
		return f.channelList(), nil
	}
	threads := []any{}
	for _, c := range f.order {
		if !c.archived {
			threads = append(threads, f.render(c))
		}
	}
	return map[string]any{"threads": threads, "members": []any{}}, nil
}

// servers are those that the bot is on.
func (f *Platform) servers() []any {
	if f.server.kicked {
		return []any{}
	}
	return []any{map[string]any{"id": guildID, "name": "Lamp shop", "permissions": "0", "features": []any{}}}
}

// channelList has the server's channels without threads.
func (f *Platform) channelList() []any {
	list := []any{}
	for _, c := range f.channels {
		if c.parent == "" {
			list = append(list, f.render(c))
		}
	}
	return list
}

func (f *Platform) callMessage(op string, c *channel, m *message, v []string, body map[string]any) (any, *apiError) {
	switch {
	case op == "GET /channels/{channel_id}/messages/{message_id}":
		return f.renderMessage(m), nil
	case op == "POST /channels/{channel_id}/messages/{message_id}/threads":
		return f.newThread(c, m, body)
	case c.archived:
		return nil, refusedBy(400, 50083, "Thread is archived")
	case strings.HasPrefix(op, "PATCH "):
		return f.edit(m, body)
	case strings.HasPrefix(op, "DELETE "):
		f.remove(m)
		return nil, nil
	case f.server.noEmoji:
		return nil, noPermission
	}
	m.receipt = v[2]
	return nil, nil
}

func (f *Platform) application() map[string]any {
	flags := 1 << 19
	if f.server.noIntent {
		flags = 0
	}
	app := map[string]any{"id": appID, "name": "relay", "flags": flags, "verify_key": f.server.publicKey}
	if f.server.endpoint != "" {
		app["interactions_endpoint_url"] = f.server.endpoint
	}
	return app
}

// kindOf is a channel's type.
func (f *Platform) kindOf(c *channel) int {
	switch {
	case c.parent != "":
		return 11
	case c.id == f.Channel && f.Forum:
		return 15
	}
	return c.kind
}

// render makes the channel object.
func (f *Platform) render(c *channel) map[string]any {
	out := map[string]any{"id": c.id, "type": f.kindOf(c), "guild_id": guildID, "name": c.name, "last_message_id": nil}
	if c.last != "" {
		out["last_message_id"] = c.last
	}
	if c.parent != "" {
		out["parent_id"], out["owner_id"], out["applied_tags"] = c.parent, c.owner, c.tags
		out["thread_metadata"] = map[string]any{"archived": c.archived, "locked": c.locked, "auto_archive_duration": 10080,
			"archive_timestamp": c.archivedAt.UTC().Format(time.RFC3339Nano)}
		return out
	}
	out["permission_overwrites"] = []any{map[string]any{"id": botID, "type": 1, "allow": "0", "deny": strconv.FormatUint(f.server.denied, 10)}}
	if f.server.tag != "" {
		out["flags"], out["available_tags"] = 1<<4, []any{map[string]any{"id": f.server.tag, "name": "visitor", "moderated": f.server.moderated}}
	}
	return out
}

// patch archives a thread, opens or unlocks it.
func (f *Platform) patch(c *channel, body map[string]any) (any, *apiError) {
	archived, hasArchived := body["archived"].(bool)
	locked, hasLocked := body["locked"].(bool)
	switch {
	case c.parent == "":
		return nil, noPermission
	case hasLocked && !f.server.mayManage, c.locked && c.archived && hasArchived && !f.server.mayManage:
		return nil, noPermission
	case hasLocked && !locked:
		c.locked = false
	}
	if hasArchived {
		f.turn(c, archived)
	}
	return f.render(c), nil
}

// turn archives a thread or opens it, and emits that.
func (f *Platform) turn(c *channel, archived bool) {
	if c.archived == archived {
		return
	}
	c.archivedAt = c.archivedAt.Add(time.Microsecond) // each turn is later than the one before
	if now := time.Now(); now.After(c.archivedAt) {
		c.archivedAt = now
	}
	c.archived = archived
	f.emit("THREAD_UPDATE", f.render(c))
}

// addThread makes a thread and emits it.
func (f *Platform) addThread(parent, id, owner, name string) *channel {
	c := &channel{id: id, parent: parent, owner: owner, name: name, archivedAt: time.Now(), last: id}
	f.channels[id] = c
	f.order = append(f.order, c)
	out := f.render(c)
	out["newly_created"] = true
	f.emit("THREAD_CREATE", out)
	return c
}

// crowded is the refusal of one thread too many.
func (f *Platform) crowded() *apiError {
	open := 0
	for _, c := range f.order {
		if !c.archived {
			open++
		}
	}
	if f.server.full > 0 && open >= f.server.full {
		return refusedBy(400, 160006, "Maximum number of active threads reached")
	}
	return nil
}

// newThread makes a thread of a message.
func (f *Platform) newThread(c *channel, m *message, body map[string]any) (any, *apiError) {
	if f.threadOf(m.id) != nil {
		return nil, refusedBy(400, 160004, "A thread has already been created for this message")
	}
	if c.parent != "" || f.kindOf(c) == 15 {
		return nil, refusedBy(400, 50024, "Cannot execute action on this channel type")
	}
	if e := f.crowded(); e != nil {
		return nil, e
	}
	id := m.id
	if f.OwnIDs {
		id = f.newID()
	}
	th := f.addThread(c.id, id, botID, body["name"].(string))
	th.starter = m.id
	f.add(&message{channel: th.id, kind: 21, from: user{botID, "relay", true}}) // what the thread began with
	return f.render(th), nil
}

// threadOf is the thread that was made of a message, nil for none.
func (f *Platform) threadOf(message string) *channel {
	for _, th := range f.order {
		if th.starter == message {
			return th
		}
	}
	return nil
}

// newPost makes a thread of a forum with its first message.
func (f *Platform) newPost(c *channel, body map[string]any) (any, *apiError) {
	if f.kindOf(c) != 15 {
		return nil, refusedBy(400, 50024, "Cannot execute action on this channel type")
	}
	tags, _ := body["applied_tags"].([]any)
	if f.server.tag != "" && !slices.Contains(tags, any(f.server.tag)) {
		return nil, refusedBy(400, 40067, "A tag is required to create a forum post in this channel")
	}
	if e := f.crowded(); e != nil {
		return nil, e
	}
	message, _ := body["message"].(map[string]any)
	m, e := f.made(message, nil)
	if e != nil {
		return nil, e
	}
	id := f.newID()
	th := f.addThread(c.id, id, botID, body["name"].(string))
	m.id, m.channel = id, th.id
	f.add(m)
	out := f.render(th)
	out["message"] = f.renderMessage(m)
	return out, nil
}

// archive lists archived threads, the newest first.
func (f *Platform) archive(c *channel, q url.Values) any {
	before, err := time.Parse(time.RFC3339Nano, q.Get("before"))
	var found []*channel
	for _, th := range f.order {
		if th.parent == c.id && th.archived && (err != nil || th.archivedAt.Before(before)) {
			found = append(found, th)
		}
	}
	slices.SortFunc(found, func(a, b *channel) int { return b.archivedAt.Compare(a.archivedAt) })
	limit, _ := strconv.Atoi(q.Get("limit"))
	threads := []any{}
	for _, th := range found[:min(limit, len(found))] {
		threads = append(threads, f.render(th))
	}
	return map[string]any{"threads": threads, "members": []any{}, "has_more": len(found) > limit}
}
