package bridgetest

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// discordMessage is a message of the server.
type discordMessage struct {
	id, channel, replyTo string
	kind                 int
	from                 discordUser
	webhook              string
	content              string
	embeds               []any
	files                []*discordFile
	written              time.Time
	edited               time.Time
	receipt              string
}

type discordFile struct {
	id, name, mimeType string
	size               int64 // if it is not that of the data
	data               []byte
}

type discordUser struct {
	id, name string
	bot      bool
}

// call carries a request out. The caller holds the lock.
func (f *Discord) call(op string, v []string, q url.Values, body any, files []*discordFile) (any, *discordError) {
	object, _ := body.(map[string]any)
	switch op {
	case "GET /users/@me":
		return map[string]any{"id": discordBot, "username": "relay", "bot": true}, nil
	case "GET /users/{user_id}":
		return map[string]any{"id": v[0], "username": "somebody", "bot": v[0] == discordBot || v[0] == otherBot}, nil
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

func (f *Discord) callServer(op string, v []string) (any, *discordError) {
	switch op {
	case "GET /guilds/{guild_id}/members/{user_id}":
		return map[string]any{"user": map[string]any{"id": v[1]}, "nick": f.nick(v[1]), "roles": []string{discordRole}}, nil
	case "GET /guilds/{guild_id}/roles":
		return []any{map[string]any{"id": discordGuild, "permissions": "0"}, map[string]any{"id": discordRole, "permissions": "326417640512"}}, nil
	}
	threads := []any{}
	for _, c := range f.order {
		if !c.archived {
			threads = append(threads, f.render(c))
		}
	}
	return map[string]any{"threads": threads, "members": []any{}}, nil
}

func (f *Discord) callMessage(op string, c *discordChannel, m *discordMessage, v []string, body map[string]any) (any, *discordError) {
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

func (f *Discord) application() map[string]any {
	flags := 1 << 19
	if f.server.noIntent {
		flags = 0
	}
	app := map[string]any{"id": discordApp, "name": "relay", "flags": flags, "verify_key": f.server.publicKey}
	if f.server.endpoint != "" {
		app["interactions_endpoint_url"] = f.server.endpoint
	}
	return app
}

// kindOf is a channel's type.
func (f *Discord) kindOf(c *discordChannel) int {
	switch {
	case c.parent != "":
		return 11
	case c.id == f.Channel && f.Forum:
		return 15
	}
	return c.kind
}

// render makes the channel object.
func (f *Discord) render(c *discordChannel) map[string]any {
	out := map[string]any{"id": c.id, "type": f.kindOf(c), "guild_id": discordGuild, "name": c.name, "last_message_id": nil}
	if c.last != "" {
		out["last_message_id"] = c.last
	}
	if c.parent != "" {
		out["parent_id"], out["owner_id"], out["applied_tags"] = c.parent, c.owner, c.tags
		out["thread_metadata"] = map[string]any{"archived": c.archived, "locked": c.locked, "auto_archive_duration": 10080,
			"archive_timestamp": c.archivedAt.UTC().Format(time.RFC3339Nano)}
		return out
	}
	out["permission_overwrites"] = []any{map[string]any{"id": discordBot, "type": 1, "allow": "0", "deny": strconv.FormatUint(f.server.denied, 10)}}
	if f.server.tag != "" {
		out["flags"], out["available_tags"] = 1<<4, []any{map[string]any{"id": f.server.tag, "name": "visitor", "moderated": f.server.moderated}}
	}
	return out
}

// patch archives a thread, opens or unlocks it.
func (f *Discord) patch(c *discordChannel, body map[string]any) (any, *discordError) {
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

// turn archives a thread or opens it, and tells so.
func (f *Discord) turn(c *discordChannel, archived bool) {
	if c.archived == archived {
		return
	}
	c.archivedAt = c.archivedAt.Add(time.Microsecond) // each turn is later than the one before
	if now := time.Now(); now.After(c.archivedAt) {
		c.archivedAt = now
	}
	c.archived = archived
	f.tell("THREAD_UPDATE", f.render(c))
}

// addThread makes a thread and tells so.
func (f *Discord) addThread(id, owner, name string) *discordChannel {
	c := &discordChannel{id: id, parent: f.Channel, owner: owner, name: name, archivedAt: time.Now(), last: id}
	f.channels[id] = c
	f.order = append(f.order, c)
	out := f.render(c)
	out["newly_created"] = true
	f.tell("THREAD_CREATE", out)
	return c
}

// crowded is the refusal of one thread too many.
func (f *Discord) crowded() *discordError {
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
func (f *Discord) newThread(c *discordChannel, m *discordMessage, body map[string]any) (any, *discordError) {
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
	th := f.addThread(id, discordBot, body["name"].(string))
	th.starter = m.id
	f.add(&discordMessage{channel: th.id, kind: 21, from: discordUser{discordBot, "relay", true}}) // what the thread began with
	return f.render(th), nil
}

// threadOf is the thread that was made of a message, nil for none.
func (f *Discord) threadOf(message string) *discordChannel {
	for _, th := range f.order {
		if th.starter == message {
			return th
		}
	}
	return nil
}

// newPost makes a thread of a forum with its first message.
func (f *Discord) newPost(c *discordChannel, body map[string]any) (any, *discordError) {
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
	th := f.addThread(id, discordBot, body["name"].(string))
	m.id, m.channel = id, th.id
	f.add(m)
	out := f.render(th)
	out["message"] = f.renderMessage(m)
	return out, nil
}

// attachFiles is the permission that a file takes.
const attachFiles = 1 << 15

// create makes a message, or finds the one of the same nonce.
func (f *Discord) create(c *discordChannel, body map[string]any, files []*discordFile) (any, *discordError) {
	switch {
	case f.kindOf(c) == 15:
		return nil, refusedBy(400, 40058, "Cannot send messages in a forum channel")
	case c.locked && !f.server.mayManage:
		return nil, refusedBy(400, 160005, "Thread is locked")
	}
	if len(files) > 0 && f.server.denied&attachFiles != 0 {
		return nil, noPermission
	}
	if e := f.over(c.id); e != nil {
		return nil, e
	}
	key, _ := body["nonce"].(string)
	if enforced, _ := body["enforce_nonce"].(bool); enforced && key != "" {
		if known, is := f.nonces[key]; is && time.Since(known.at) < f.NonceLife && f.messages[known.message] != nil {
			return f.renderMessage(f.messages[known.message]), nil
		}
	} else {
		f.violations = append(f.violations, "a message without an enforced nonce")
	}
	m, e := f.made(body, files)
	if e != nil {
		return nil, e
	}
	m.channel = c.id
	if ref, ok := body["message_reference"].(map[string]any); ok {
		if !f.server.mayReply {
			return nil, refusedBy(400, 160002, "Cannot reply without permission to read message history")
		}
		if to := f.messages[ref["message_id"].(string)]; to != nil && to.channel == c.id {
			m.replyTo, m.kind = to.id, 19
		} else if fails, given := ref["fail_if_not_exists"].(bool); fails || !given {
			return nil, badForm
		}
	}
	if c.parent != "" {
		f.turn(c, false) // sending opens an archived thread again
	}
	f.add(m)
	f.nonces[key] = nonce{m.id, time.Now()}
	return f.renderMessage(m), nil
}

// maxFileSize is what Discord takes without boosts.
const maxFileSize = 10 << 20

// made makes a message of a request's body, if Discord takes it.
func (f *Discord) made(body map[string]any, files []*discordFile) (*discordMessage, *discordError) {
	f.needMentions(body)
	m := &discordMessage{from: discordUser{discordBot, "relay", true}, files: files}
	m.content, _ = body["content"].(string)
	m.content = strings.TrimSpace(m.content)
	m.embeds, _ = body["embeds"].([]any)
	for _, file := range files {
		if len(file.data) > maxFileSize {
			return nil, refusedBy(413, 40005, "Request entity too large")
		}
		file.id = f.newID()
		f.files[file.id] = file
	}
	switch {
	case utf8.RuneCountInString(m.content) > 2000:
		return nil, badForm
	case m.content == "" && len(m.embeds) == 0 && len(files) == 0:
		return nil, refusedBy(400, 50006, "Cannot send an empty message")
	}
	return m, nil
}

// needMentions wants every message and every edit to say that it notifies
// nobody.
func (f *Discord) needMentions(body map[string]any) {
	allowed, _ := body["allowed_mentions"].(map[string]any)
	parse, given := allowed["parse"].([]any)
	if !given || len(parse) > 0 || allowed["replied_user"] == true {
		f.violations = append(f.violations, "a message that may notify somebody")
	}
}

func (f *Discord) edit(m *discordMessage, body map[string]any) (any, *discordError) {
	f.needMentions(body)
	if !m.from.bot {
		return nil, refusedBy(403, 50005, "Cannot edit a message authored by another user")
	}
	content, _ := body["content"].(string)
	if utf8.RuneCountInString(content) > 2000 {
		return nil, badForm
	}
	if content == "" && len(m.files) == 0 {
		return nil, refusedBy(400, 50006, "Cannot send an empty message")
	}
	m.content, m.edited = strings.TrimSpace(content), time.Now()
	f.tell("MESSAGE_UPDATE", f.told(m))
	return f.renderMessage(m), nil
}

// add puts a message into its channel and tells so.
func (f *Discord) add(m *discordMessage) {
	if m.id == "" {
		m.id = f.newID()
	}
	m.written = time.Now()
	f.messages[m.id] = m
	c := f.channels[m.channel]
	c.messages = append(c.messages, m)
	c.last = m.id
	f.tell("MESSAGE_CREATE", f.told(m))
}

// remove deletes a message and tells so.
func (f *Discord) remove(m *discordMessage) {
	f.forget(m)
	f.tell("MESSAGE_DELETE", map[string]any{"id": m.id, "channel_id": m.channel, "guild_id": discordGuild})
}

func (f *Discord) forget(m *discordMessage) {
	delete(f.messages, m.id)
	c := f.channels[m.channel]
	c.messages = slices.DeleteFunc(c.messages, func(other *discordMessage) bool { return other == m })
}

// list lists messages, the newest first.
func (f *Discord) list(c *discordChannel, q url.Values) any {
	limit, _ := strconv.Atoi(q.Get("limit"))
	after, _ := strconv.ParseInt(q.Get("after"), 10, 64)
	list := []any{}
	for _, m := range c.messages {
		if id, _ := strconv.ParseInt(m.id, 10, 64); id > after && (after == 0 || len(list) < limit) {
			list = append(list, f.renderMessage(m))
		}
	}
	if len(list) > limit {
		list = list[len(list)-limit:]
	}
	if !f.OldestFirst {
		slices.Reverse(list)
	}
	return list
}

// archive lists archived threads, the newest first.
func (f *Discord) archive(c *discordChannel, q url.Values) any {
	before, err := time.Parse(time.RFC3339Nano, q.Get("before"))
	var found []*discordChannel
	for _, th := range f.order {
		if th.parent == c.id && th.archived && (err != nil || th.archivedAt.Before(before)) {
			found = append(found, th)
		}
	}
	slices.SortFunc(found, func(a, b *discordChannel) int { return b.archivedAt.Compare(a.archivedAt) })
	limit, _ := strconv.Atoi(q.Get("limit"))
	threads := []any{}
	for _, th := range found[:min(limit, len(found))] {
		threads = append(threads, f.render(th))
	}
	return map[string]any{"threads": threads, "members": []any{}, "has_more": len(found) > limit}
}
