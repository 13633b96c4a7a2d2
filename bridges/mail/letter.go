package mail

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"net/mail"
	"net/url"
	"strings"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// fileLife is how long the links to files work: as long as the letter's own link.
const fileLife = 30 * 24 * time.Hour

// phrases are the words of a letter in one language. {name} is who answers in the chat, {who}
// who wrote a message.
type phrases struct {
	Subject, Wrote, You, Before, GoOn, Answer, Ask, AskAnswer, Stranger, Why, Stop string
	FirstSubject, FirstWhy                                                         string // to whom the team writes first
	Transcript, Copy, AI                                                           string // of one: its subject, its first line, who is no person
	Date, Months                                                                   string // {d}, {m}, {y} and {t}; twelve words
	LeftOut                                                                        string // above one: earlier messages
	// Who asks for a transcript is told one of these.
	Coming, Confirm, NoMail, Enough string
	CodeSubject, Code, CodeUse      string // a code that proves an address
}

//go:embed words.json
var wordsFile []byte

var languages = sync.OnceValue(func() (list map[string]phrases) {
	if err := json.Unmarshal(wordsFile, &list); err != nil {
		panic(err)
	}
	return list
})

// rightToLeft are the languages that are written like that.
var rightToLeft = map[string]bool{"ar": true, "he": true}

// languageOf is the visitor's language, if there are words in it; a site may have chosen one.
func languageOf(s *chat.Session, settings *chat.Settings) string {
	return knownLanguage(settings.Text("language"), s.Metadata.V.Language)
}

// knownLanguage is the first one in which there are words.
func knownLanguage(list ...string) string {
	for _, wanted := range list {
		base, _, _ := strings.Cut(strings.ToLower(wanted), "-")
		if _, known := languages()[base]; known {
			return base
		}
	}
	return "en"
}

// said is a message as a letter shows it.
type said struct {
	who   string
	lines []string
	files []file
}

// page is what stands in a letter.
type page struct {
	phrases
	language, name, colour string
	quoted, messages       []said
	asks, answerable, cut  bool
	link                   string
	zone                   *time.Location // of a transcript's times, nil for a letter
}

// compose writes a letter. Its id is made of the conversation and its newest message, so that
// one letter never has two, and names the conversation to those who answer.
func (s *Sink) compose(ctx context.Context, l *engine.Letter, from *mail.Address, settings *chat.Settings) *gomail.Msg {
	language := languageOf(&l.Session, settings)
	p := page{phrases: languages()[language], language: language, asks: l.Asks, link: s.opts.Links.Letter(&l.Session, l.To),
		name: cmp.Or(from.Name, s.opts.Engine.Sites().ShownName(l.Session.Site), from.Address), colour: settings.Text("primaryColor")}
	thread := ""
	if l.Session.TokenHash != "" { // without one, whoever knows the session's id reads it
		thread = s.opts.Threads.Visitor(l.Session.ID)
	}
	p.answerable = thread != "" && s.answerable()
	if l.First() {
		p.Subject, p.Why, p.Stranger = p.FirstSubject, p.FirstWhy, ""
	}
	about := "letter\n"
	if l.Whole {
		p.Subject, p.cut, p.zone, about = p.Transcript, l.Cut, zoneOf(&l.Session), "transcript\n"
	}
	p.fill()
	p.quoted, p.messages = s.show(l.Quoted, &p, settings), s.show(l.Messages, &p, settings)
	host := hostOf(s.opts.Base)
	m := newLetter(&mail.Address{Name: p.name, Address: from.Address}, l.To, subjectOf(l, p.Subject), letterID(about+l.About(), thread, host))
	head(m, &l.Session, host, p.link, l.Answered)
	if reply := chat.MailReply(settings.Mail().Reply, from.Address, thread); p.answerable && reply != "" {
		m.SetGenHeader("Reply-To", "<"+reply+">")
	}
	if !l.Whole {
		s.embed(ctx, m, p.messages, host)
	}
	m.SetBodyString(gomail.TypeTextPlain, p.text())
	m.AddAlternativeString(gomail.TypeTextHTML, p.html())
	return m
}

// letterID is the id of an e-mail about something, which names a conversation, if it may.
func letterID(about, thread, host string) string {
	id := chat.Hash(about)[:32]
	if thread != "" {
		id = thread + "." + id
	}
	return id + "@" + host
}

// subjectAfter is the subject of an answer to an e-mail, so that mail programs show both in one
// thread, or another one if there was none.
func subjectAfter(answered *chat.ReceivedMail, other string) string {
	switch {
	case answered == nil || answered.Subject == "":
		return other
	case strings.HasPrefix(strings.ToLower(answered.Subject), "re:"):
		return answered.Subject
	}
	return "Re: " + answered.Subject
}

// head sets what mail programs go by: RFC 2369 and 8058 to refuse more, RFC 2919 to sort.
func head(m *gomail.Msg, session *chat.Session, host, link string, answered *chat.ReceivedMail) {
	references := "<" + chat.Hash("conversation\n" + session.ID)[:32] + "@" + host + ">"
	before := references
	if answered != nil && answered.Header != "" {
		before = answered.Header
		references += " " + before
	}
	m.SetGenHeader(gomail.HeaderReferences, references)
	m.SetGenHeader(gomail.HeaderInReplyTo, before)
	m.SetGenHeader("List-Id", "<"+chat.SiteName(session.Site)+".chat."+host+">")
	m.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+link+">")
	m.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	m.SetGenHeader(gomail.HeaderXAutoResponseSuppress, "All")
}

func hostOf(base string) string {
	if u, err := url.Parse(base); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return "localhost"
}

// fill writes the names into the phrases.
func (p *page) fill() {
	if p.answerable {
		p.Ask = p.AskAnswer
	}
	for _, text := range []*string{&p.Subject, &p.Why, &p.Copy} {
		*text = chat.OneLine(strings.ReplaceAll(*text, "{name}", p.name))
	}
}

// show prepares messages for a letter.
func (s *Sink) show(list []chat.Message, p *page, settings *chat.Settings) (out []said) {
	for _, m := range list {
		who := p.You
		if m.Sender != chat.SenderVisitor {
			who = cmp.Or(m.OperatorName, settings.Text("operatorName"), p.name)
		}
		s.opts.Files.Show(&m, chat.Now().Add(fileLife))
		one := said{who: strings.ReplaceAll(p.Wrote, "{who}", chat.OneLine(who))}
		if p.zone != nil {
			one.who = p.headOf(&m, who)
		}
		for _, f := range m.Attachments.V {
			one.files = append(one.files, file{Attachment: f})
		}
		if m.Content != "" {
			one.lines = strings.Split(m.Content, "\n")
		}
		for _, button := range m.Buttons {
			if button.URL != "" { // a tap is of no use in an e-mail
				one.lines = append(one.lines, button.Text+": "+button.URL)
			}
		}
		out = append(out, one)
	}
	return out
}

// text is the letter without any form.
func (p *page) text() string {
	var b strings.Builder
	write := func(list []said, before string) {
		for _, m := range list {
			b.WriteString(before + m.who + "\n")
			for _, line := range m.lines {
				b.WriteString(before + line + "\n")
			}
			for _, f := range m.files {
				b.WriteString(before + f.Filename + ": " + f.URL + "\n")
			}
			b.WriteString(strings.TrimSpace(before) + "\n")
		}
	}
	for _, line := range p.above() {
		b.WriteString(line + "\n\n")
	}
	write(p.messages, "")
	b.WriteString(p.GoOn + ":\n" + p.link + "\n\n")
	if p.answerable && !p.asks {
		b.WriteString(p.Answer + "\n\n")
	}
	if p.asks {
		b.WriteString(strings.TrimSpace(p.Ask+" "+p.Stranger) + "\n\n")
	}
	if len(p.quoted) > 0 {
		b.WriteString(p.Before + "\n\n")
		write(p.quoted, "> ")
	}
	b.WriteString("-- \n" + p.Why + "\n" + p.Stop + ": " + p.link + "\n")
	return b.String()
}
