package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// place is where somebody writes.
type place string

const (
	atWidget   place = "widget"
	atConsole  place = "console"
	atAPI      place = "API"
	atPlatform place = "Discord"
)

// said is a message as the model has it.
type said struct {
	from       place
	id, remote string // at relay, and at the platform for what was written there
	text       string
	deleted    bool
}

// talk is one session as the model has it.
type talk struct {
	session, thread string
	closed          bool
	messages        []*said
}

// twin is a relay and its model, which is a list of messages for each session.
type twin struct {
	*world
	in      *instance
	cookie  string
	talks   []*talk
	written int
	crashes int
}

// TestModel lets people write, edit and delete at all four places, in any order, and
// crashes relay in between. In the end the history and Discord are as the model,
// which is nothing but lists.
func TestModel(t *testing.T) {
	inBackground(t)
	drawAtRandom(t)
	messages, crashes, runs := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		m := newTwin(t)
		defer func() { m.in.stop() }()
		rt.Repeat(map[string]func(*rapid.T){
			"visitor writes":     m.visitorWrites,
			"console writes":     func(rt *rapid.T) { m.operatorWrites(rt, atConsole) },
			"API writes":         func(rt *rapid.T) { m.operatorWrites(rt, atAPI) },
			"Discord writes":     m.platformWrites,
			"somebody edits":     m.edits,
			"somebody deletes":   m.deletes,
			"an operator closes": m.closes,
			"relay restarts":     func(*rapid.T) { m.restart(func() { m.in.stop() }) },
			"relay crashes": func(*rapid.T) {
				m.crashes++
				m.restart(m.in.kill)
			},
		})
		m.compare(rt)
		messages, crashes, runs = messages+m.written, crashes+m.crashes, runs+1
	})
	t.Logf("%d runs, %d messages, %d crashes", runs, messages, crashes)
}

var randomly sync.Once

// drawAtRandom says how often models are tried, for all of them: a few times, and longer with -long.
func drawAtRandom(t *testing.T) {
	t.Helper()
	randomly.Do(func() {
		checks := "2"
		if *long {
			checks = "60"
		}
		for name, value := range map[string]string{"checks": checks, "nofailfile": "true", "shrinktime": "20s"} {
			if err := flag.Set("rapid."+name, value); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func newTwin(t *testing.T) *twin {
	t.Helper()
	m := &twin{world: newWorld(t, 0)}
	m.in = m.start()
	m.signIn()
	for i := range 2 {
		var answer struct{ SessionID string }
		if err := call("POST", m.in.base+"/api/widget/init", crashPublicKey, map[string]any{"visitorId": fmt.Sprint("visitor", i)}, &answer); err != nil {
			t.Fatal(err)
		}
		m.talks = append(m.talks, &talk{session: answer.SessionID})
	}
	return m
}

// signIn signs an operator in at the console.
func (m *twin) signIn() {
	m.t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.PostForm(m.in.base+"/console/login", url.Values{"name": {"Olga"}, "key": {crashSecretKey}})
	if err != nil {
		m.t.Fatal(err)
	}
	resp.Body.Close()
	m.cookie, _, _ = strings.Cut(resp.Header.Get("Set-Cookie"), ";")
}

func (m *twin) restart(end func()) {
	end()
	m.in = m.start()
}

// next returns the next message's text, which no other begins with.
func (m *twin) next() string {
	m.written++
	return fmt.Sprintf("m%dx0", m.written)
}

// do makes a request that must be answered with 200.
func (m *twin) do(rt *rapid.T, from place, method, path string, body map[string]any) (id string) {
	var answer struct{ ID string }
	key := map[place]string{atWidget: crashPublicKey, atAPI: crashSecretKey}[from]
	var err error
	if from == atConsole {
		err = m.byCookie(method, path, body, &answer)
	} else {
		err = call(method, m.in.base+path, key, body, &answer)
	}
	if err != nil {
		rt.Fatal(err)
	}
	return answer.ID
}

// byCookie is call with the console's cookie.
func (m *twin) byCookie(method, path string, body map[string]any, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(m.t.Context(), method, m.in.base+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Cookie", m.cookie)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s answers %d %s", method, path, resp.StatusCode, text)
	}
	if err == nil {
		err = json.Unmarshal(text, answer)
	}
	return err
}

// any draws a session that matches, or skips the action.
func (m *twin) any(rt *rapid.T, fits func(*talk) bool) *talk {
	var list []*talk
	for _, k := range m.talks {
		if fits(k) {
			list = append(list, k)
		}
	}
	if len(list) == 0 {
		rt.Skip("no such session")
	}
	return rapid.SampledFrom(list).Draw(rt, "session")
}

func (m *twin) visitorWrites(rt *rapid.T) {
	k := m.any(rt, func(*talk) bool { return true })
	s := &said{from: atWidget, text: m.next()}
	s.id = m.do(rt, atWidget, "POST", "/api/widget/messages", map[string]any{"sessionId": k.session, "content": s.text})
	k.messages, k.closed = append(k.messages, s), false
}

// started reports whether a visitor has written and the session is open.
func started(k *talk) bool { return len(k.messages) > 0 && !k.closed }

func (m *twin) operatorWrites(rt *rapid.T, from place) {
	k := m.any(rt, started)
	s := &said{from: from, text: m.next()}
	s.id = m.do(rt, from, "POST", "/api/admin/sessions/"+k.session+"/messages", map[string]any{"content": s.text})
	k.messages = append(k.messages, s)
}

// platformWrites writes in the session's thread and waits until relay has it: only
// then the order is known.
func (m *twin) platformWrites(rt *rapid.T) {
	k := m.any(rt, started)
	s := &said{from: atPlatform, text: m.next()}
	first := k.messages[0]
	m.until(rt, "the session has a thread", func() bool {
		for _, th := range m.f.Threads() {
			if k.thread == "" && strings.Contains(texts(th), strings.Split(first.text, "x")[0]+"x") {
				k.thread = th.Ref
			}
		}
		return k.thread != "" || first.deleted
	})
	if k.thread == "" {
		rt.Skip("its first message was deleted before it was there")
	}
	s.remote = m.f.Write(k.thread, "Ada", s.text, "")
	m.until(rt, "relay has what was written on Discord", func() bool { return strings.Contains(m.stored(m.in, k.session), s.text) })
	k.messages = append(k.messages, s)
}

// live draws a message that is not deleted.
func (k *talk) live(rt *rapid.T) *said {
	var list []*said
	for _, s := range k.messages {
		if !s.deleted {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		rt.Skip("nothing is left")
	}
	return rapid.SampledFrom(list).Draw(rt, "message")
}

func (m *twin) edits(rt *rapid.T) {
	k := m.any(rt, started)
	s := k.live(rt)
	head, rev, _ := strings.Cut(s.text, "x")
	n, err := strconv.Atoi(rev)
	if err != nil {
		rt.Fatal(err)
	}
	text := fmt.Sprintf("%sx%d", head, n+1)
	switch s.from {
	case atWidget:
		m.do(rt, atWidget, "PATCH", "/api/widget/messages/"+s.id, map[string]any{"sessionId": k.session, "content": text})
	case atPlatform:
		m.f.Edit(k.thread, s.remote, text)
		m.until(rt, "relay has the edit", func() bool { return strings.Contains(m.stored(m.in, k.session), text) })
	default:
		m.do(rt, s.from, "PATCH", "/api/admin/sessions/"+k.session+"/messages/"+s.id, map[string]any{"content": text})
	}
	s.text = text
}

func (m *twin) deletes(rt *rapid.T) {
	k := m.any(rt, started)
	s := k.live(rt)
	switch s.from {
	case atWidget:
		m.do(rt, atWidget, "DELETE", "/api/widget/messages/"+s.id+"?sessionId="+k.session, nil)
	case atPlatform:
		m.until(rt, "Discord can tell relay", m.f.Connected) // it tells nobody later
		m.f.Delete(k.thread, "Ada", s.remote)
		m.until(rt, "relay has the deletion", func() bool { return !strings.Contains(m.stored(m.in, k.session), s.text) })
	default:
		m.do(rt, s.from, "DELETE", "/api/admin/sessions/"+k.session+"/messages/"+s.id, nil)
	}
	s.deleted = true
}

func (m *twin) closes(rt *rapid.T) {
	k := m.any(rt, started)
	m.do(rt, atAPI, "POST", "/api/admin/sessions/"+k.session+"/close", nil)
	k.closed = true
}

func (m *twin) until(rt *rapid.T, what string, ok func() bool) {
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			rt.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// ofModel finds the texts of the model's messages.
var ofModel = regexp.MustCompile(`\bm\d+x\d+\b`)

// compare holds relay to the model.
func (m *twin) compare(rt *rapid.T) {
	for _, k := range m.talks {
		var want []string
		for _, s := range k.messages {
			if !s.deleted {
				want = append(want, s.text)
			}
		}
		if got := ofModel.FindAllString(m.stored(m.in, k.session), -1); !slices.Equal(got, want) {
			rt.Fatalf("the history has %v, the model %v", got, want)
		}
		if len(k.messages) == 0 {
			continue
		}
		var answer struct{ Status string }
		if err := call("GET", m.in.base+"/api/admin/sessions/"+k.session, crashSecretKey, nil, &answer); err != nil || (answer.Status == "closed") != k.closed {
			rt.Fatalf("the session is %q, %v; closed in the model: %t", answer.Status, err, k.closed)
		}
	}
	var shown []string
	m.until(rt, "Discord shows what the model has", func() bool {
		shown = ofModel.FindAllString(texts(allOf(m.f.Threads())), -1)
		slices.Sort(shown)
		return slices.Equal(shown, m.all())
	})
	for _, v := range m.f.Violations() {
		rt.Error(v)
	}
}

// all are the texts that the model has, in no order: threads have one of their own.
func (m *twin) all() (list []string) {
	for _, k := range m.talks {
		for _, s := range k.messages {
			if !s.deleted {
				list = append(list, s.text)
			}
		}
	}
	slices.Sort(list)
	return list
}

// allOf puts threads into one.
func allOf(threads []bridgetest.Thread) (one bridgetest.Thread) {
	for _, th := range threads {
		one.Messages = append(one.Messages, th.Messages...)
	}
	return one
}
