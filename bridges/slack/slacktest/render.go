package slacktest

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// message is a message of the channel.
type message struct {
	channel    string
	ts, thread string // thread is "" outside of threads, and of what begins one
	user       string // id; "" of a bot that shows another name
	starter    string // the user who began the thread
	latest     string // the newest reply
	bot, app   string // ids of an app that wrote it
	team       string // of a user of another workspace
	username   string
	text       string // in Slack's markup
	plain      bool   // without markup (mrkdwn false)
	rich       string // what is shown in the place of text, without markup
	subtype    string
	edited     string
	metadata   map[string]any
	files      []*file
	reactions  []string // of the app
	tombstone  bool
	gone       bool
}

type file struct {
	id, name, mimeType string
	data               []byte
	uploaded, shared   bool
	external           string // the address of a file elsewhere
	hidden             bool   // the app may not read it
	deleted            bool
}

// colons are some of the emoji that Slack keeps as codes.
var (
	colons   = strings.NewReplacer("💬", ":speech_balloon:", "ℹ️", ":information_source:", "📎", ":paperclip:", "✏️", ":pencil2:")
	uncolons = strings.NewReplacer(":speech_balloon:", "💬", ":information_source:", "ℹ️", ":paperclip:", "📎", ":pencil2:", "✏️")
	entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
	bold     = regexp.MustCompile(`(?m)(^|\s)\*([^*\n]+)\*($|\s)`)
	linked   = regexp.MustCompile(`<([^<>|]+)(?:\|([^<>]*))?>`)
	address  = regexp.MustCompile(`https?://[^\s<>]+`)
)

// render shows a message as the Web API and events do.
func (m *message) render() map[string]any {
	out := map[string]any{"type": "message", "channel": m.channel, "ts": m.ts, "text": m.text,
		// A strict reader stumbles over these.
		"blocks": []any{map[string]any{"type": "rich_text", "block_id": 7, "elements": "odd"}}}
	for name, value := range map[string]string{"user": m.user, "bot_id": m.bot, "app_id": m.app, "username": m.username, "subtype": m.subtype,
		"thread_ts": m.thread, "parent_user_id": m.starter, "latest_reply": m.latest} {
		if value != "" {
			out[name] = value
		}
	}
	if m.team != "" && m.subtype == "" { // files name no workspace
		out["team"], out["user_team"], out["source_team"] = m.team, m.team, m.team
	}
	if m.edited != "" {
		out["edited"] = map[string]any{"user": m.user, "ts": m.edited}
	}
	if m.tombstone {
		out = map[string]any{"type": "message", "channel": m.channel, "subtype": "tombstone", "ts": m.ts, "thread_ts": m.ts, "user": "USLACKBOT", "hidden": true,
			"text": "This message was deleted."}
	}
	files := []any{}
	for _, file := range m.files {
		files = append(files, file.render())
	}
	if len(files) > 0 {
		out["files"] = files
	}
	return out
}

// withMetadata is a message with its metadata, which is sent on demand only.
func (m *message) withMetadata(wanted bool) map[string]any {
	out := m.render()
	delete(out, "channel") // which only events name
	if wanted && m.metadata != nil && !m.tombstone {
		out["metadata"] = m.metadata
	}
	return out
}

func (f *file) render() map[string]any {
	if f.deleted {
		return map[string]any{"id": f.id, "mode": "tombstone"}
	}
	out := map[string]any{"id": f.id, "name": f.name, "title": f.name, "mimetype": f.mimeType, "size": len(f.data), "mode": "hosted", "created": 1700000000,
		"url_private": "http://slack.test/files/" + f.id, "url_private_download": "http://slack.test/files/" + f.id}
	if f.external != "" {
		out["mode"], out["is_external"], out["url_private"] = "external", true, f.external
		delete(out, "url_private_download")
	}
	return out
}

// shown is a message as operators see it.
func (m *message) shown() bridgetest.Message {
	if m.rich != "" {
		return m.dressed(m.rich)
	}
	text := m.text
	if !m.plain {
		text = bold.ReplaceAllString(text, "$1$2$3")
	}
	text = linked.ReplaceAllStringFunc(text, func(link string) string {
		parts := linked.FindStringSubmatch(link)
		if parts[2] != "" {
			return parts[2]
		}
		return parts[1]
	})
	return m.dressed(uncolons.Replace(entities.Replace(text)))
}

// dressed is what a message shows besides its text.
func (m *message) dressed(text string) bridgetest.Message {
	if m.username != "" {
		text = m.username + "\n" + text
	}
	out := bridgetest.Message{Remote: m.ts, FromBot: m.bot != "", Text: text}
	for _, file := range m.files {
		out.Filename, out.Data = file.name, file.data
	}
	if len(m.reactions) > 0 {
		out.Receipt = m.reactions[len(m.reactions)-1]
	}
	return out
}

// closed reports whether a thread's first message says that it is closed.
func (m *message) closed() bool { return strings.HasPrefix(m.text, "[closed]") }

// in lists the replies of a thread that are there.
func (f *Platform) in(thread string) (list []*message) {
	for _, m := range f.messages {
		if m.thread == thread && !m.gone {
			list = append(list, m)
		}
	}
	return list
}

// live finds a message that is there.
func (f *Platform) live(ts string) *message {
	if m := f.byTS[ts]; m != nil && !m.gone && !m.tombstone {
		return m
	}
	return nil
}

// liveIn is live for a message of a channel.
func (f *Platform) liveIn(channel, ts string) *message {
	if m := f.live(ts); m != nil && m.channel == channel {
		return m
	}
	return nil
}

// add puts a message into its channel.
func (f *Platform) add(m *message) *message {
	m.ts = f.newTS()
	m.text = colons.Replace(m.text)
	m.channel = cmp.Or(m.channel, f.Channel)
	if first := f.byTS[m.thread]; first != nil {
		m.channel = first.channel
		m.starter, first.latest = first.user, m.ts
	}
	f.messages, f.byTS[m.ts] = append(f.messages, m), m
	return m
}

// Threads implements [bridgetest.Platform]: what the app's messages in the channel begin.
func (f *Platform) Threads() (list []bridgetest.Thread) {
	f.mu.Lock()
	defer f.mu.Unlock()
	replies := map[string][]bridgetest.Message{}
	for _, m := range f.messages {
		if m.thread != "" && !m.gone {
			replies[m.thread] = append(replies[m.thread], m.shown())
		}
	}
	for _, m := range f.messages {
		if m.thread != "" || m.bot != botID || m.gone || m.tombstone {
			continue
		}
		first := m.shown()
		title, _, _ := strings.Cut(first.Text, "\n")
		list = append(list, bridgetest.Thread{Ref: m.ts, Title: title, Closed: m.closed(), Channel: m.channel, Messages: slices.Concat([]bridgetest.Message{first}, replies[m.ts])})
	}
	return list
}
