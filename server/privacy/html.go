package privacy

import (
	"fmt"
	"html"
	"io"
	"net/url"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// htmlHead begins a page of an export. It loads nothing and runs nothing.
const htmlHead = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>%s</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem }
dt, time, .who { color: GrayText } dd { margin: 0; overflow-wrap: anywhere }
li { margin: 0 0 0.75rem } ol { list-style: none; padding: 0 }
p { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere }
</style>
<h1>%s</h1>
`

func head(title string) string {
	title = html.EscapeString(title)
	return fmt.Sprintf(htmlHead, title, title)
}

// index writes the page that lists the conversations.
func (e *exporter) index() error {
	return e.page("index.html", head("Conversations")+"<ul>\n"+e.listing.String()+"</ul>\n")
}

func (e *exporter) page(name, text string) error {
	w, err := e.create(name)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

// conversation writes a session for people.
func (e *exporter) conversation(dir string, s *session, messages []chat.Message, entries []chat.TimelineEntry) error {
	title := "Conversation of " + shortTime(s.CreatedAt)
	fmt.Fprintf(&e.listing, "<li><a href=\"%s\">%s</a>, %s</li>\n", html.EscapeString(dir+"conversation.html"), html.EscapeString(title), chat.Count(len(messages), "message"))
	var b strings.Builder
	b.WriteString(head(title))
	b.WriteString("<dl>\n")
	for _, fact := range s.facts() {
		if fact[1] != "" {
			fmt.Fprintf(&b, "<dt>%s</dt><dd>%s</dd>\n", fact[0], html.EscapeString(fact[1]))
		}
	}
	b.WriteString("</dl>\n<h2>Messages</h2>\n<ol>\n")
	for i := range messages {
		writeMessage(&b, &messages[i])
	}
	b.WriteString("</ol>\n")
	if len(entries) > 0 {
		b.WriteString("<h2>What else happened</h2>\n<ol>\n")
		for _, entry := range entries {
			fmt.Fprintf(&b, "<li><time>%s</time> %s <code>%s</code></li>\n", shortTime(entry.At), html.EscapeString(string(entry.Type)), html.EscapeString(string(entry.Data)))
		}
		b.WriteString("</ol>\n")
	}
	return e.page(dir+"conversation.html", b.String())
}

// facts are the lines of a session's head; those without a text are left out.
func (s *session) facts() [][2]string {
	score := ""
	if s.Score > 0 {
		score = fmt.Sprintf("%d of 5", s.Score)
	}
	m := &s.Metadata
	return [][2]string{{"Visitor", s.VisitorID}, {"Started", shortTime(s.CreatedAt)}, {"Last activity", shortTime(s.LastActivity)}, {"Status", string(s.Status)},
		{"Page", m.URL}, {"Country", m.Country}, {"Browser", m.UserAgent}, {"Language", m.Language}, {"Time zone", m.Timezone},
		{"Said of themselves", string(s.Identity)}, {"Form", string(s.PreChat)}, {"Rating", score}, {"Comment", s.Comment}}
}

func writeMessage(b *strings.Builder, m *chat.Message) {
	who := string(m.Sender)
	if m.OperatorName != "" {
		who = m.OperatorName
	}
	if m.Internal {
		who += ", internal note"
	}
	text := m.Content
	if m.DeletedAt != 0 {
		text = "(deleted)"
	}
	fmt.Fprintf(b, "<li><span class=\"who\">%s</span> <time>%s</time><p>%s</p>", html.EscapeString(who), shortTime(m.Timestamp), html.EscapeString(text))
	for _, a := range m.Attachments.V {
		link := url.URL{Path: fileName("", a.ID, a.Filename)}
		fmt.Fprintf(b, "<a href=\"%s\">%s</a> ", html.EscapeString(link.String()), html.EscapeString(a.Filename))
	}
	b.WriteString("</li>\n")
}

func shortTime(t chat.Time) string { return t.Std().Format("2 January 2006, 15:04 UTC") }
