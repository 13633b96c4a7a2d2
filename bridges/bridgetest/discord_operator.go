package bridgetest

import (
	"hash/fnv"
	"slices"
	"strconv"
	"time"
)

// Threads implements [Platform]. A thread of a text channel shows the message
// that it was made of.
func (f *Discord) Threads() (list []Thread) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.order {
		th := Thread{Ref: c.id, Title: c.name, Closed: c.archived}
		messages := c.messages
		if first := f.messages[c.starter]; first != nil {
			messages = append([]*discordMessage{first}, messages...)
		}
		for _, m := range messages {
			if m.kind == 0 || m.kind == 19 {
				th.Messages = append(th.Messages, m.asShown())
			}
		}
		list = append(list, th)
	}
	return list
}

func (m *discordMessage) asShown() Message {
	out := Message{Remote: m.id, FromBot: m.from.bot, Text: m.shown(), ReplyTo: m.replyTo, Receipt: m.receipt}
	if len(m.files) > 0 {
		out.Filename, out.Data = m.files[0].name, m.files[0].data
	}
	return out
}

// member is a person of the server.
func member(name string) discordUser {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name))
	return discordUser{id: "9" + strconv.Itoa(int(sum.Sum32())) + "00000", name: name}
}

// Write implements [Platform].
func (f *Discord) Write(thread, operator, text, replyTo string) (remote string) {
	m := &discordMessage{channel: thread, from: member(operator), content: text}
	if replyTo != "" {
		m.kind, m.replyTo = 19, replyTo
	}
	return f.say(m)
}

// WriteAsBot lets another bot write, WriteAsWebhook a webhook.
func (f *Discord) WriteAsBot(thread, text string) (remote string) {
	return f.say(&discordMessage{channel: thread, from: discordUser{otherBot, "beep", true}, content: text})
}

// WriteAsWebhook lets a webhook write.
func (f *Discord) WriteAsWebhook(thread, text string) (remote string) {
	return f.say(&discordMessage{channel: thread, from: discordUser{id: "800000000000000050", name: "hook"}, webhook: "800000000000000050", content: text})
}

// Attach implements [Platform].
func (f *Discord) Attach(thread, operator, filename, mimeType string, data []byte, caption string) (remote string) {
	f.mu.Lock()
	file := &discordFile{id: f.newID(), name: filename, mimeType: mimeType, data: data}
	f.files[file.id] = file
	f.mu.Unlock()
	return f.say(&discordMessage{channel: thread, from: member(operator), content: caption, files: []*discordFile{file}})
}

// say puts somebody's message into a channel and tells the bot. It opens an
// archived thread.
func (f *Discord) say(m *discordMessage) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.channels[m.channel]; c.parent != "" {
		f.turn(c, false)
	}
	f.add(m)
	return m.id
}

// Edit implements [Platform].
func (f *Discord) Edit(_, remote, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.messages[remote]
	if m == nil || m.content == text {
		return
	}
	m.content, m.edited = text, time.Now()
	f.tell("MESSAGE_UPDATE", f.told(m))
}

// Unfold tells of a message that a link in it was unfolded: an edit that nobody
// made.
func (f *Discord) Unfold(remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.messages[remote]
	f.tell("MESSAGE_UPDATE", map[string]any{"id": m.id, "channel_id": m.channel, "guild_id": discordGuild, "embeds": []any{map[string]any{"title": "a page"}}})
}

// Delete implements [Platform].
func (f *Discord) Delete(_, _, remote string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.messages[remote]; m != nil {
		f.remove(m)
	}
	return true
}

// DeleteBulk deletes several messages of a thread at once.
func (f *Discord) DeleteBulk(thread string, remotes ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range remotes {
		if m := f.messages[id]; m != nil {
			f.forget(m)
		}
	}
	f.tell("MESSAGE_DELETE_BULK", map[string]any{"ids": remotes, "channel_id": thread, "guild_id": discordGuild})
}

// CloseThread implements [Platform].
func (f *Discord) CloseThread(thread string) {
	f.byHand(thread, func(c *discordChannel) { f.turn(c, true) })
}

// ReopenThread opens a thread by hand.
func (f *Discord) ReopenThread(thread string) {
	f.byHand(thread, func(c *discordChannel) { f.turn(c, false) })
}

// LockThread locks and archives a thread by hand.
func (f *Discord) LockThread(thread string) {
	f.byHand(thread, func(c *discordChannel) {
		c.locked = true
		f.turn(c, true)
	})
}

// Idle archives a thread as happens when nobody wrote for a week.
func (f *Discord) Idle(thread string) { f.CloseThread(thread) }

// Rename gives a thread another name by hand.
func (f *Discord) Rename(thread, name string) {
	f.byHand(thread, func(c *discordChannel) {
		c.name = name
		f.tell("THREAD_UPDATE", f.render(c))
	})
}

func (f *Discord) byHand(thread string, do func(*discordChannel)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.channels[thread]; c != nil {
		do(c)
	}
}

// DeleteThread implements [Platform].
func (f *Discord) DeleteThread(thread string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.channels[thread]
	if c == nil {
		return
	}
	delete(f.channels, thread)
	f.order = slices.DeleteFunc(f.order, func(other *discordChannel) bool { return other == c })
	f.tell("THREAD_DELETE", map[string]any{"id": c.id, "guild_id": discordGuild, "parent_id": c.parent, "type": 11})
}

// DeleteChannel deletes the bridge's channel with its threads.
func (f *Discord) DeleteChannel() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tell("CHANNEL_DELETE", f.render(f.channels[f.Channel]))
	for _, c := range f.order {
		delete(f.channels, c.id)
	}
	delete(f.channels, f.Channel)
	f.order = nil
}

// WriteElsewhere implements [Platform]: in another channel of the server, in the
// channel itself outside of threads, in a thread of another channel, and in
// private.
func (f *Discord) WriteElsewhere(text string) {
	f.say(&discordMessage{channel: elsewhereID, from: member("Eve"), content: text})
	f.say(&discordMessage{channel: f.Channel, from: member("Eve"), content: text})
	f.mu.Lock()
	defer f.mu.Unlock()
	th := &discordChannel{id: f.newID(), parent: elsewhereID, owner: discordBot, name: "another · #session-1", archivedAt: time.Now()}
	f.channels[th.id] = th
	f.add(&discordMessage{channel: th.id, from: member("Eve"), content: text})
	private := f.told(f.newElsewhere(text))
	delete(private, "guild_id")
	delete(private, "member")
	private["channel_id"] = "800000000000000099"
	f.tell("MESSAGE_CREATE", private)
}

func (f *Discord) newElsewhere(text string) *discordMessage {
	return &discordMessage{id: f.newID(), channel: elsewhereID, from: member("Eve"), content: text, written: time.Now()}
}

// MakeThread lets an operator make a thread.
func (f *Discord) MakeThread(name string) (thread string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.addThread(f.newID(), member("Ada").id, name).id
}

// Command lets an operator give a slash command; the gateway tells it.
func (f *Discord) Command(thread, operator, name, text string) map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	user := member(operator)
	options := []any{}
	if text != "" {
		options = append(options, map[string]any{"name": "text", "type": 3, "value": text})
	}
	out := map[string]any{"id": f.newID(), "application_id": discordApp, "type": 2, "token": "canary-interaction-token", "channel_id": thread,
		"guild_id": discordGuild, "version": 1, "data": map[string]any{"id": "1", "name": name, "type": 1, "options": options},
		"member": map[string]any{"nick": nil, "user": map[string]any{"id": user.id, "username": "ada", "global_name": user.name}}}
	if c := f.channels[thread]; c != nil {
		out["channel"] = f.render(c)
	}
	return out
}

// Enlarge lets the newest file have another size than its data.
func (f *Discord) Enlarge(size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	newest := ""
	for id := range f.files {
		newest = max(newest, id)
	}
	f.files[newest].size = size
}

// Strays are the bot's messages in the channel that no thread was made of.
func (f *Discord) Strays() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.channels[f.Channel].messages {
		if m.from.id == discordBot && f.threadOf(m.id) == nil {
			n++
		}
	}
	return n
}
