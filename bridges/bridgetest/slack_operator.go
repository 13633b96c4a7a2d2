package bridgetest

import (
	"strings"
)

var slackEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// encode is a text as Slack keeps what people type: escaped, with links marked.
func (f *Slack) encode(text string) string {
	return address.ReplaceAllString(colons.Replace(slackEscaper.Replace(text)), "<$0>")
}

// Write implements [Platform].
func (f *Slack) Write(thread, operator, text, _ string) (remote string) {
	return f.WriteRaw(thread, operator, f.encode(text))
}

// WriteRaw writes in Slack's own markup.
func (f *Slack) WriteRaw(thread, operator, text string) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.say(&slackMessage{thread: thread, user: f.user(operator), text: text})
}

// WriteMe writes by /me.
func (f *Slack) WriteMe(thread, operator, text string) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.say(&slackMessage{thread: thread, user: f.user(operator), text: text, subtype: "me_message"})
}

// Broadcast writes in a thread and shows it in the channel too.
func (f *Slack) Broadcast(thread, operator, text string) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.say(&slackMessage{thread: thread, user: f.user(operator), text: text, subtype: "thread_broadcast"})
}

// WriteAsBot lets another app write.
func (f *Slack) WriteAsBot(thread, text string) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.say(&slackMessage{thread: thread, bot: "B0OTHERAPP", app: "A0OTHERAPP", user: "U0OTHERBOT", text: text, subtype: "bot_message"})
}

// say puts a message into a thread and tells the app: of a link that unfolds,
// and of the thread's count, it tells as of changes.
func (f *Slack) say(m *slackMessage) (remote string) {
	f.add(m)
	f.tell(m.render())
	if parent := f.live(m.thread); parent != nil {
		f.tell(map[string]any{"subtype": "message_replied", "hidden": true, "ts": f.newTS(), "message": parent.render()})
	}
	if strings.Contains(m.text, "<http") || strings.Contains(m.text, slackBotUser) {
		f.tell(map[string]any{"subtype": "message_changed", "hidden": true, "ts": f.newTS(), "message": m.render(), "previous_message": m.render()})
		mention := m.render()
		mention["type"] = "app_mention"
		f.tell(mention)
	}
	return m.ts
}

// Attach implements [Platform].
func (f *Slack) Attach(thread, operator, filename, mimeType string, data []byte, caption string) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	file := f.keep(&slackFile{name: filename, mimeType: mimeType, data: data, uploaded: true, shared: true})
	return f.say(&slackMessage{thread: thread, user: f.user(operator), text: f.encode(caption), subtype: "file_share", files: []*slackFile{file}})
}

// AttachLink shares a file of another service.
func (f *Slack) AttachLink(thread, operator, title, address string) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	file := f.keep(&slackFile{name: title, external: address})
	return f.say(&slackMessage{thread: thread, user: f.user(operator), subtype: "file_share", files: []*slackFile{file}})
}

// Edit implements [Platform].
func (f *Slack) Edit(_, remote, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.live(remote)
	if m == nil {
		return
	}
	before := m.render()
	m.text, m.edited = f.encode(text), f.newTS()
	f.tell(map[string]any{"subtype": "message_changed", "hidden": true, "ts": f.newTS(), "message": m.render(), "previous_message": before})
}

// Delete implements [Platform].
func (f *Slack) Delete(_, _, remote string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.live(remote); m != nil {
		f.remove(m)
	}
	return true
}

// CloseThread implements [Platform]: Slack's threads cannot be closed, so
// operators write the command.
func (f *Slack) CloseThread(thread string) { f.Write(thread, "Ada", "!close", "") }

// DeleteThread implements [Platform]: somebody deletes the first message.
func (f *Slack) DeleteThread(thread string) { f.Delete(thread, "Ada", thread) }

// DeleteUntold deletes a message without an event.
func (f *Slack) DeleteUntold(ts string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.live(ts); m != nil {
		m.tombstone = true
	}
}

// WriteElsewhere implements [Platform]: in the channel itself, in another
// channel, and in a chat with the app alone.
func (f *Slack) WriteElsewhere(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	eve := f.user("Eve")
	f.say(&slackMessage{user: eve, text: text})
	for _, channel := range []string{"C0OTHER", "D0PRIVATE"} {
		m := &slackMessage{user: eve, text: text, ts: f.newTS(), thread: f.newTS()}
		told := m.render()
		told["channel"] = channel
		f.tell(told)
	}
}

// StartThread lets a person begin a thread of their own.
func (f *Slack) StartThread(operator, text string) (thread string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.say(&slackMessage{user: f.user(operator), text: f.encode(text)})
}
