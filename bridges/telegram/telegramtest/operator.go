package telegramtest

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// Threads implements [bridgetest.Platform].
func (f *Platform) Threads() (list []bridgetest.Thread) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.topics {
		if t.deleted {
			continue
		}
		th := bridgetest.Thread{Ref: itoa(t.id), Title: t.name, Closed: t.closed, Channel: itoa(t.group)}
		for _, m := range t.messages {
			th.Messages = append(th.Messages, m.shown())
		}
		list = append(list, th)
	}
	return list
}

func (m *message) shown() bridgetest.Message {
	out := bridgetest.Message{Remote: itoa(m.id), FromBot: m.from.bot, Text: m.text, Receipt: m.receipt}
	if m.replyTo != 0 {
		out.ReplyTo = itoa(m.replyTo)
	}
	if m.file != nil {
		out.Filename, out.Data = m.file.name, m.file.data
	}
	return out
}

// Write implements [bridgetest.Platform].
func (f *Platform) Write(thread, operator, text, replyTo string) (remote string) {
	return f.say(thread, replyTo, &message{from: person(operator), text: text})
}

// WriteAnonymously writes as an administrator who stays anonymous.
func (f *Platform) WriteAnonymously(thread, title, text string) (remote string) {
	return f.say(thread, "", &message{from: user{anon: true, title: title}, text: text})
}

// WriteAsBot lets another bot write.
func (f *Platform) WriteAsBot(thread, name, text string) (remote string) {
	return f.say(thread, "", &message{from: user{id: 42, bot: true, name: name}, text: text})
}

// Attach implements [bridgetest.Platform]. Pictures go as photos, recordings as voice
// messages.
func (f *Platform) Attach(thread, operator, filename, mimeType string, data []byte, caption string) (remote string) {
	return f.AttachAlbum(thread, operator, "", filename, mimeType, data, caption)
}

// AttachAlbum sends one file of an album; album joins them.
func (f *Platform) AttachAlbum(thread, operator, album, filename, mimeType string, data []byte, caption string) (remote string) {
	kind := "document"
	switch mimeType {
	case "image/jpeg":
		kind = "photo"
	case "audio/ogg":
		kind = "voice"
	}
	f.mu.Lock()
	file := f.keep(kind, filename, mimeType, data)
	f.mu.Unlock()
	return f.say(thread, "", &message{from: person(operator), text: caption, file: file, album: album})
}

// say puts a human's message into a topic and emits it.
func (f *Platform) say(thread, replyTo string, m *message) (remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m.topic, _ = strconv.ParseInt(thread, 10, 64)
	m.replyTo, _ = strconv.ParseInt(replyTo, 10, 64)
	f.newMessage(m)
	f.emit("message", f.render(m))
	return itoa(m.id)
}

// Edit implements [bridgetest.Platform].
func (f *Platform) Edit(_, remote, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, _ := strconv.ParseInt(remote, 10, 64)
	m := f.messages[id]
	if m == nil || m.text == text {
		return
	}
	m.text, m.edited = text, time.Now().Unix()
	f.emit("edited_message", f.render(m))
}

// Delete implements [bridgetest.Platform]: bots receive no deletes of groups.
func (f *Platform) Delete(_, _, _ string) bool { return false }

// Remove deletes a message by hand, which no update reports.
func (f *Platform) Remove(remote string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, _ := strconv.ParseInt(remote, 10, 64)
	if m := f.messages[id]; m != nil {
		f.remove(m)
	}
}

// CloseThread implements [bridgetest.Platform].
func (f *Platform) CloseThread(thread string) { f.turnByHand(thread, true) }

// ReopenThread opens a topic by hand.
func (f *Platform) ReopenThread(thread string) { f.turnByHand(thread, false) }

func (f *Platform) turnByHand(thread string, closed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, _ := strconv.ParseInt(thread, 10, 64)
	if t := f.topic(id); t != nil {
		f.turnTopic(t, closed, person("Ada"))
	}
}

// DeleteThread implements [bridgetest.Platform]: no update reports it.
func (f *Platform) DeleteThread(thread string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, _ := strconv.ParseInt(thread, 10, 64)
	if t := f.topic(id); t != nil {
		t.deleted = true
	}
}

// WriteElsewhere implements [bridgetest.Platform]: in the group outside of topics, as a
// reply that carries a thread's id there, and in a chat with the bot alone.
func (f *Platform) WriteElsewhere(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	general := f.newMessage(&message{from: person("Eve"), text: text})
	f.emit("message", f.render(general))
	reply := f.render(f.newMessage(&message{from: person("Eve"), text: text}))
	reply["message_thread_id"] = general.id
	f.emit("message", reply)
	private := f.render(f.newMessage(&message{from: person("Eve"), text: text}))
	private["chat"] = map[string]any{"id": person("Eve").id, "type": "private", "first_name": "Eve"}
	f.emit("message", private)
}

// MakeTopic lets an operator make a topic.
func (f *Platform) MakeTopic(name string) (thread string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return itoa(f.makeTopic(f.Group, name, person("Ada")).id)
}

// Emit sends the bot an update as it is.
func (f *Platform) Emit(kind string, body map[string]any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.emit(kind, body)
}

// keep stores a file.
func (f *Platform) keep(kind, name, mimeType string, data []byte) *file {
	n := strconv.Itoa(len(f.files) + 1)
	file := &file{id: "AgAD" + n, kind: kind, name: name, mimeType: mimeType, path: kind + "s/file_" + n, data: data}
	f.files[file.id] = file
	return file
}

// Enlarge lets the newest file have another size than its data.
func (f *Platform) Enlarge(size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files["AgAD"+strconv.Itoa(len(f.files))].size = size
}

func (f *Platform) getFile(p params) (any, *apiError) {
	file := f.files[strings.TrimSuffix(p.text("file_id"), "-small")]
	switch {
	case file == nil:
		return nil, badRequest("wrong file_id or the file is temporarily unavailable")
	case max(file.size, int64(len(file.data))) > 20<<20:
		return nil, badRequest("file is too big")
	}
	return map[string]any{"file_id": file.id, "file_unique_id": "u" + file.id, "file_path": file.path}, nil
}

func (f *Platform) serveFile(w http.ResponseWriter, path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, file := range f.files {
		if file.path == path {
			_, _ = w.Write(file.data)
			return
		}
	}
	respond(w, nil, &apiError{Code: 404, Description: "Not Found"})
}
