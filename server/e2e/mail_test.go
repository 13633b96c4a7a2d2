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
	var visit struct{ SessionID string }
	check := func(err error) {
		c.t.Helper()
		if err != nil {
			c.t.Fatal(err)
		}
	}
	check(call("POST", relay.base+"/api/widget/init", crashPublicKey, map[string]any{"visitorId": address}, &visit))
	check(call("POST", relay.base+"/api/widget/messages", crashPublicKey, map[string]any{"sessionId": visit.SessionID, "content": "Where is it?"}, nil))
	check(call("POST", relay.base+"/api/widget/identify", crashPublicKey, map[string]any{"sessionId": visit.SessionID, "identity": map[string]any{"email": address}}, nil))
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
