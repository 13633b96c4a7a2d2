package mail_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"log/slog"
	"maps"
	"mime"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/mail"
	"github.com/relay-chat/relay/bridges/mail/mailtest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/team"
)

const (
	base = "https://chat.shop.example"
	ana  = "ana@customer.example"
)

var (
	visitor  = chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}
	operator = chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole, Name: "Ben"}
)

// links are addresses that show what they name.
type links struct{}

func (links) Key(address, about string) string              { return address + " " + about }
func (links) Letter(s *chat.Session, address string) string { return base + "/mail/" + s.ID }

func (links) Invitation(secret string) string { return base + "/console/invitation#" + secret }

// post is an engine that sends e-mails, and the server that takes them.
type post struct {
	*engine.Engine
	t      *testing.T
	server *mailtest.Server
	sink   *mail.Sink
	health *mail.Health
}

// threads names conversations.
var threads = chat.NewMailThreads([]byte("key"))

func newPost(t *testing.T, store *db.DB, more ...map[string]chat.Raw) *post {
	t.Helper()
	p := &post{t: t, server: mailtest.New(t)}
	settings := map[string]chat.Raw{"smtpUrl": chat.MustJSON(p.server.URL()), "mailFrom": chat.Raw(`"chat@shop.example"`), "operatorName": chat.Raw(`"Shop"`)}
	for _, m := range more {
		maps.Copy(settings, m)
	}
	var err error
	p.Engine, err = engine.Open(t.Context(), engine.Config{Store: store, Log: slog.New(slog.DiscardHandler), Targets: bridges.Targets(nil),
		Identity: engine.IdentityRules{}, Settings: settings, PublicURL: base})
	if err != nil {
		t.Fatal(err)
	}
	p.connect(p.server.URL())
	return p
}

// connect makes a sink for a server.
func (p *post) connect(server string) {
	p.health = &mail.Health{}
	p.sink = mail.New(mail.Options{Engine: p.Engine, Server: server, Rate: 6000, Links: links{}, Threads: threads, Files: chat.NewFileLinks("key", base), Base: base, Health: p.health})
}

// begin opens a conversation of a visitor who gave an address.
func (p *post) begin(address, language string) string {
	p.t.Helper()
	v, err := p.Init(p.t.Context(), engine.Visit{VisitorID: chat.NewID(), Metadata: chat.Metadata{Language: language}})
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.Identify(p.t.Context(), visitor, v.Session.ID, map[string]any{"email": address}, ""); err != nil {
		p.t.Fatal(err)
	}
	p.say(visitor, v.Session.ID, "Where is my order?")
	return v.Session.ID
}

func (p *post) say(by chat.Author, sessionID, content string) chat.Message {
	p.t.Helper()
	m, err := p.Send(p.t.Context(), by, engine.Post{SessionID: sessionID, Content: content})
	if err != nil {
		p.t.Fatal(err)
	}
	return m
}

// lane lists the e-mails that wait in a conversation.
func (p *post) lane(sessionID string) (lane []chat.Delivery) {
	p.t.Helper()
	err := p.Store.Read(p.t.Context(), func(r chat.Reader) (err error) {
		lane, err = r.Lane(chat.MailSink, sessionID, 0)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return lane
}

// deliver delivers the newest answer of a conversation, as if it were due.
func (p *post) deliver(sessionID string) error {
	p.t.Helper()
	lane := p.lane(sessionID)
	done, err := p.sink.Deliver(p.t.Context(), lane[len(lane)-1:])
	if (err == nil) != (done == 1) {
		p.t.Errorf("%d done, and %v", done, err)
	}
	return err
}

// arrived returns what arrived, which must be so many letters.
func (p *post) arrived(want int) []mailtest.Letter {
	p.t.Helper()
	list := p.server.Letters()
	if len(list) != want {
		p.t.Fatalf("%d letters, want %d: %+v", len(list), want, list)
	}
	return list
}

// said lists what operators are told of the e-mails of a conversation.
func (p *post) said(sessionID string) (outcomes string) {
	p.t.Helper()
	err := p.Store.Read(p.t.Context(), func(r chat.Reader) error {
		entries, err := r.Timeline(sessionID, 0, 0, 100)
		for _, e := range entries {
			if e.Type == chat.EventMailed {
				_, rest, _ := strings.Cut(string(e.Data), `"outcome":"`)
				outcome, _, _ := strings.Cut(rest, `"`)
				outcomes += outcome + " "
			}
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSpace(outcomes)
}

func (p *post) session(id string) (s chat.Session) {
	p.t.Helper()
	err := p.Store.Read(p.t.Context(), func(r chat.Reader) (err error) {
		s, err = r.Session(id)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

func subject(l mailtest.Letter) string {
	text, _ := new(mime.WordDecoder).DecodeHeader(l.Header.Get("Subject"))
	return text
}

// TestConsent: an address gets one e-mail, and further ones when its owner has opened its link,
// until no more are wanted.
func TestConsent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPost(t, d)
		id := p.begin("Ana@Customer.Example ", "de-AT")
		p.say(operator, id, "It is on its way.\nTomorrow it is yours.")
		if lane := p.lane(id); len(lane) != 1 || lane[0].NextAt.Sub(chat.Now()) < 4*time.Minute {
			t.Fatalf("it waits in %+v", lane)
		}
		p.deliver(id)
		first := p.arrived(1)[0]
		if first.To != ana || first.From != "chat@shop.example" || subject(first) != "Shop hat Ihnen geantwortet" {
			t.Errorf("from %s to %s: %s", first.From, first.To, subject(first))
		}
		for _, want := range []string{"Ben schrieb:\nIt is on its way.\nTomorrow it is yours.", base + "/mail/" + id, "die einzige E-Mail"} {
			if !strings.Contains(first.Text, want) {
				t.Errorf("the text has no %q:\n%s", want, first.Text)
			}
		}
		if strings.Contains(first.Text+first.HTML, "Where is my order?") {
			t.Error("what a visitor wrote goes to an address that may be a stranger's")
		}
		for name, want := range map[string]string{"List-Unsubscribe": "<" + base + "/mail/" + id + ">", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
			"Auto-Submitted": "auto-generated", "List-Id": "<main.chat.chat.shop.example>"} {
			if got := first.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}

		p.say(operator, id, "And now?")
		p.deliver(id)
		p.arrived(1)
		if err := p.ConfirmMail(t.Context(), "", links{}.Key(ana, id)); err != nil {
			t.Fatal(err)
		}
		third := p.say(operator, id, "Is it there?")
		p.deliver(id)
		second := p.arrived(2)[1]
		if second.Header.Get("Message-Id") == first.Header.Get("Message-Id") || second.Header.Get("References") != first.Header.Get("References") {
			t.Errorf("the ids are %v and %v", first.Header, second.Header)
		}
		if !strings.Contains(second.Text, "Is it there?") || !strings.Contains(second.Text, "> Sie schrieb:\n> Where is my order?") || strings.Contains(second.Text, "einzige") {
			t.Errorf("the second one says:\n%s", second.Text)
		}
		p.deliver(id) // it went out already
		p.arrived(2)

		fourth := p.say(operator, id, "Hello?")
		if err := p.MarkRead(t.Context(), visitor, id, []string{third.ID, fourth.ID}); err != nil {
			t.Fatal(err)
		}
		p.deliver(id)
		p.arrived(2)
		if err := p.StopMail(t.Context(), "", links{}.Key(ana, "")); err != nil {
			t.Fatal(err)
		}
		if err := p.ConfirmMail(t.Context(), "", links{}.Key(ana, id)); err != nil {
			t.Fatal(err)
		}
		p.say(operator, id, "One more")
		p.deliver(id)
		p.arrived(2)
		if got := p.said(id); got != "asked unconfirmed sent stopped" {
			t.Errorf("operators are told %q", got)
		}
	})
}

// TestServers: whatever a server does, a letter is not sent twice, and operators are told.
func TestServers(t *testing.T) {
	refusal := func(code int) *smtp.SMTPError {
		return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1}, Message: "No such user here"}
	}
	for _, tt := range []struct {
		name    string
		faults  mailtest.Faults
		pauses  bool   // the sink
		retries bool   // the letter
		letters int    // at the end, when the server works again
		said    string // to operators then
	}{
		{"no such address", mailtest.Faults{To: refusal(550)}, false, false, 0, "refused refused"},
		{"a grey list", mailtest.Faults{To: refusal(450)}, false, true, 1, "asked unconfirmed"},
		{"the sender is refused", mailtest.Faults{From: refusal(553)}, true, true, 1, "asked unconfirmed"},
		{"taken for spam", mailtest.Faults{Data: refusal(554)}, false, false, 1, "refused asked"},
		{"a full disk", mailtest.Faults{Data: refusal(452)}, false, true, 1, "asked unconfirmed"},
		{"cut behind the dot", mailtest.Faults{Cut: true}, false, false, 1, "unknown unconfirmed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPost(t, dbtest.Memory(t))
			id := p.begin(ana, "en")
			p.say(operator, id, "one")
			p.server.Fail(tt.faults)
			err := p.deliver(id)
			var later *chat.RetryAfter
			if (err != nil) != tt.retries || errors.As(err, &later) != tt.pauses {
				t.Errorf("it fails with %v", err)
			}
			if s := p.session(id); s.Mailing || tt.retries != (s.MailedSeq == 0) {
				t.Errorf("the session is left as %+v", s)
			}
			p.server.Fail(mailtest.Faults{})
			if err := p.deliver(id); err != nil {
				t.Error(err)
			}
			p.say(operator, id, "two")
			p.deliver(id)
			p.arrived(tt.letters)
			if got := p.said(id); got != tt.said {
				t.Errorf("operators are told %q, want %q", got, tt.said)
			}
		})
	}
}

// TestWrongPassword: a server that refuses relay itself is left alone, and named.
func TestWrongPassword(t *testing.T) {
	p := newPost(t, dbtest.Memory(t))
	id := p.begin(ana, "en")
	p.say(operator, id, "one")
	for server, want := range map[string]string{
		strings.Replace(p.server.URL(), "p%40ss", "wrong", 1): "does not accept the name and the password",
		"smtp://127.0.0.1:1": "cannot be reached",
		strings.Replace(p.server.URL(), "smtp://", "smtps://", 1):                       "does not speak TLS",
		strings.Replace(p.server.URL(), "smtp://relay:p%40ss%2Fword%25@", "smtp://", 1): "does not let relay send",
	} {
		p.connect(server)
		var later *chat.RetryAfter
		if err := p.deliver(id); !errors.As(err, &later) || later.Scope != chat.ScopeSink {
			t.Errorf("%s: %v", server, err)
		}
		if since, why := p.health.Failing(); since == 0 || !strings.Contains(why.Problem, want) || why.Fix == "" || strings.Contains(why.Error(), "wrong") {
			t.Errorf("%s: %+v", server, why)
		}
	}
	p.connect(p.server.URL())
	if err := p.deliver(id); err != nil {
		t.Fatal(err)
	}
	p.arrived(1)
}

// TestInterrupted: a letter that was begun when relay ended is not sent again, and operators
// are told that nobody knows.
func TestInterrupted(t *testing.T) {
	p := newPost(t, dbtest.Memory(t))
	id := p.begin(ana, "en")
	m := p.say(operator, id, "one")
	if l, err := p.ClaimLetter(t.Context(), id, m.Seq, links{}.Key); err != nil || l == nil {
		t.Fatal(l, err)
	}
	p.say(operator, id, "two")
	p.deliver(id)
	p.arrived(0)
	if got := p.said(id); got != "unknown unconfirmed" {
		t.Errorf("operators are told %q", got)
	}
}

// TestReader: nothing is mailed to who is in the chat, until that ends.
func TestReader(t *testing.T) {
	p := newPost(t, dbtest.Memory(t))
	id := p.begin(ana, "en")
	p.say(operator, id, "one")
	stream, _, err := p.Follow(t.Context(), visitor, id, "")
	if err != nil {
		t.Fatal(err)
	}
	var later *chat.RetryAfter
	if err := p.deliver(id); !errors.As(err, &later) || later.Scope != chat.ScopeLane {
		t.Errorf("it answers %v", err)
	}
	stream.Close()
	p.arrived(0)
}

// TestLimits: an address that strangers give again and again gets little, and a confirmed one
// not without end.
func TestLimits(t *testing.T) {
	p := newPost(t, dbtest.Memory(t))
	id, first := "", ""
	for range 5 {
		id = p.begin(ana, "en")
		first = cmp.Or(first, id)
		p.say(operator, id, "hello")
		p.deliver(id)
	}
	for _, l := range p.arrived(3) {
		if strings.Contains(l.Text, "Where is my order?") {
			t.Error("what a stranger wrote is mailed")
		}
	}
	if got := p.said(id); got != "limit" {
		t.Errorf("operators are told %q", got)
	}
	if err := p.ConfirmMail(t.Context(), "", links{}.Key(ana, first)); err != nil {
		t.Fatal(err)
	}
	p.say(operator, id, "still not to a stranger")
	p.deliver(id)
	p.arrived(3)
	id = first
	var err error
	sent := 3
	for ; err == nil && sent < 100; sent++ {
		p.say(operator, id, "hello")
		err = p.deliver(id)
	}
	var later *chat.RetryAfter
	if !errors.As(err, &later) || sent != 21 {
		t.Errorf("after %d: %v", sent, err)
	}
	p.arrived(20)
}

// TestHostileWords: nothing that somebody typed becomes a header, or HTML.
func TestHostileWords(t *testing.T) {
	p := newPost(t, dbtest.Memory(t))
	id := p.begin(ana, "en")
	evil := operator
	evil.Name = "Eve\r\nBcc: all@customer.example\r\n\r\n<b>"
	p.say(evil, id, "<script>alert(1)</script>\r\n.\r\nQUIT\r\n")
	p.deliver(id)
	l := p.arrived(1)[0]
	if l.Header.Get("Bcc") != "" || strings.Contains(l.HTML, "<script") || strings.Contains(l.HTML, "<b>") || !strings.Contains(l.HTML, "&lt;script&gt;") {
		t.Errorf("%v\n%s", l.Header, l.HTML)
	}
	if !strings.Contains(l.Text, "\n.\nQUIT\n") {
		t.Errorf("the text is %q", l.Text)
	}
	for _, address := range []string{"ana@customer.example\r\nBcc: all@customer.example", "ana@customer.example,bea@customer.example", `"a b"@customer.example`,
		"Ana <ana@customer.example>", "ana@localhost", "ana@[127.0.0.1]", "ana", "@customer.example", strings.Repeat("a", 300) + "@customer.example"} {
		if got := chat.CleanAddress(address); got != "" {
			t.Errorf("%q becomes %q", address, got)
		}
	}
}

// TestLanguages: a letter has all its words in every language of the widget.
func TestLanguages(t *testing.T) {
	p := newPost(t, dbtest.Memory(t))
	for _, language := range []string{"en", "de", "es", "fr", "it", "pt", "nl", "pl", "sv", "tr", "ar", "he", "ja", "zh"} {
		address := language + "@customer.example"
		id := p.begin(address, language)
		if err := p.ConfirmMail(t.Context(), "", links{}.Key(address, id)); err != nil {
			t.Fatal(err)
		}
		p.say(operator, id, "hello")
		p.deliver(id)
		list := p.server.Letters()
		l := list[len(list)-1]
		if l.To != address || !strings.Contains(l.HTML, `lang="`+language+`"`) || strings.Contains(subject(l)+l.Text+l.HTML, "{") ||
			!strings.Contains(subject(l), "Shop") || !strings.Contains(l.Text, "Ben") || strings.Contains(l.Text, "\n\n\n") {
			t.Errorf("%s: %s\n%s", language, subject(l), l.Text)
		}
	}
}

// TestTeam: somebody of the team gets what a visitor wrote who still waits, once, and nothing
// after an answer.
func TestTeam(t *testing.T) {
	p := newPost(t, dbtest.Memory(t))
	rule := map[string]json.RawMessage{"unanswered": json.RawMessage(`[{"after":1,"do":"mail","to":"Team@shop.example"}]`)}
	if err := p.PatchSettings(t.Context(), rule); err != nil {
		t.Fatal(err)
	}
	id := p.begin(ana, "en")
	evil := "hello\r\nBcc: all@customer.example"
	p.say(visitor, id, evil)
	since := p.session(id).WaitingSince
	// asks puts the step's event into the lane, as if its time had come.
	asks := func(state chat.DeliveryState) error {
		t.Helper()
		mail := chat.TeamMail{To: "team@shop.example", Since: since}
		e := chat.NewEvent(chat.EventTeamMail, chat.SourceRelay, chat.Now(), id, mail)
		done, err := p.sink.Deliver(t.Context(), []chat.Delivery{{Dest: chat.MailSink, SessionID: id, Rev: 7, State: state, Event: e}})
		if (err == nil) != (done == 1) {
			t.Errorf("%d done, and %v", done, err)
		}
		return err
	}
	if err := asks(chat.DeliveryPending); err != nil {
		t.Fatal(err)
	}
	l := p.arrived(1)[0]
	if l.To != "team@shop.example" || !strings.HasPrefix(subject(l), "Not answered: ana@customer.example") || l.Header.Get("Bcc") != "" {
		t.Errorf("%s to %s", subject(l), l.To)
	}
	for _, want := range []string{"> Where is my order?\n", "> hello\n> Bcc: all@customer.example\n", base + "/console#/sessions/" + id} {
		if !strings.Contains(l.Text, want) {
			t.Errorf("it has no %q:\n%s", want, l.Text)
		}
	}
	if err := asks(chat.DeliverySending); err != nil { // relay ended while it was sent
		t.Fatal(err)
	}
	p.server.Fail(mailtest.Faults{To: &smtp.SMTPError{Code: 450, Message: "Later"}})
	if asks(chat.DeliveryPending) == nil {
		t.Error("what is put off is done")
	}
	p.server.Fail(mailtest.Faults{})
	p.say(operator, id, "here")
	if err := asks(chat.DeliveryPending); err != nil {
		t.Fatal(err)
	}
	p.arrived(1)
	if got := p.said(id); got != "sent unknown" {
		t.Errorf("operators are told %q", got)
	}
}

// TestMemberLetters: who chose e-mails gets what the visitor wrote, in one thread, and once a day
// who waits.
func TestMemberLetters(t *testing.T) {
	store := dbtest.Memory(t)
	p := newPost(t, store)
	people := team.New(store, p.Engine, nil, slog.New(slog.DiscardHandler)).People
	ben, err := people.Add(t.Context(), chat.Person{Name: "Ben", Email: "ben@shop.example", Role: chat.RoleOperator,
		Preferences: chat.JSON[chat.Preferences]{V: chat.Preferences{Notify: chat.NotifyEverything, Mail: chat.MailWish{When: chat.MailNow}, MailSites: map[string]chat.MailWish{}}}})
	if err != nil {
		t.Fatal(err)
	}
	id := p.begin(ana, "en")
	rev := int64(100)
	sent := func(session string, event chat.EventType, asks any) {
		t.Helper()
		rev++
		e := chat.NewEvent(event, chat.SourceRelay, chat.Now(), session, asks)
		if done, err := p.sink.Deliver(t.Context(), []chat.Delivery{{Dest: chat.MailSink, SessionID: session, Rev: rev, Event: e}}); done != 1 || err != nil {
			t.Fatalf("%d done: %v", done, err)
		}
	}
	since := p.session(id).WaitingSince
	sent(id, chat.EventTeamMail, chat.TeamMail{Person: ben.ID, Since: since, From: since})
	time.Sleep(2 * time.Millisecond) // times have milliseconds
	second := p.say(visitor, id, "And my invoice?")
	sent(id, chat.EventTeamMail, chat.TeamMail{Person: ben.ID, Since: since, From: second.Timestamp})
	letters := p.arrived(2)
	for i, want := range []string{"> Where is my order?\n", "> And my invoice?\n"} {
		l := letters[i]
		if l.To != "ben@shop.example" || subject(l) != "Message from ana@customer.example" || !strings.Contains(l.Text, want) || !strings.Contains(l.Text, "/console#/account") ||
			strings.Contains(l.Text, "Nobody has answered") {
			t.Errorf("%s to %s:\n%s", subject(l), l.To, l.Text)
		}
	}
	sent(id, chat.EventTeamMail, chat.TeamMail{Person: ben.ID, Since: since, Woke: true})
	l := p.arrived(3)[2]
	if subject(l) != "No longer snoozed: ana@customer.example" || !strings.Contains(l.Text, "The snooze has ended, and the visitor waits for an answer.\n\n> Where is my order?\n") {
		t.Errorf("%s:\n%s", subject(l), l.Text)
	}
	if one, two := letters[0].Header.Get("References"), l.Header.Get("References"); one == "" || one != two {
		t.Errorf("the threads are %q and %q", one, two)
	}
	if got := p.said(id); got != "" {
		t.Errorf("colleagues are told %q", got)
	}
	if _, err := people.Change(t.Context(), ben.ID, func(b *chat.Person) error {
		b.Preferences.V.Mail.When = chat.MailDaily
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	sent(engine.SystemSession, chat.EventDailyMail, chat.DailyMail{Person: ben.ID, Since: since})
	l = p.arrived(4)[3]
	if subject(l) != "1 visitor waits for an answer" || !strings.Contains(l.Text, "in 1 conversation since") || !strings.Contains(l.Text, "ana@customer.example\n") ||
		!strings.Contains(l.Text, base+"/console#/sessions/"+id) {
		t.Errorf("%s:\n%s", subject(l), l.Text)
	}
	p.say(operator, id, "here")
	sent(engine.SystemSession, chat.EventDailyMail, chat.DailyMail{Person: ben.ID, Since: chat.Now() + 1})
	p.arrived(4)
}

// TestImages: small images are in the letter, and large ones and other files are links.
func TestImages(t *testing.T) {
	p := newPost(t, dbtest.Memory(t))
	id := p.begin(ana, "en")
	var attached []string
	var drawn bytes.Buffer
	if err := png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 20, 10))); err != nil {
		t.Fatal(err)
	}
	small := drawn.String()
	for _, f := range []struct{ name, content string }{{"small.png", small}, {"large.png", small + strings.Repeat("y", 300<<10)}, {"terms.txt", "be kind"}} {
		a, err := p.Upload(t.Context(), operator, id, f.name, strings.NewReader(f.content))
		if err != nil {
			t.Fatal(err)
		}
		attached = append(attached, a.ID)
	}
	if _, err := p.Send(t.Context(), operator, engine.Post{SessionID: id, AttachmentIDs: attached}); err != nil {
		t.Fatal(err)
	}
	if err := p.deliver(id); err != nil {
		t.Fatal(err)
	}
	l := p.arrived(1)[0]
	if len(l.Images) != 1 {
		t.Errorf("%d images are in the letter", len(l.Images))
	}
	for cid, data := range l.Images {
		if data != "image/png "+small || !strings.Contains(l.HTML, `<img src="cid:`+cid+`" alt="small.png"`) {
			t.Errorf("%s is %.20q in\n%s", cid, data, l.HTML)
		}
	}
	for _, name := range []string{"small.png", "large.png", "terms.txt"} {
		if !strings.Contains(l.Text, name+": "+base) {
			t.Errorf("the text has no link to %s:\n%s", name, l.Text)
		}
		if name != "small.png" && !strings.Contains(l.HTML, ">"+name+"</a>") {
			t.Errorf("%s is no link in\n%s", name, l.HTML)
		}
	}
}

// TestWriteFirst: the team begins a conversation with an address, once, unless its owner wants
// none; it asks for consent like any other.
func TestWriteFirst(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPost(t, d)
		open := func(email, id string) (chat.Session, chat.Message, error) {
			return p.WriteFirst(t.Context(), operator, &engine.Opening{Email: email, Name: "Ana\r\nBcc: x", Content: "Your lamp is here.", ClientID: id, Keys: links{}.Key})
		}
		session, first, err := open("Ana@Customer.Example", "order-1")
		if err != nil {
			t.Fatal(err)
		}
		again, same, err := open(ana, "order-1")
		if err != nil || again.ID != session.ID || same.ID != first.ID {
			t.Errorf("tried again it is %s with %s, %v", again.ID, same.ID, err)
		}
		if err := p.deliver(session.ID); err != nil {
			t.Fatal(err)
		}
		if l := p.arrived(1)[0]; l.To != ana || !strings.Contains(l.Text, "Your lamp is here.") || l.Header.Get("Bcc") != "" ||
			subject(l) != "Shop has written to you" || !strings.Contains(l.Text, "because Shop wrote to this address") || strings.Contains(l.Text, "not you?") {
			t.Errorf("%s got %s\n%s", l.To, subject(l), l.Text)
		}
		refused := func(want, email, id string) {
			t.Helper()
			if _, _, err := open(email, id); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s as %s is answered %v, want %q", email, id, err, want)
			}
		}
		refused("clientId is that of a conversation with another address", "bob@customer.example", "order-1")
		refused("email must be an e-mail address", "Ana <ana@customer.example>", "")
		refused("clientId must be at most", ana, strings.Repeat("x", 200))
		other, _, err := open(ana, "")
		if err != nil || other.ID == session.ID {
			t.Errorf("another one is %s, %v", other.ID, err)
		}
		if err := p.StopMail(t.Context(), "", links{}.Key(ana, "")); err != nil {
			t.Fatal(err)
		}
		refused("wants no e-mails", ana, "")
		bob, _, err := open("bob@customer.example", "")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Block(t.Context(), operator, bob.ID, true); err != nil {
			t.Fatal(err)
		}
		refused("Blocked", "bob@customer.example", "")
	})
}
