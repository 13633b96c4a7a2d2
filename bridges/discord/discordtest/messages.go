package discordtest

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// message is a message of the server.
type message struct {
	id, channel, replyTo string
	kind                 int
	from                 user
	webhook              string
	content              string
	embeds               []any
	files                []*file
	voice                bool
	written              time.Time
	edited               time.Time
	receipt              string
}

type file struct {
	id, name, mimeType string
	size               int64 // if it is not that of the data
	data               []byte
	seconds            float64 // of a voice message
	waveform           []byte
}

type user struct {
	id, name string
	bot      bool
}

// create makes a message, or finds the one of the same nonce.
func (f *Platform) create(c *channel, body map[string]any, files []*file) (any, *apiError) {
	switch {
	case f.kindOf(c) == 15:
		return nil, refusedBy(400, 40058, "Cannot send messages in a forum channel")
	case c.locked && !f.server.mayManage:
		return nil, refusedBy(400, 160005, "Thread is locked")
	}
	if e := f.mayAttach(body, files); e != nil {
		return nil, e
	}
	if e := f.over(c.id); e != nil {
		return nil, e
	}
	key, _ := body["nonce"].(string)
	if enforced, _ := body["enforce_nonce"].(bool); enforced && key != "" {
		if known, found := f.nonces[key]; found && time.Since(known.at) < f.NonceLife && f.messages[known.message] != nil {
			return f.renderMessage(f.messages[known.message]), nil
		}
	} else {
		f.Violate("a message without an enforced nonce")
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
func (f *Platform) made(body map[string]any, files []*file) (*message, *apiError) {
	f.needMentions(body)
	m := &message{from: user{botID, "relay", true}, files: files}
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
	if m.voice = flagsOf(body)&voiceMessage != 0; m.voice {
		if e := f.checkVoice(m, body); e != nil {
			return nil, e
		}
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
func (f *Platform) needMentions(body map[string]any) {
	allowed, _ := body["allowed_mentions"].(map[string]any)
	parse, given := allowed["parse"].([]any)
	if !given || len(parse) > 0 || allowed["replied_user"] == true {
		f.Violate("a message that may notify somebody")
	}
}

func (f *Platform) edit(m *message, body map[string]any) (any, *apiError) {
	f.needMentions(body)
	if !m.from.bot {
		return nil, refusedBy(403, 50005, "Cannot edit a message authored by another user")
	}
	if m.voice {
		return nil, refusedBy(400, 50162, "Voice messages cannot be edited")
	}
	content, _ := body["content"].(string)
	if utf8.RuneCountInString(content) > 2000 {
		return nil, badForm
	}
	if content == "" && len(m.files) == 0 {
		return nil, refusedBy(400, 50006, "Cannot send an empty message")
	}
	m.content, m.edited = strings.TrimSpace(content), time.Now()
	f.emit("MESSAGE_UPDATE", f.payload(m))
	return f.renderMessage(m), nil
}

// add puts a message into its channel and emits it.
func (f *Platform) add(m *message) {
	if m.id == "" {
		m.id = f.newID()
	}
	m.written = time.Now()
	f.messages[m.id] = m
	c := f.channels[m.channel]
	c.messages = append(c.messages, m)
	c.last = m.id
	f.emit("MESSAGE_CREATE", f.payload(m))
}

// remove deletes a message and emits that.
func (f *Platform) remove(m *message) {
	f.forget(m)
	f.emit("MESSAGE_DELETE", map[string]any{"id": m.id, "channel_id": m.channel, "guild_id": guildID})
}

func (f *Platform) forget(m *message) {
	delete(f.messages, m.id)
	c := f.channels[m.channel]
	c.messages = slices.DeleteFunc(c.messages, func(other *message) bool { return other == m })
}

// list lists messages, the newest first; none to a bot without Read Message History, as
// Discord does ("Get Channel Messages").
func (f *Platform) list(c *channel, q url.Values) any {
	limit, _ := strconv.Atoi(q.Get("limit"))
	after, _ := strconv.ParseInt(q.Get("after"), 10, 64)
	list := []any{}
	if f.server.denied&readHistory != 0 {
		return list
	}
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
