package slacktest

import (
	"strings"
)

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// encode is a text as Slack keeps what people type: escaped, with links marked.
func (f *Platform) encode(text string) string {
	return address.ReplaceAllString(colons.Replace(escaper.Replace(text)), "<$0>")
}

// Write implements [bridgetest.Platform].
func (f *Platform) Write(thread, operator, text, _ string) (remote string) {
	return f.WriteRaw(thread, operator, f.encode(text))
}

// WriteRaw writes in Slack's own markup.
func (f *Platform) WriteRaw(thread, operator, text string) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.say(&message{thread: thread, user: f.user(operator), text: text})
}

// WriteMe writes by /me.
func (f *Platform) WriteMe(thread, operator, text string) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.say(&message{thread: thread, user: f.user(operator), text: text, subtype: "me_message"})
}

// Broadcast writes in a thread and shows it in the channel too.
func (f *Platform) Broadcast(thread, operator, text string) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.say(&message{thread: thread, user: f.user(operator), text: text, subtype: "thread_broadcast"})
}

// WriteAsBot lets another app write.
func (f *Platform) WriteAsBot(thread, text string) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.say(&message{thread: thread, bot: "B0OTHERAPP", app: "A0OTHERAPP", user: "U0OTHERBOT", text: text, subtype: "bot_message"})
}

// say puts a message into a thread and emits it; a link that unfolds and the
// thread's count are emitted as changes.
func (f *Platform) say(m *message) (remote string) {
	m.team = f.guests[m.user]
	f.add(m)
	f.emit(m.render())
	if parent := f.live(m.thread); parent != nil {
		f.emit(map[string]any{"subtype": "message_replied", "hidden": true, "ts": f.newTS(), "message": parent.render()})
	}
	if strings.Contains(m.text, "<http") || strings.Contains(m.text, botUser) {
		f.emit(map[string]any{"subtype": "message_changed", "hidden": true, "ts": f.newTS(), "message": m.render(), "previous_message": m.render()})
		mention := m.render()
		mention["type"] = "app_mention"
		f.emit(mention)
	}
	return m.ts
}

// Attach implements [bridgetest.Platform].
func (f *Platform) Attach(thread, operator, filename, mimeType string, data []byte, caption string) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	shared := f.keep(&file{name: filename, mimeType: mimeType, data: data, uploaded: true, shared: true})
	return f.say(&message{thread: thread, user: f.user(operator), text: f.encode(caption), subtype: "file_share", files: []*file{shared}})
}

// AttachLink shares a file of another service.
func (f *Platform) AttachLink(thread, operator, title, address string) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	shared := f.keep(&file{name: title, external: address})
	return f.say(&message{thread: thread, user: f.user(operator), subtype: "file_share", files: []*file{shared}})
}

// Edit implements [bridgetest.Platform].
func (f *Platform) Edit(_, remote, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.live(remote)
	if m == nil {
		return
	}
	before := m.render()
	m.text, m.edited = f.encode(text), f.newTS()
	f.emit(map[string]any{"subtype": "message_changed", "hidden": true, "ts": f.newTS(), "message": m.render(), "previous_message": before})
}

// Delete implements [bridgetest.Platform].
func (f *Platform) Delete(_, _, remote string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.live(remote); m != nil {
		f.remove(m)
	}
	return true
}

// DeleteFiles deletes the files of a message alone.
func (f *Platform) DeleteFiles(remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.live(remote)
	before := m.render()
	for _, file := range m.files {
		file.deleted = true
	}
	f.emit(map[string]any{"subtype": "message_changed", "hidden": true, "ts": f.newTS(), "message": m.render(), "previous_message": before})
}

// CloseThread implements [bridgetest.Platform]: Slack's threads cannot be closed, so
// operators write the command.
func (f *Platform) CloseThread(thread string) { f.Write(thread, "Ada", "!close", "") }

// DeleteThread implements [bridgetest.Platform]: somebody deletes the first message.
func (f *Platform) DeleteThread(thread string) { f.Delete(thread, "Ada", thread) }

// DeleteSilently deletes a message without an event.
func (f *Platform) DeleteSilently(ts string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.live(ts); m != nil {
		m.tombstone = true
	}
}

// WriteElsewhere implements [bridgetest.Platform]: in the channel itself, in another
// channel, and in a chat with the app alone.
func (f *Platform) WriteElsewhere(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	eve := f.user("Eve")
	f.say(&message{user: eve, text: text})
	for _, channel := range []string{"C0OTHER", "D0PRIVATE"} {
		m := &message{user: eve, text: text, ts: f.newTS(), thread: f.newTS()}
		event := m.render()
		event["channel"] = channel
		f.emit(event)
	}
}

// StartThread lets a person begin a thread of their own.
func (f *Platform) StartThread(operator, text string) (thread string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.say(&message{user: f.user(operator), text: f.encode(text)})
}
