package discordtest

import (
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// Threads implements [bridgetest.Platform]. A thread of a text channel shows the message
// that it was made of.
func (f *Platform) Threads() (list []bridgetest.Thread) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.order {
		th := bridgetest.Thread{Ref: c.id, Title: c.name, Closed: c.archived, Channel: c.parent}
		messages := c.messages
		if first := f.messages[c.starter]; first != nil {
			messages = append([]*message{first}, messages...)
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

func (m *message) asShown() bridgetest.Message {
	out := bridgetest.Message{Remote: m.id, FromBot: m.from.bot, Text: m.shown(), ReplyTo: m.replyTo, Receipt: m.receipt}
	if len(m.files) > 0 {
		out.Filename, out.Data = m.files[0].name, m.files[0].data
	}
	return out
}

// member is a person of the server.
func member(name string) user {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name))
	return user{id: "9" + strconv.Itoa(int(sum.Sum32())) + "00000", name: name}
}

// Write implements [bridgetest.Platform].
func (f *Platform) Write(thread, operator, text, replyTo string) (remote string) {
	m := &message{channel: thread, from: member(operator), content: text}
	if replyTo != "" {
		m.kind, m.replyTo = 19, replyTo
	}
	return f.say(m)
}

// WriteAsBot lets another bot write, WriteAsWebhook a webhook.
func (f *Platform) WriteAsBot(thread, text string) (remote string) {
	return f.say(&message{channel: thread, from: user{otherBot, "beep", true}, content: text})
}

// WriteAsWebhook lets a webhook write.
func (f *Platform) WriteAsWebhook(thread, text string) (remote string) {
	return f.say(&message{channel: thread, from: user{id: "800000000000000050", name: "hook"}, webhook: "800000000000000050", content: text})
}

// Attach implements [bridgetest.Platform].
func (f *Platform) Attach(thread, operator, filename, mimeType string, data []byte, caption string) (remote string) {
	f.mu.Lock()
	attached := &file{id: f.newID(), name: filename, mimeType: mimeType, data: data}
	f.files[attached.id] = attached
	f.mu.Unlock()
	return f.say(&message{channel: thread, from: member(operator), content: caption, files: []*file{attached}})
}

// say puts somebody's message into a channel and emits it. It opens an
// archived thread.
func (f *Platform) say(m *message) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.channels[m.channel]; c.parent != "" {
		f.turn(c, false)
	}
	f.add(m)
	return m.id
}

// Edit implements [bridgetest.Platform].
func (f *Platform) Edit(_, remote, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.messages[remote]
	if m == nil || m.content == text {
		return
	}
	m.content, m.edited = text, time.Now()
	f.emit("MESSAGE_UPDATE", f.payload(m))
}

// TakeOut is an edit by which somebody removes a message's first file.
func (f *Platform) TakeOut(remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.messages[remote]
	m.files, m.edited = m.files[1:], time.Now()
	f.emit("MESSAGE_UPDATE", f.payload(m))
}

// Unfold reports that a link in a message was unfolded: an edit that nobody
// made.
func (f *Platform) Unfold(remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.messages[remote]
	f.emit("MESSAGE_UPDATE", map[string]any{"id": m.id, "channel_id": m.channel, "guild_id": guildID, "embeds": []any{map[string]any{"title": "a page"}}})
}

// Delete implements [bridgetest.Platform].
func (f *Platform) Delete(_, _, remote string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.messages[remote]; m != nil {
		f.remove(m)
	}
	return true
}

// DeleteBulk deletes several messages of a thread at once.
func (f *Platform) DeleteBulk(thread string, remotes ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range remotes {
		if m := f.messages[id]; m != nil {
			f.forget(m)
		}
	}
	f.emit("MESSAGE_DELETE_BULK", map[string]any{"ids": remotes, "channel_id": thread, "guild_id": guildID})
}

// CloseThread implements [bridgetest.Platform].
func (f *Platform) CloseThread(thread string) {
	f.byHand(thread, func(c *channel) { f.turn(c, true) })
}

// ReopenThread opens a thread by hand.
func (f *Platform) ReopenThread(thread string) {
	f.byHand(thread, func(c *channel) { f.turn(c, false) })
}

// LockThread locks and archives a thread by hand.
func (f *Platform) LockThread(thread string) {
	f.byHand(thread, func(c *channel) {
		c.locked = true
		f.turn(c, true)
	})
}

// Idle archives a thread as happens when nobody wrote for a week.
func (f *Platform) Idle(thread string) { f.CloseThread(thread) }

// Rename gives a thread another name by hand.
func (f *Platform) Rename(thread, name string) {
	f.byHand(thread, func(c *channel) {
		c.name = name
		f.emit("THREAD_UPDATE", f.render(c))
	})
}

func (f *Platform) byHand(thread string, do func(*channel)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.channels[thread]; c != nil {
		do(c)
	}
}

// DeleteThread implements [bridgetest.Platform].
func (f *Platform) DeleteThread(thread string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.channels[thread]; c != nil {
		f.deleteThread(c)
	}
}

func (f *Platform) deleteThread(c *channel) {
	delete(f.channels, c.id)
	f.order = slices.DeleteFunc(f.order, func(other *channel) bool { return other == c })
	f.emit("THREAD_DELETE", map[string]any{"id": c.id, "guild_id": guildID, "parent_id": c.parent, "type": 11})
}

// DeleteChannel deletes the bridge's channel with its threads.
func (f *Platform) DeleteChannel() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.emit("CHANNEL_DELETE", f.render(f.channels[f.Channel]))
	for _, c := range f.order {
		delete(f.channels, c.id)
	}
	delete(f.channels, f.Channel)
	f.order = nil
}

// WriteElsewhere implements [bridgetest.Platform]: in another channel of the server, in the
// channel itself outside of threads, in a thread of another channel, and in
// private.
func (f *Platform) WriteElsewhere(text string) {
	f.say(&message{channel: elsewhereID, from: member("Eve"), content: text})
	f.say(&message{channel: f.Channel, from: member("Eve"), content: text})
	f.mu.Lock()
	defer f.mu.Unlock()
	th := &channel{id: f.newID(), parent: elsewhereID, owner: botID, name: "another · #session-1", archivedAt: time.Now()}
	f.channels[th.id] = th
	f.add(&message{channel: th.id, from: member("Eve"), content: text})
	private := f.payload(f.newElsewhere(text))
	delete(private, "guild_id")
	delete(private, "member")
	private["channel_id"] = "800000000000000099"
	f.emit("MESSAGE_CREATE", private)
}

func (f *Platform) newElsewhere(text string) *message {
	return &message{id: f.newID(), channel: elsewhereID, from: member("Eve"), content: text, written: time.Now()}
}

// MakeThread lets an operator make a thread.
func (f *Platform) MakeThread(name string) (thread string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.addThread(f.Channel, f.newID(), member("Ada").id, name).id
}

// Command lets an operator give a slash command; the gateway sends it.
func (f *Platform) Command(thread, operator, name, text string) map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	user := member(operator)
	options := []any{}
	if text != "" {
		options = append(options, map[string]any{"name": "text", "type": 3, "value": text})
	}
	out := map[string]any{"id": f.newID(), "application_id": appID, "type": 2, "token": "canary-interaction-token", "channel_id": thread,
		"guild_id": guildID, "version": 1, "data": map[string]any{"id": "1", "name": name, "type": 1, "options": options},
		"member": map[string]any{"nick": nil, "user": map[string]any{"id": user.id, "username": "ada", "global_name": user.name}}}
	if c := f.channels[thread]; c != nil {
		out["channel"] = f.render(c)
	}
	return out
}

// Enlarge lets the newest file have another size than its data.
func (f *Platform) Enlarge(size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	newest := ""
	for id := range f.files {
		newest = max(newest, id)
	}
	f.files[newest].size = size
}

// Strays are the bot's messages in the channel that no thread was made of.
func (f *Platform) Strays() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.channels[f.Channel].messages {
		if m.from.id == botID && f.threadOf(m.id) == nil {
			n++
		}
	}
	return n
}
