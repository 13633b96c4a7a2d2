package mail_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/relay-chat/relay/bridges/mail"
	"github.com/relay-chat/relay/bridges/mail/mailtest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// asks asks for a transcript, and requires what becomes of it.
func (p *post) asks(by chat.Author, sessionID, want string) {
	p.t.Helper()
	if got, err := p.AskTranscript(p.t.Context(), by, sessionID, links{}.Key); err != nil || got != want {
		p.t.Errorf("the transcript is %q, want %q: %v", got, want, err)
	}
}

// confirmed is a conversation whose visitor has confirmed the address.
func (p *post) confirmed(address, language string) string {
	p.t.Helper()
	id := p.begin(address, language)
	if err := p.ConfirmMail(p.t.Context(), "", links{}.Key(address, id)); err != nil {
		p.t.Fatal(err)
	}
	return id
}

// TestTranscript: all that was said goes to the address that its owner has confirmed, at once and
// once, without what is the team's; three times a day.
func TestTranscript(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPost(t, d)
		id := p.confirmed(ana, "de-AT")
		p.say(operator, id, "It is <b>on its way</b>.")
		if _, err := p.Send(t.Context(), operator, engine.Post{SessionID: id, Content: "she is angry", Internal: true}); err != nil {
			t.Fatal(err)
		}
		gone := p.say(operator, id, "a secret")
		if err := p.Delete(t.Context(), operator, id, gone.ID); err != nil {
			t.Fatal(err)
		}
		p.asks(visitor, id, chat.MailedWaiting)
		lane := p.lane(id)
		if wait := lane[len(lane)-1].NextAt.Sub(chat.Now()); wait > 0 {
			t.Errorf("it waits %s", wait)
		}
		if err := p.deliver(id); err != nil {
			t.Fatal(err)
		}
		l := p.arrived(1)[0]
		if l.To != ana || subject(l) != "Ihr Gespräch mit Shop" || l.Header.Get("List-Unsubscribe") == "" {
			t.Errorf("%s got %s: %v", l.To, subject(l), l.Header)
		}
		today := chat.Now().Std().UTC()
		date := fmt.Sprintf("%d. %s %d, ", today.Day(), strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")[today.Month()-1], today.Year())
		for _, want := range []string{"Hier ist eine Kopie Ihres Gesprächs mit Shop.\n\nSie · " + date, "UTC\nWhere is my order?", "Ben · " + date, "UTC\nIt is <b>on its way</b>.", base + "/mail/" + id} {
			if !strings.Contains(l.Text, want) {
				t.Errorf("the text has no %q:\n%s", want, l.Text)
			}
		}
		if !strings.Contains(l.HTML, "<p>Hier ist eine Kopie Ihres Gesprächs mit Shop.</p>") {
			t.Errorf("the HTML does not say what it is:\n%s", l.HTML)
		}
		if both := l.Text + l.HTML; strings.Contains(both, "angry") || strings.Contains(both, "secret") || strings.Contains(l.HTML, "<b>on") || strings.Contains(both, "weggelassen") {
			t.Errorf("it says:\n%s\n%s", l.Text, l.HTML)
		}
		if err := p.deliver(id); err != nil { // as if relay had ended before it knew
			t.Fatal(err)
		}
		p.arrived(1)

		p.asks(operator, id, chat.MailedWaiting)
		p.asks(visitor, id, chat.MailedWaiting)
		p.asks(visitor, id, chat.MailedLimit)
		p.asks(operator, id, chat.MailedLimit)
		if err := p.deliver(id); err != nil {
			t.Fatal(err)
		}
		if p.arrived(2)[1].Header.Get("Message-Id") == l.Header.Get("Message-Id") {
			t.Error("two transcripts have one id")
		}
		if got := p.said(id); got != "transcript transcript" {
			t.Errorf("operators are told %q", got)
		}
	})
}

// TestTranscriptToStrangers: an address that nobody has confirmed gets the one e-mail that asks for
// that, with nothing in it that a visitor wrote.
func TestTranscriptToStrangers(t *testing.T) {
	p := newPost(t, dbtest.Memory(t))
	id := p.begin(ana, "en")
	p.asks(visitor, id, chat.MailedUnconfirmed) // no answer yet
	answer := p.say(operator, id, "It is on its way.")
	if err := p.MarkRead(t.Context(), visitor, id, []string{answer.ID}); err != nil {
		t.Fatal(err)
	}
	for range 5 { // a visitor is told the same of every address
		p.asks(visitor, id, chat.MailedUnconfirmed)
	}
	p.asks(operator, id, chat.MailedAsked)
	if err := p.deliver(id); err != nil {
		t.Fatal(err)
	}
	l := p.arrived(1)[0]
	if strings.Contains(l.Text+l.HTML, "Where is") || !strings.Contains(l.Text, "It is on its way.") || !strings.Contains(l.Text, "the only e-mail") ||
		subject(l) != "Shop has answered you" {
		t.Errorf("%s\n%s", subject(l), l.Text)
	}
	p.asks(visitor, id, chat.MailedUnconfirmed)
	p.asks(operator, id, chat.MailedUnconfirmed)

	// Another browser that claims the address of somebody who has confirmed it elsewhere.
	other := p.confirmed("bob@customer.example", "en")
	stranger := p.begin("bob@customer.example", "en")
	p.asks(visitor, other, chat.MailedWaiting)
	p.asks(visitor, stranger, chat.MailedUnconfirmed)

	if err := p.StopMail(t.Context(), "", links{}.Key("bob@customer.example", "")); err != nil {
		t.Fatal(err)
	}
	p.asks(visitor, other, chat.MailedStopped)
	p.asks(visitor, stranger, chat.MailedUnconfirmed)
	p.asks(operator, stranger, chat.MailedStopped)
	if err := p.deliver(other); err != nil { // what was asked for before
		t.Fatal(err)
	}
	p.arrived(1)
	if got := p.said(id) + ", " + p.said(other); got != "asked, stopped" {
		t.Errorf("operators are told %q", got)
	}
	nobody := p.begin("", "en")
	for _, by := range []chat.Author{visitor, operator} {
		if _, err := p.AskTranscript(t.Context(), by, nobody, links{}.Key); err == nil || !strings.Contains(err.Error(), "address is not known") {
			t.Errorf("without an address: %v", err)
		}
	}
	off := newPost(t, dbtest.Memory(t), map[string]chat.Raw{"mailFrom": nil})
	for by, want := range map[chat.Sender]string{chat.SenderVisitor: "does not send e-mails", chat.SenderOperator: "set smtpUrl"} {
		who := visitor
		if by == chat.SenderOperator {
			who = operator
		}
		if _, err := off.AskTranscript(t.Context(), who, off.begin(ana, "en"), links{}.Key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without e-mail: %v", err)
		}
	}
}

// TestTranscriptTriedAgain: one that a server puts off goes out later, one that may have been sent
// does not go out again, and a refused address gets no more.
func TestTranscriptTriedAgain(t *testing.T) {
	p := newPost(t, dbtest.Memory(t))
	id := p.confirmed(ana, "en")
	p.asks(visitor, id, chat.MailedWaiting)
	p.server.Fail(mailtest.Faults{To: &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "later"}})
	if err := p.deliver(id); err == nil || p.session(id).Mailing {
		t.Errorf("put off: %v", err)
	}
	p.server.Fail(mailtest.Faults{})
	if err := p.deliver(id); err != nil {
		t.Fatal(err)
	}
	p.arrived(1)

	p.asks(visitor, id, chat.MailedWaiting)
	lane := p.lane(id)
	asked := lane[len(lane)-1].Event.At
	if l, err := p.ClaimTranscript(t.Context(), id, asked, links{}.Key); err != nil || l == nil || !l.Whole {
		t.Fatal(l, err)
	}
	if err := p.deliver(id); err != nil { // relay was ended in between
		t.Fatal(err)
	}
	p.arrived(1)

	p.asks(visitor, id, chat.MailedWaiting)
	p.server.Fail(mailtest.Faults{To: &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}})
	if err := p.deliver(id); err != nil {
		t.Fatal(err)
	}
	if got := p.said(id); got != "transcript unknown refused" {
		t.Errorf("operators are told %q", got)
	}
	if err := p.Erase(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

// TestTranscriptIsRead: what a transcript contains goes out by no other e-mail, and there is none of
// a conversation in which nothing is left.
func TestTranscriptIsRead(t *testing.T) {
	p := newPost(t, dbtest.Memory(t))
	id := p.confirmed(ana, "en")
	answer := p.say(operator, id, "It is on its way.")
	lane := p.lane(id)
	rev := lane[slices.IndexFunc(lane, func(d chat.Delivery) bool { return d.Event.MessageID == answer.ID })].Rev
	p.asks(visitor, id, chat.MailedWaiting)
	if err := p.deliver(id); err != nil {
		t.Fatal(err)
	}
	if letter, err := p.ClaimLetter(t.Context(), id, rev, links{}.Key); err != nil || letter != nil {
		t.Errorf("what was sent is to be sent again: %v, %v", letter, err)
	}
	p.arrived(1)

	id = p.confirmed("bob@customer.example", "en")
	list, err := p.History(t.Context(), visitor, engine.HistoryQuery{SessionID: id, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Messages {
		if err := p.Delete(t.Context(), visitor, id, m.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.AskTranscript(t.Context(), visitor, id, links{}.Key); err == nil || !strings.Contains(err.Error(), "Nothing was said") {
		t.Errorf("of nothing: %v", err)
	}
}

// TestLongTranscript: of a long conversation the newest messages go out.
func TestLongTranscript(t *testing.T) {
	p := newPost(t, dbtest.Memory(t))
	id := p.confirmed(ana, "en")
	for range 110 {
		p.say(operator, id, strings.Repeat("x", 3000)+"\nlast line")
	}
	p.asks(visitor, id, chat.MailedWaiting)
	if err := p.deliver(id); err != nil {
		t.Fatal(err)
	}
	l := p.arrived(1)[0]
	if !strings.HasPrefix(l.Text, "Here is a copy of your conversation with Shop.\n\nEarlier messages are left out here.") || len(l.Text) > 320<<10 || strings.Count(l.Text, "last line") != 102 ||
		strings.Contains(l.Text, "Where is") {
		t.Errorf("%d bytes, %d messages: %.100s", len(l.Text), strings.Count(l.Text, "last line"), l.Text)
	}
}

// TestTranscriptAnswers: visitors are told in their language what becomes of a transcript.
func TestTranscriptAnswers(t *testing.T) {
	p := newPost(t, dbtest.Memory(t))
	for _, language := range []string{"en", "de", "es", "fr", "it", "pt", "nl", "pl", "sv", "tr", "ar", "he", "ja", "zh"} {
		seen := map[string]bool{"": true}
		for _, outcome := range []string{chat.MailedWaiting, chat.MailedAsked, chat.MailedLimit, chat.MailedStopped} {
			text := mail.TranscriptAnswer(language+"-XX", p.Settings(), outcome)
			if seen[text] || strings.Contains(text, "{") {
				t.Errorf("%s: %s is %q", language, outcome, text)
			}
			seen[text] = true
		}
	}
	if got := mail.TranscriptAnswer("tlh", p.Settings(), chat.MailedLimit); !strings.HasPrefix(got, "You’ve already") {
		t.Error(got)
	}
}
