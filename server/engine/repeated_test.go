package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// withAI opens an engine whose AI answers, without anything that delivers to it.
func withAI(t *testing.T, store *db.DB, mode chat.Mode) *engine.Engine {
	t.Helper()
	env := map[string]chat.Raw{"aiBaseUrl": chat.Raw(`"http://model.example"`), "aiModel": chat.Raw(`"m"`)}
	e, err := engine.Open(t.Context(), engine.Config{Store: store, Log: quiet, Mode: mode, Settings: env, Targets: func(s *chat.Settings) []chat.Target {
		ai := s.AI()
		if !ai.On() {
			return nil
		}
		return []chat.Target{ai.Target()}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// stored reads a session and the revision of its last event.
func stored(t *testing.T, e *engine.Engine, id string) (s chat.Session, last int64) {
	t.Helper()
	err := e.Store.Read(t.Context(), func(r chat.Reader) (err error) {
		if s, err = r.Session(id); err != nil {
			return err
		}
		events, err := r.Events(id, 0, 1000)
		if n := len(events); n > 0 {
			last = events[n-1].Rev
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, last
}

// waiting counts what waits for the AI.
func waiting(t *testing.T, e *engine.Engine) (n int) {
	t.Helper()
	err := e.Store.ReadOne(t.Context(), func(r chat.Reader) (err error) {
		n, err = r.Waiting(chat.AISink)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// aiMode sets the mode of the AI.
func aiMode(t *testing.T, e *engine.Engine, mode string) {
	t.Helper()
	if err := e.PatchSettings(t.Context(), map[string]json.RawMessage{"aiMode": json.RawMessage(`"` + mode + `"`)}); err != nil {
		t.Fatal(err)
	}
}

// TestRepeatedMessageChangesNothing: a client that sends a stored message again gets
// the same one, whatever a new one would do to its session now: nothing is stored.
func TestRepeatedMessageChangesNothing(t *testing.T) {
	take := func(t *testing.T, e *engine.Engine, id string) {
		out, err := e.AIAnswer(t.Context(), engine.AIReply{SessionID: id, ClientID: "a1", Name: "Assistant", Content: "Yes.", Seen: 1 << 40})
		if err != nil || out != engine.AIStored {
			t.Fatal("the AI's answer:", out, err)
		}
	}
	let := func(t *testing.T, e *engine.Engine, id string) {
		if err := e.LetAI(t.Context(), operator, id); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		by      chat.Author
		prepare func(t *testing.T, e *engine.Engine, id string)
	}{
		"the AI drafts now":       {visitor, func(t *testing.T, e *engine.Engine, id string) { take(t, e, id); aiMode(t, e, "draft") }},
		"the AI is off now":       {visitor, func(t *testing.T, e *engine.Engine, id string) { take(t, e, id); aiMode(t, e, "off") }},
		"the AI answers again":    {operator, func(t *testing.T, e *engine.Engine, id string) { let(t, e, id); take(t, e, id) }},
		"the AI may answer again": {operator, let},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
				e := withAI(t, store, chat.ModeCommunity)
				v, err := e.Init(t.Context(), engine.Visit{VisitorID: "v"})
				if err != nil {
					t.Fatal(err)
				}
				id := v.Session.ID
				one := engine.Post{SessionID: id, Content: "one", ClientID: "c1"}
				first, err := e.Send(t.Context(), tt.by, one)
				if err != nil {
					t.Fatal(err)
				}
				tt.prepare(t, e, id)
				before, _ := stored(t, e, id)
				waited := waiting(t, e)
				again, err := e.Send(t.Context(), tt.by, one)
				if err != nil || again.ID != first.ID {
					t.Fatalf("repeated: %s, %v; want %s", again.ID, err, first.ID)
				}
				if now := waiting(t, e); now != waited {
					t.Errorf("%d deliveries wait for the AI, before it were %d", now, waited)
				}
				goesOn(t, e, before, func() error {
					_, err := e.Send(t.Context(), visitor, engine.Post{SessionID: id, Content: "two", ClientID: "c2"})
					return err
				})
				if err := e.Close(t.Context(), operator, id); err != nil {
					t.Error("closing:", err)
				}
			})
		})
	}
}

// goesOn fails unless a session is as before, in step with its events, and takes the
// next message.
func goesOn(t *testing.T, e *engine.Engine, before chat.Session, next func() error) {
	t.Helper()
	s, last := stored(t, e, before.ID)
	if s.Rev != before.Rev || last != s.Rev || s.AIActive != before.AIActive || s.AIEnded != before.AIEnded || s.Unread != before.Unread {
		t.Errorf("it is at revision %d, its last event at %d; before it was at %d", s.Rev, last, before.Rev)
	}
	if err := next(); err != nil {
		t.Error("the next message:", err)
	}
	if s, last := stored(t, e, before.ID); s.Rev <= before.Rev || last != s.Rev {
		t.Errorf("after the next message it is at revision %d, its last event at %d", s.Rev, last)
	}
}

// TestRepeatedBackendMessageChangesNothing is the same for a backend's messages.
func TestRepeatedBackendMessageChangesNothing(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		e := withAI(t, store, chat.ModeBridge)
		b, session := e.Backend(), engine.SessionInfo{ID: "s-1"}
		backend := chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceAPI}
		send := func(id string, sender chat.Sender) error {
			return b.Send(t.Context(), backend, session, engine.BackendMessage{ID: id, Content: "text", Sender: sender})
		}
		if err := send("m-1", chat.SenderOperator); err != nil {
			t.Fatal(err)
		}
		if err := e.LetAI(t.Context(), operator, "s-1"); err != nil {
			t.Fatal(err)
		}
		out, err := e.AIAnswer(t.Context(), engine.AIReply{SessionID: "s-1", ClientID: "a1", Content: "Yes.", Seen: 1 << 40})
		if err != nil || out != engine.AIStored {
			t.Fatal("the AI's answer:", out, err)
		}
		before, _ := stored(t, e, "s-1")
		if err := send("m-1", chat.SenderOperator); err != nil {
			t.Fatal("repeated:", err)
		}
		goesOn(t, e, before, func() error { return send("m-2", chat.SenderVisitor) })
	})
}
