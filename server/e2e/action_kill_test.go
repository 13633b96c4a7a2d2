package e2e

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
)

// till is a shop's server over TLS that refunds. It counts the requests of each Idempotency-Key.
type till struct {
	*httptest.Server
	mu   sync.Mutex
	keys map[string]int
	// meets is told of each connection before its handshake, works of each request before its answer.
	meets, works func()
}

func newTill(t *testing.T) *till {
	s := &till{keys: map[string]int{}, meets: func() {}, works: func() {}}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that relay is gone
		s.mu.Lock()
		s.keys[r.Header.Get("Idempotency-Key")]++
		works := s.works
		s.mu.Unlock()
		works()
		fmt.Fprint(w, `{"refund":"booked"}`)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // relay is killed in handshakes
	s.Listener = &meeting{s.Listener, s}
	s.StartTLS()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// set changes what happens at the till.
func (s *till) set(meets, works func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meets, s.works = meets, works
}

// requests are how often something was asked for, and by how many keys.
func (s *till) requests() (times, keys int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.keys {
		times += n
	}
	return times, len(s.keys)
}

func (s *till) of(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[key]
}

// meeting tells of connections before anything is read from them.
type meeting struct {
	net.Listener
	till *till
}

func (l *meeting) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	l.till.mu.Lock()
	meets := l.till.meets
	l.till.mu.Unlock()
	meets()
	return conn, err
}

// trust writes the till's certificate, and returns the setting that makes relay trust it.
func (s *till) trust(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "till.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return "SSL_CERT_FILE=" + file
}

// refunding is a relay whose AI asks for a refund, whatever the visitor writes.
type refunding struct {
	*instance
	t    *testing.T
	till *till
}

func newRefunding(t *testing.T, repeats bool) *refunding {
	s := newTill(t)
	model := aitest.New(t, aitest.Says(`{"sentences":[],"handOver":"no","act":{"name":"refund","arguments":"{}"}}`))
	r := &refunding{boot(t, withAI(t, model, "AI_MODE=answer", "WEBHOOK_ALLOW_CIDRS=127.0.0.0/8", s.trust(t))...), t, s}
	r.call(t, "POST", r.base+"/api/admin/operator/status", r.secret, map[string]any{"online": false}, nil)
	action := map[string]any{"name": "refund", "about": "Refunds an order.", "method": "POST", "changes": true, "repeats": repeats,
		"url": s.URL + "/refunds"}
	if code := r.call(t, "POST", r.base+"/api/admin/ai/actions", r.secret, action, nil); code != 200 {
		t.Fatalf("the action is answered with %d", code)
	}
	return r
}

// proposed opens a conversation in which a refund waits for a yes.
func (r *refunding) proposed(question string) (session string) {
	r.t.Helper()
	session = r.say(r.t, question)
	eventually(r.t, "a refund waits for "+question, func() bool { return r.act(session).State == "waiting" })
	return session
}

type oneAct struct{ ID, State string }

// act is the newest act in a conversation.
func (r *refunding) act(session string) (a oneAct) {
	var list struct{ Acts []oneAct }
	if err := call("GET", r.base+"/api/admin/ai/acts?session="+session, r.secret, nil, &list); err == nil && len(list.Acts) > 0 {
		a = list.Acts[0]
	}
	return a
}

// notes is what operators read in a conversation.
func (r *refunding) notes(session string) string {
	var page json.RawMessage
	if err := call("GET", r.base+"/api/admin/sessions/"+session+"/messages", r.secret, nil, &page); err != nil {
		return ""
	}
	return string(page)
}

func (r *refunding) yes(session string) error {
	return call("POST", r.base+"/api/admin/sessions/"+session+"/commands", r.secret, map[string]any{"command": "!yes"}, nil)
}

// ended waits until an act is over and people are told of it.
func (r *refunding) ended(session, state, told string) {
	r.t.Helper()
	eventually(r.t, "the refund is "+state+", and people are told", func() bool {
		return r.act(session).State == state && strings.Contains(r.notes(session), told)
	})
	if n := strings.Count(r.notes(session), told); n != 1 {
		r.t.Errorf("people are told %d times: %s", n, r.notes(session))
	}
}

const (
	toldUnknown = "relay does not know whether this was done: relay stopped while it was being done."
	toldDone    = "refund: booked"
	toldNothing = "The AI has asked nothing here"
)

// TestKillNineInAction kills relay with SIGKILL between the row and the request of what the AI may
// change, and while the request is answered: it is not sent again unless the server honours
// Idempotency-Key, and people are told that nobody knows.
func TestKillNineInAction(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		sent    bool // the request is, when relay is killed
		repeats bool
		times   int
	}{
		{"before the request", false, false, 0}, {"before a repeatable request", false, true, 1},
		{"during the request", true, false, 1}, {"during a repeatable request", true, true, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			killedInAction(t, tt.sent, tt.repeats, tt.times)
		})
	}
}

func killedInAction(t *testing.T, sent, repeats bool, times int) {
	r := newRefunding(t, repeats)
	session := r.proposed("Please refund my order.")
	there, gone := make(chan struct{}, 9), make(chan struct{})
	hold := func() {
		there <- struct{}{}
		<-gone
	}
	r.till.set(hold, func() {})
	if sent {
		r.till.set(func() {}, hold)
	}
	if err := r.yes(session); err != nil {
		t.Fatal(err)
	}
	<-there
	if a := r.act(session); a.State != "running" {
		t.Errorf("the row says %s before the request", a.State)
	}
	before, _ := r.till.requests()
	r.kill()
	r.till.set(func() {}, func() {})
	close(gone)
	if (before > 0) != sent {
		t.Fatalf("%d requests are sent when relay is killed", before)
	}
	r.restart()
	if repeats {
		r.ended(session, "done", toldDone)
	} else {
		r.ended(session, "unknown", toldUnknown)
	}
	if err := r.yes(session); err != nil { // a person who says yes once more does not repeat it
		t.Fatal(err)
	}
	eventually(t, "a second yes is for nothing", func() bool { return strings.Contains(r.notes(session), toldNothing) })
	r.restart()
	if got, keys := r.till.requests(); got != times || keys > 1 {
		t.Errorf("the shop got %d requests with %d keys, want %d", got, keys, times)
	}
}

// TestKillNineAnywhereInActions kills relay at any moment around a yes: what came of each refund is
// certain, or people are told that it is not.
func TestKillNineAnywhereInActions(t *testing.T) {
	kills := 20
	if testing.Short() {
		kills = 3
	}
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	for _, repeats := range []bool{false, true} {
		r := newRefunding(t, repeats)
		r.till.set(func() {}, func() { time.Sleep(20 * time.Millisecond) }) // it works
		states := map[string]int{}
		for n := range kills {
			session := r.proposed(fmt.Sprint("Refund ", n))
			said := make(chan error)
			go func() { said <- r.yes(session) }()
			time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond) // the moment of the kill is the test's input
			r.kill()
			acknowledged := <-said == nil
			r.restart()
			if !acknowledged { // the person sees no answer, and says it again
				if err := r.yes(session); err != nil {
					t.Fatal(err)
				}
			}
			states[r.outcome(session, repeats)]++
		}
		t.Logf("repeats %v: %v", repeats, states)
	}
}

// outcome waits until people are told what came of a refund, and checks it.
func (r *refunding) outcome(session string, repeats bool) string {
	r.t.Helper()
	told := map[string]string{"unknown": toldUnknown, "done": toldDone}
	var a oneAct
	eventually(r.t, "people are told", func() bool {
		a = r.act(session)
		return told[a.State] != "" && strings.Contains(r.notes(session), told[a.State])
	})
	times, notes := r.till.of(a.ID), r.notes(session)
	good := !repeats && times <= 1
	if a.State == "done" {
		good = times == 1 || repeats && times == 2
	}
	if !good || strings.Count(notes, told[a.State]) != 1 {
		r.t.Errorf("it is %s after %d requests, repeats %v: %s", a.State, times, repeats, notes)
	}
	return a.State
}
