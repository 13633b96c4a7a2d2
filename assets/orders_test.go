package assets_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Orders and questions of the tests to the fake server.

// only returns the one session that a test has.
func (f *fake) only(t *testing.T) *fakeSession {
	t.Helper()
	for _, s := range f.sessions {
		return s
	}
	t.Fatal("no session")
	return nil
}

// do runs a change in the one session under the lock.
func (f *fake) do(t *testing.T, change func(s *fakeSession)) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f.only(t))
}

// reply adds an operator's message.
func (f *fake) reply(t *testing.T, text string) {
	t.Helper()
	f.do(t, func(s *fakeSession) {
		f.add(s, object{"content": text, "sender": "operator", "operatorName": "Ana"})
	})
}

// texts lists the visitor's messages in one session, s1 or s2, in the order of their beginning.
func (f *fake) texts(session int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	ids := slices.Collect(maps.Keys(f.sessions))
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	if session > len(ids) {
		return "no session"
	}
	var texts []string
	for _, m := range f.sessions[ids[session-1]].messages {
		texts = append(texts, fmt.Sprint(m["content"]))
	}
	return strings.Join(texts, ", ")
}

// state sends a state to the streams.
func (f *fake) state(t *testing.T, name string, data object) {
	t.Helper()
	f.do(t, func(s *fakeSession) { s.send(fakeEvent{name: name, data: data}) })
}

// fact sends a fact to the streams.
func (f *fake) fact(t *testing.T, name string, data object) {
	t.Helper()
	f.do(t, func(s *fakeSession) { s.fact(name, data) })
}

// refuse orders answers for the next calls of a route.
func (f *fake) refuse(route string, list ...refusal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refusals[route] = append(f.refusals[route], list...)
}

// count returns how often a route was called.
func (f *fake) count(route string) int { return len(f.bodies(route)) }

// bodies lists what a route was sent.
func (f *fake) bodies(route string) []object {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []object
	for _, c := range f.calls {
		if c.route == route {
			out = append(out, c.body)
		}
	}
	return out
}

// total counts all calls.
func (f *fake) total() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls)
}

// visitors counts the sessions.
func (f *fake) visitors() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.sessions)
}

func (f *fake) streams() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, s := range f.sessions {
		n += len(s.streams)
	}
	return n
}
