package discordtest

import (
	"net/http"
	"regexp"
	"strings"
	"time"
)

// renderMessage makes the message object.
func (f *Platform) renderMessage(m *message) map[string]any {
	out := map[string]any{"id": m.id, "channel_id": m.channel, "type": m.kind, "content": m.content, "embeds": m.embeds, "mentions": []any{},
		"author":    map[string]any{"id": m.from.id, "username": strings.ToLower(m.from.name), "global_name": m.from.name, "bot": m.from.bot},
		"timestamp": m.written.UTC().Format(time.RFC3339Nano), "edited_timestamp": nil}
	if m.from.bot {
		out["author"].(map[string]any)["global_name"] = nil
	}
	if !m.edited.IsZero() {
		out["edited_timestamp"] = m.edited.UTC().Format(time.RFC3339Nano)
	}
	if m.webhook != "" {
		out["webhook_id"] = m.webhook
	}
	if m.replyTo != "" {
		out["message_reference"] = map[string]any{"type": 0, "message_id": m.replyTo, "channel_id": m.channel}
	}
	if th := f.threadOf(m.id); th != nil {
		out["thread"] = f.render(th)
	}
	files := []any{}
	for _, file := range m.files {
		files = append(files, map[string]any{"id": file.id, "filename": file.name, "content_type": file.mimeType,
			"size": max(file.size, int64(len(file.data))), "url": f.cdn() + file.id + "/" + file.name + "?ex=1&is=2&hm=canary"})
	}
	out["attachments"] = files
	return out
}

// payload is a message as the gateway sends it.
func (f *Platform) payload(m *message) map[string]any {
	out := f.renderMessage(m)
	out["guild_id"], out["member"] = guildID, map[string]any{"nick": f.nick(m.from.id), "roles": []any{}}
	return out
}

// nick is what a member is called on the server, null without a name of its own.
func (f *Platform) nick(user string) any {
	if nick := f.server.nicks[user]; nick != "" {
		return nick
	}
	return nil
}

func (f *Platform) cdn() string {
	if f.URL == "" {
		return "http://cdn.discord.test/cdn/"
	}
	return f.URL + "/cdn/"
}

// serveFile serves a file. The token must not be brought.
func (f *Platform) serveFile(w http.ResponseWriter, r *http.Request) {
	id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/cdn/"), "/")
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Header.Get("Authorization") != "" {
		f.Violate("the token was brought to the files' server")
	}
	file := f.files[id]
	if file == nil || r.URL.Query().Get("hm") == "" {
		http.Error(w, "This content is no longer available.", http.StatusNotFound)
		return
	}
	_, _ = w.Write(file.data)
}

// shown is what a message's text looks like: an embed's author, text and footer
// belong to it.
func (m *message) shown() string {
	parts := []string{shownText(m.content)}
	for _, e := range m.embeds {
		embed := e.(map[string]any)
		for _, name := range []string{"author", "description", "footer"} {
			switch v := embed[name].(type) {
			case string:
				parts = append(parts, shownText(v))
			case map[string]any:
				text, _ := v["name"].(string)
				foot, _ := v["text"].(string)
				parts = append(parts, text+foot)
			}
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// Discord's markdown, as far as a text without it has to be distinguished from one with:
// what would be markup is taken out, so that a text that was not escaped does
// not show as it was written.
var (
	lineMark  = regexp.MustCompile(`^\s*(-#|#{1,3}|>>>|>|[-*+]|\d+[.)])\s+`)
	linkMark  = regexp.MustCompile(`^\[([^\]]*)\]\(\S+?\)`)
	angleMark = regexp.MustCompile(`^<(@[!&]?\d+|#\d+|a?:\w+:\d+|t:\d+(:\w)?|https?://[^>\s]+|id:\w+)>`)
	autolink  = regexp.MustCompile(`^https?://[^\s<]+`)
	callMark  = regexp.MustCompile(`^@(everyone|here)`)
)

// shownText is a text as Discord shows it.
func shownText(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if mark := lineMark.FindString(line); mark != "" {
			line = line[len(mark):]
		}
		lines[i] = shownLine(line)
	}
	return strings.Join(lines, "\n")
}

func shownLine(rest string) string {
	var out strings.Builder
	for rest != "" {
		if len(rest) > 1 && rest[0] == '\\' && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", rest[1]) >= 0 {
			out.WriteByte(rest[1])
			rest = rest[2:]
			continue
		}
		if link := autolink.FindString(rest); link != "" {
			out.WriteString(link)
			rest = rest[len(link):]
			continue
		}
		if mark, shows := markup(rest); mark > 0 {
			out.WriteString(shows)
			rest = rest[mark:]
			continue
		}
		out.WriteByte(rest[0])
		rest = rest[1:]
	}
	return out.String()
}

// markup is how long the mark is that a text begins with, and what shows of it.
func markup(text string) (length int, shows string) {
	if m := linkMark.FindStringSubmatch(text); m != nil {
		return len(m[0]), m[1]
	}
	if m := angleMark.FindString(text); m != "" {
		return len(m), "{mention}"
	}
	if m := callMark.FindString(text); m != "" {
		return len(m), "{everybody}"
	}
	for _, mark := range []string{"**", "__", "~~", "||", "```", "*", "_", "`"} {
		if strings.HasPrefix(text, mark) {
			return len(mark), ""
		}
	}
	return 0, ""
}
