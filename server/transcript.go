package server

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// transcript writes a session for people: to read, to print and to send on.
type transcript struct {
	out   io.Writer
	zone  *time.Location
	who   string // the visitor
	title string
	day   string // of the message before
}

// transcriptPolicy lets a transcript load and run nothing: visitors wrote it.
const transcriptPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// transcript answers GET /api/admin/sessions/{session}/transcript.
func (s *dataAPI) transcript(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	query := r.URL.Query()
	format, notes := query.Get("format"), query.Get("notes")
	if format != "" && format != "html" && format != "text" {
		return nil, web.BadRequest("format must be html or text")
	}
	if notes != "" && notes != "true" && notes != "false" {
		return nil, web.BadRequest("notes must be true or false")
	}
	zone, err := time.LoadLocation(query.Get("timezone"))
	if err != nil || query.Get("timezone") == "Local" {
		return nil, web.BadRequest("timezone must be a name such as Europe/Berlin")
	}
	session, _, err := s.sessionFor(r)
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditExported, session.ID, "as a transcript")
	t := &transcript{out: web.Patient(w), zone: zone, who: visitorName(&session)}
	t.title = "Conversation with " + t.who
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	write := t.html
	if format == "text" {
		web.Attachment(w, "text/plain; charset=utf-8", "relay-conversation-"+session.CreatedAt.Std().In(zone).Format(time.DateOnly)+".txt")
		write = t.text
	} else {
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", transcriptPolicy)
	}
	err = write(&session, func(use func(*chat.Message) error) error {
		return s.eachMessage(r, session.ID, notes != "true", use)
	})
	if err != nil {
		return cutExport(s.log, r, err)
	}
	return web.Written{}, nil
}

// visitorName is what the team calls a session's visitor.
func visitorName(s *chat.Session) string {
	facts := s.IdentityFacts()
	for _, field := range []string{"name", "email"} {
		if name, ok := facts[field].(string); ok && strings.TrimSpace(name) != "" {
			return chat.Clip(chat.OneLine(name), 80)
		}
	}
	return chat.Nickname(s.VisitorID)
}

// sender names who wrote a message.
func (t *transcript) sender(m *chat.Message) string {
	name := m.OperatorName
	switch {
	case m.Sender == chat.SenderVisitor:
		name = t.who
	case m.Sender == chat.SenderAI && name != "":
		name += " (AI)"
	case m.Sender == chat.SenderAI:
		name = "AI"
	case name == "":
		name = "Operator"
	}
	if m.Internal {
		name += ", internal note"
	}
	return name
}

// newDay is the day of a message, if it is another one than that of the message before.
func (t *transcript) newDay(m *chat.Message) string {
	day := m.Timestamp.Std().In(t.zone).Format("Monday, 2 January 2006")
	if day == t.day {
		return ""
	}
	t.day = day
	return day
}

// head are the lines above the messages.
func (t *transcript) head(s *chat.Session) []string {
	lines := []string{"Began on " + s.CreatedAt.Std().In(t.zone).Format("2 January 2006, 15:04") + "; times are those of " + t.zone.String()}
	if page := s.Metadata.V.URL; page != "" {
		lines = append(lines, "Page: "+page)
	}
	return lines
}

// contentOf is what a message says, with its files and buttons.
func contentOf(m *chat.Message) string {
	if m.DeletedAt != 0 {
		return "(deleted)"
	}
	parts := []string{}
	if m.Content != "" {
		parts = append(parts, m.Content)
	}
	for _, a := range m.Attachments.V {
		parts = append(parts, fmt.Sprintf("[File: %s, %s]", a.Filename, sizeText(a.Size)))
	}
	for _, b := range m.Buttons {
		parts = append(parts, strings.TrimSpace("[Button: "+b.Text+" "+b.URL)+"]")
	}
	return strings.Join(parts, "\n")
}

// sizeText words a number of bytes as the console does: a KB is 1,000 of them.
func sizeText(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 999_500:
		return fmt.Sprintf("%d KB", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func (t *transcript) text(s *chat.Session, each func(func(*chat.Message) error) error) error {
	if _, err := fmt.Fprintf(t.out, "%s\n%s\n", t.title, strings.Join(t.head(s), "\n")); err != nil {
		return err
	}
	return each(func(m *chat.Message) error {
		if day := t.newDay(m); day != "" {
			if _, err := fmt.Fprintf(t.out, "\n%s\n\n", day); err != nil {
				return err
			}
		}
		lines := strings.ReplaceAll(contentOf(m), "\n", "\n       ")
		_, err := fmt.Fprintf(t.out, "%s  %s: %s\n", m.Timestamp.Std().In(t.zone).Format("15:04"), t.sender(m), lines)
		return err
	})
}

// transcriptHead is a transcript's page up to its messages: its title, twice, and the lines below it.
const transcriptHead = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>%[1]s</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
html { background: Canvas; color: CanvasText }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; margin: 0 0 0.25rem } h2 { font-size: 1rem; margin: 2rem 0 0.75rem; break-after: avoid }
.head, .from { color: color-mix(in srgb, CanvasText 70%%, Canvas); font-size: 0.875rem; margin: 0; overflow-wrap: anywhere }
.message { margin: 0 0 1rem; break-inside: avoid } .message p { margin: 0 }
.words { white-space: pre-wrap; overflow-wrap: anywhere } .note { border-left: 3px solid; padding-left: 0.75rem }
@media print { body { margin: 0; max-width: none } }
</style></head><body><main>
<h1 dir="auto">%[1]s</h1>
%[2]s`

// html writes the page. Templates would keep every method of the program in it: 7 MB.
func (t *transcript) html(s *chat.Session, each func(func(*chat.Message) error) error) error {
	lines := ""
	for _, line := range t.head(s) {
		lines += `<p class="head">` + html.EscapeString(line) + "</p>\n"
	}
	if _, err := fmt.Fprintf(t.out, transcriptHead, html.EscapeString(t.title), lines); err != nil {
		return err
	}
	err := each(func(m *chat.Message) error {
		class, at := "message", m.Timestamp.Std().In(t.zone)
		if m.Internal {
			class += " note"
		}
		if day := t.newDay(m); day != "" {
			if _, err := fmt.Fprintf(t.out, "<h2>%s</h2>\n", html.EscapeString(day)); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintf(t.out, `<div class="%s"><p class="from"><b dir="auto">%s</b> <time datetime="%s">%s</time></p><p class="words" dir="auto">%s</p></div>`+"\n",
			class, html.EscapeString(t.sender(m)), at.Format(time.RFC3339), at.Format("15:04"), html.EscapeString(contentOf(m)))
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(t.out, "</main></body></html>")
	return err
}
