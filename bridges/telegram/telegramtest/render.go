package telegramtest

import (
	"hash/fnv"
	"slices"
	"strconv"
	"time"
)

// topic is a forum topic; its id is that of the service message that made it.
type topic struct {
	id              int64
	name            string
	group           int64 // as it was called when the topic was made
	closed, deleted bool
	messages        []*message
}

type user struct {
	id    int64
	bot   bool
	name  string
	anon  bool   // an administrator who stays anonymous
	title string // of one
}

type message struct {
	id, topic int64
	group     int64 // of its topic, or as the bot named it
	from      user
	date      int64
	edited    int64
	text      string
	entities  []any
	replyTo   int64
	file      *file
	album     string
	receipt   string
	service   map[string]any // of a service message
}

type file struct {
	id, name, mimeType string
	path               string
	data               []byte
	kind               string // photo, voice, document
	size               int64  // as reported, when it is not that of data
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// person is an operator.
func person(name string) user {
	h := fnv.New32a()
	h.Write([]byte(name))
	return user{id: 100000 + int64(h.Sum32()), name: name}
}

func bot() user { return user{id: botID, bot: true, name: "relay"} }

// newMessage gives a message its number and date and puts it into its topic.
func (f *Platform) newMessage(m *message) *message {
	f.lastID++
	m.id, m.date = f.lastID, time.Now().Unix()
	f.messages[m.id] = m
	t := f.topic(m.topic)
	if t != nil {
		m.group = t.group
	}
	if t != nil && m.service == nil {
		t.messages = append(t.messages, m)
	}
	return m
}

// message is the one that a call names in its group.
func (f *Platform) message(p params) *message {
	if m := f.messages[p.int("message_id")]; m != nil && f.sameGroup(m.group, p.int("chat_id")) {
		return m
	}
	return nil
}

// topicIn is the topic that a call names in its group.
func (f *Platform) topicIn(p params) *topic {
	if t := f.topic(p.int("message_thread_id")); t != nil && f.sameGroup(t.group, p.int("chat_id")) {
		return t
	}
	return nil
}

// sameGroup reports whether two ids name one group: the first one may have another since.
func (f *Platform) sameGroup(a, b int64) bool {
	return slices.Contains(f.others, a) == slices.Contains(f.others, b) && (a == b || !slices.Contains(f.others, a))
}

// topic finds a topic that exists.
func (f *Platform) topic(id int64) *topic {
	if t := f.byID[id]; t != nil && !t.deleted {
		return t
	}
	return nil
}

// render shows a message as the Bot API does: one in a topic that answers
// nothing is shown as an answer to the topic's first message.
func (f *Platform) render(m *message) map[string]any {
	out := f.bare(m)
	if m.topic == 0 || f.group.noTopics {
		return out
	}
	switch answered := f.messages[m.replyTo]; {
	case m.replyTo != 0 && answered != nil:
		out["reply_to_message"] = f.bare(answered)
	case m.id != m.topic:
		if root := f.messages[m.topic]; root != nil {
			out["reply_to_message"] = f.bare(root)
		}
	}
	return out
}

// bare shows a message without the one that it answers.
func (f *Platform) bare(m *message) map[string]any {
	out := map[string]any{"message_id": m.id, "date": m.date, "chat": f.chat(m.group), "from": m.from.render()}
	if m.from.anon {
		out["sender_chat"] = f.chat(m.group)
		out["from"] = map[string]any{"id": 1087968824, "is_bot": true, "first_name": "Group", "username": "GroupAnonymousBot"}
		if m.from.title != "" {
			out["author_signature"] = m.from.title
		}
	}
	if m.topic != 0 && !f.group.noTopics {
		out["message_thread_id"], out["is_topic_message"] = m.topic, true
	}
	if m.edited != 0 {
		out["edit_date"] = m.edited
	}
	if m.album != "" {
		out["media_group_id"] = m.album
	}
	for name, value := range m.service {
		out[name] = value
	}
	f.renderContent(m, out)
	return out
}

func (f *Platform) renderContent(m *message, out map[string]any) {
	if m.file == nil {
		if m.text != "" {
			out["text"] = m.text
			if m.entities != nil {
				out["entities"] = m.entities
			}
		}
		return
	}
	if m.text != "" {
		out["caption"] = m.text
	}
	out[m.file.kind] = m.file.render()
}

func (u user) render() map[string]any {
	return map[string]any{"id": u.id, "is_bot": u.bot, "first_name": u.name}
}

func (f *Platform) chat(id int64) map[string]any {
	switch {
	case slices.Contains(f.others, id):
	case f.group.movedTo != 0:
		id = f.group.movedTo
	default:
		id = f.Group
	}
	chat := map[string]any{"id": id, "type": "supergroup", "title": "Support"}
	if !f.group.noTopics {
		chat["is_forum"] = true
	}
	return chat
}

func (t *file) render() any {
	size := t.size
	if size == 0 {
		size = int64(len(t.data))
	}
	one := map[string]any{"file_id": t.id, "file_unique_id": "u" + t.id, "file_size": size}
	switch t.kind {
	case "photo":
		one["width"], one["height"] = 1280, 960
		small := map[string]any{"file_id": t.id + "-small", "file_unique_id": "s" + t.id, "file_size": 900, "width": 90, "height": 67}
		return []any{small, one}
	case "voice":
		one["duration"], one["mime_type"] = 3, t.mimeType
	default:
		one["file_name"], one["mime_type"] = t.name, t.mimeType
	}
	return one
}
