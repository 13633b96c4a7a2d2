package e2e

import (
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
)

// correspondence is a relay with a mail server.
type correspondence struct {
	t       *testing.T
	post    *postfix
	file    string // the database
	port    string
	base    string
	environ []string
}

func newCorrespondence(t *testing.T) *correspondence {
	t.Helper()
	c := &correspondence{t: t, post: startPostfix(t), port: freePort(t)}
	c.base = "http://127.0.0.1:" + c.port
	url := dbtest.FileURL(t)
	c.file = strings.TrimPrefix(url, "sqlite://")
	c.environ = []string{"DATABASE_URL=" + url, "HOST=127.0.0.1", "RELAY_PUBLIC_KEY=" + crashPublicKey, "RELAY_SECRET_KEY=" + crashSecretKey, "PUBLIC_URL=" + c.base,
		"SMTP_URL=" + c.post.url, "MAIL_FROM=Shop <chat@shop.example>", "MAIL_PER_MINUTE=6000", "SSL_CERT_FILE=" + c.post.certificate}
	return c
}

func (c *correspondence) start() *instance {
	c.t.Helper()
	return launchAt(c.t, c.port, "", c.environ)
}

// answered begins a conversation of somebody with an address, who is answered.
func (c *correspondence) answered(relay *instance, address, answer string) (sessionID string) {
	c.t.Helper()
	var visit struct{ SessionID, SessionToken string }
	check := func(err error) {
		c.t.Helper()
		if err != nil {
			c.t.Fatal(err)
		}
	}
	check(call("POST", relay.base+"/api/widget/init", crashPublicKey, map[string]any{"visitorId": address, "useSessionToken": true}, &visit))
	token := []string{"X-Session-Token", visit.SessionToken}
	check(call("POST", relay.base+"/api/widget/messages", crashPublicKey, map[string]any{"sessionId": visit.SessionID, "content": "Where is it?"}, nil, token...))
	check(call("POST", relay.base+"/api/widget/identify", crashPublicKey, map[string]any{"sessionId": visit.SessionID, "identity": map[string]any{"email": address}}, nil, token...))
	check(call("POST", relay.base+"/api/admin/sessions/"+visit.SessionID+"/messages", crashSecretKey, map[string]any{"content": answer}, nil))
	return visit.SessionID
}

// fiveMinutesPass makes what waits to be read due, while relay does not run.
func fiveMinutesPass(t *testing.T, file string) {
	t.Helper()
	store, err := sql.Open("sqlite", file)
	if err == nil {
		defer store.Close()
		_, err = store.ExecContext(t.Context(), "UPDATE deliveries SET next_at = 0 WHERE dest = 'mail' AND state < 2")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// outcomes are what operators are told of a conversation's e-mails.
func (c *correspondence) outcomes(relay *instance, sessionID string) (list []string) {
	c.t.Helper()
	var page struct {
		Timeline []struct {
			Type string
			Data struct{ Outcome string }
		}
	}
	if err := call("GET", relay.base+"/api/admin/sessions/"+sessionID+"/messages", crashSecretKey, nil, &page); err != nil {
		c.t.Fatal(err)
	}
	for _, e := range page.Timeline {
		if e.Type == "mailed" {
			list = append(list, e.Data.Outcome)
		}
	}
	return list
}

// TestMailToVisitors: an answer goes after a visitor who has left, through a real mail server.
func TestMailToVisitors(t *testing.T) {
	t.Parallel()
	c := newCorrespondence(t)
	relay := c.start()
	ana := c.answered(relay, "ana@customer.example", "Grüße! It is on its way.")
	nobody := c.answered(relay, "nobody@customer.example", "hello")
	foreign := c.answered(relay, "ana@elsewhere.example", "hello")
	relay.kill()
	fiveMinutesPass(t, c.file)
	relay = c.start()
	eventually(t, "the e-mail", func() bool { return len(c.post.arrived()) == 1 })
	letter := c.post.arrived()[0]
	if to := letter.Header.Get("To"); to != "<ana@customer.example>" {
		t.Errorf("it goes to %s", to)
	}
	if text := plain(t, letter); !strings.Contains(text, "Gr=C3=BC=C3=9Fe! It is on its way.") || !strings.Contains(text, c.base+"/mail/") {
		t.Errorf("it says %s", text)
	}
	for id, want := range map[string]string{ana: "asked", nobody: "refused", foreign: "refused"} {
		eventually(t, "the outcome "+want, func() bool { return strings.Join(c.outcomes(relay, id), " ") == want })
	}
	code, out, _ := runCommand(t, c.environ, "doctor")
	if !strings.Contains(out, "localhost accepts relay") {
		t.Errorf("doctor ends with %d:\n%s", code, out)
	}
}

// plain is a letter's first part, as it was sent.
func plain(t *testing.T, m *mail.Message) string {
	t.Helper()
	_, boundary, _ := strings.Cut(m.Header.Get("Content-Type"), "boundary=")
	part, err := multipart.NewReader(m.Body, strings.Trim(boundary, `"`)).NextRawPart()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(part)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestKillNineMailsOnce kills relay again and again while e-mails go out. None goes out twice;
// of each, operators are told that it was sent, or that nobody knows.
func TestKillNineMailsOnce(t *testing.T) {
	kills, visitors := 50, 150
	if testing.Short() {
		kills, visitors = 5, 20
	}
	t.Parallel()
	c := newCorrespondence(t)
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	relay := c.start()
	sessions := map[string]string{}
	for i := range visitors {
		address := fmt.Sprintf("visitor%d@customer.example", i)
		sessions[address] = c.answered(relay, address, "hello")
	}
	relay.kill()
	fiveMinutesPass(t, c.file)
	for range kills {
		relay := c.start()
		time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond) // the moment of the kill is the test's input
		relay.kill()
	}
	relay = c.start()
	outcomes := map[string]string{}
	eventually(t, "the last e-mail", func() bool {
		for address, id := range sessions {
			if outcomes[address] == "" {
				outcomes[address] = strings.Join(c.outcomes(relay, id), " ")
			}
			if outcomes[address] == "" {
				return false
			}
		}
		return true
	})
	eventually(t, "the mailbox", func() bool { return c.post.waiting() == 0 })
	arrived, ids := map[string]int{}, map[string]bool{}
	for _, m := range c.post.arrived() {
		arrived[strings.Trim(m.Header.Get("To"), "<>")]++
		ids[m.Header.Get("Message-Id")] = true
	}
	unknown := 0
	for address := range sessions {
		switch n := arrived[address]; {
		case outcomes[address] == "unknown" && n <= 1:
			unknown++
		case outcomes[address] != "asked" || n != 1:
			t.Errorf("%s got %d e-mails, and operators are told %q", address, n, outcomes[address])
		}
	}
	if len(ids) != len(c.post.arrived()) {
		t.Errorf("%d e-mails have %d ids", len(c.post.arrived()), len(ids))
	}
	if unknown == visitors {
		t.Error("nothing is known of any e-mail: the test proves nothing")
	}
	t.Logf("%d kills, %d e-mails, the outcome of %d unknown", kills, len(ids), unknown)
}

// messages are what a conversation has, as "sender: content".
func (c *correspondence) messages(relay *instance, sessionID string) (list []string) {
	c.t.Helper()
	var page struct {
		Messages []struct{ Sender, Content string }
	}
	if err := call("GET", relay.base+"/api/admin/sessions/"+sessionID+"/messages?limit=200", crashSecretKey, nil, &page); err != nil {
		c.t.Fatal(err)
	}
	for _, m := range page.Messages {
		list = append(list, m.Sender+": "+m.Content)
	}
	return list
}

// read has answers read from a Dovecot.
func (c *correspondence) read() *dovecot {
	c.t.Helper()
	box := startDovecot(c.t, c.post)
	c.environ = append(c.environ, "IMAP_URL="+box.url)
	return box
}

// TestMailThereAndBack: an answer goes out through Postfix, is answered, and comes back through
// Dovecot; the doctor looks at both.
func TestMailThereAndBack(t *testing.T) {
	t.Parallel()
	c := newCorrespondence(t)
	box := c.read()
	relay := c.start()
	ana := c.answered(relay, "ana@customer.example", "Grüße! It is on its way.")
	relay.kill()
	fiveMinutesPass(t, c.file)
	relay = c.start()
	eventually(t, "the e-mail", func() bool { return len(c.post.arrived()) == 1 })
	letter := c.post.arrived()[0]
	to := strings.Trim(letter.Header.Get("Reply-To"), "<>")
	if !strings.HasPrefix(to, "chat+") || !strings.HasSuffix(to, "@shop.example") {
		t.Fatalf("answers go to %q", to)
	}
	c.post.mail("ana@customer.example", to, "From: Ana <ana@customer.example>\r\nTo: "+to+"\r\nSubject: Re: x\r\nMessage-ID: <1@customer.example>\r\nIn-Reply-To: "+letter.Header.Get("Message-Id")+
		"\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nSch=F6n!\r\n\r\nAm 28.11.2026 um 10:12 schrieb Shop <"+to+">:\r\n> Gr=FC=DFe! It is on its way.\r\n")
	eventually(t, "the answer", func() bool { return len(c.messages(relay, ana)) == 3 })
	if got := c.messages(relay, ana)[2]; got != "visitor: Schön!" {
		t.Errorf("%q", got)
	}
	if got := strings.Join(c.outcomes(relay, ana), " "); got != "asked answered" {
		t.Errorf("the outcomes are %q", got)
	}
	eventually(t, "the mark", func() bool { all, seen := box.kept(); return all == 1 && seen == 1 })
	var whole struct{ Text string }
	var page struct {
		Timeline []struct{ Data struct{ Mail string } }
	}
	if err := call("GET", relay.base+"/api/admin/sessions/"+ana+"/messages", crashSecretKey, nil, &page); err != nil {
		t.Fatal(err)
	}
	if err := call("GET", relay.base+page.Timeline[len(page.Timeline)-1].Data.Mail, crashSecretKey, nil, &whole); err != nil || !strings.Contains(whole.Text, "> Grüße! It is on its way.") {
		t.Errorf("all of it is %q, %v", whole.Text, err)
	}
	var trip struct {
		Sent, Arrived bool
		To, Error     string
	}
	if err := call("POST", relay.base+"/api/admin/mail/round-trip", crashSecretKey, nil, &trip); err != nil || !trip.Sent || !trip.Arrived {
		t.Errorf("the way there and back: %+v, %v", trip, err)
	}
	code, out, _ := runCommand(t, c.environ, "doctor")
	if !strings.Contains(out, "INBOX at localhost opens, with 2 e-mails") {
		t.Errorf("doctor ends with %d:\n%s", code, out)
	}
	code, _, said := runCommand(t, append(c.environ, "IMAP_URL=https://imap.example.com"), "serve")
	if code != 2 || !strings.Contains(said, "IMAP_URL (environment) must begin with imap:// or imaps://") {
		t.Errorf("a wrong mailbox ends with %d:\n%s", code, said)
	}
}

// TestKillNineAnswersOnce kills relay again and again while it reads answers. Each becomes one
// message, in their order.
func TestKillNineAnswersOnce(t *testing.T) {
	kills, each := 50, 4
	if testing.Short() {
		kills = 5
	}
	t.Parallel()
	c := newCorrespondence(t)
	box := c.read()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	relay := c.start()
	id := c.answered(relay, "ana@customer.example", "hello")
	relay.kill()
	fiveMinutesPass(t, c.file)
	relay = c.start()
	eventually(t, "the e-mail", func() bool { return len(c.post.arrived()) == 1 })
	to := strings.Trim(c.post.arrived()[0].Header.Get("Reply-To"), "<>")
	eventually(t, "the mailbox", func() bool {
		var state struct{ Mailbox struct{ State string } }
		return call("GET", relay.base+"/api/admin/mail", crashSecretKey, nil, &state) == nil && state.Mailbox.State == "running"
	})
	time.Sleep(200 * time.Millisecond) // until it has noted where the mailbox ends: what is there before is not read
	want := c.messages(relay, id)
	put := func() {
		for range each {
			n := len(want)
			box.put(fmt.Sprintf("From: ana@customer.example\nTo: %s\nSubject: Re: x\nMessage-ID: <%d@customer.example>\n\nAnswer %d\n", to, n, n))
			want = append(want, fmt.Sprintf("visitor: Answer %d", n))
		}
	}
	for i := range kills {
		if i < 7 { // more than thirty an hour stay in the mailbox
			put()
		}
		time.Sleep(time.Duration(random.IntN(150)) * time.Millisecond) // the moment of the kill is the test's input
		relay.kill()
		relay = c.start()
	}
	for got := 0; got < len(want); { // on a busy machine each takes a moment
		before := got
		eventually(t, "the next answer", func() bool { got = len(c.messages(relay, id)); return got > before })
	}
	if got := strings.Join(c.messages(relay, id), "|"); got != strings.Join(want, "|") {
		t.Errorf("%s", got)
	}
	eventually(t, "the marks", func() bool { all, seen := box.kept(); return all == each*min(kills, 7) && seen == all })
}
