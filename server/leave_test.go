package server_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/hub"
)

func TestDisconnectIsChecked(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		path := "/api/widget/disconnect?apiKey=" + publicKey
		s.refused(s.call("POST", path, "", object{"sessionId": id, "reason": "bored"}), 400, "reason must be one of")
		s.refused(s.call("POST", path, "", object{"sessionId": id, "reason": "manual", "duration": "long"}), 400, "duration must be a number")
		s.refused(s.call("POST", path, "", object{"sessionId": id, "reason": "manual", "duration": -1}), 400, "duration")
		if a := s.call("POST", path, "", `{"sessionId":"`+id+`","reason":"page_unload","duration":12.5}`, "Content-Type", "text/plain;charset=UTF-8"); a.status != 200 {
			t.Errorf("as sendBeacon sends it: %d %s", a.status, a.body)
		}
		if announced := s.leaves(id); len(announced) != 0 {
			t.Errorf("a visitor who wrote nothing leaves: %v", announced)
		}
		s.say(id, "hi")
		for range 2 {
			s.must("POST", path, "", object{"sessionId": id, "duration": 12.5})
		}
		if announced := s.leaves(id); len(announced) != 1 || !strings.Contains(announced[0], `"duration":12.5,"reason":"page_unload"`) {
			t.Errorf("announced are %v", announced)
		}
		bound := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "w", "useSessionToken": true})
		beacon := object{"sessionId": bound.text("sessionId"), "sessionToken": bound.text("sessionToken")}
		s.must("POST", path, "", beacon)
		s.refused(s.call("POST", path, "", without(beacon, "sessionToken", "wrong")), 404, "Session not found")
	})
}

// leaves are the announced leaves of a session.
func (s *site) leaves(sessionID string) (announced []string) {
	s.t.Helper()
	err := s.store.Read(s.t.Context(), func(r chat.Reader) error {
		lane, err := r.Lane(chat.LeaveSink, sessionID, 10)
		for _, d := range lane {
			announced = append(announced, string(d.Event.Payload))
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return announced
}

// TestLeavingTakesHalfAMinute runs on a clock of its own: a change of page is
// no departure, a closed tab is one.
func TestLeavingTakesHalfAMinute(t *testing.T) {
	visitor := chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}
	for _, tt := range []struct {
		name string
		back func(t *testing.T, relay *engine.Engine, id string)
		left bool
	}{
		{"nobody comes back", func(*testing.T, *engine.Engine, string) {}, true},
		{"init of the next page", func(t *testing.T, relay *engine.Engine, _ string) {
			if _, err := relay.Init(t.Context(), engine.Visit{VisitorID: "v"}); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"a stream of the next page", func(t *testing.T, relay *engine.Engine, id string) {
			feed, _, err := relay.Follow(t.Context(), visitor, id, "")
			if err != nil {
				t.Fatal(err)
			}
			feed.Close()
		}, false},
		{"another page that stays open", func(t *testing.T, relay *engine.Engine, id string) {
			feed, _, err := relay.Follow(t.Context(), visitor, id, "")
			if err == nil {
				err = relay.Disconnect(t.Context(), visitor, id, engine.Leave{Reason: "manual"})
			}
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			feed.Close()
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, err := db.Memory(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				left := leaveAndWait(t, store, visitor, tt.back)
				if left != tt.left {
					t.Errorf("left is %v, want %v", left, tt.left)
				}
				if err := store.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// leaveAndWait announces a leave, lets back happen and reports whether the
// visitor counts as gone after 30 seconds, not earlier.
func leaveAndWait(t *testing.T, store *db.DB, visitor chat.Author, back func(*testing.T, *engine.Engine, string)) bool {
	log := discard
	relay, err := engine.Open(t.Context(), engine.Config{Store: store, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := contextOf(t)
	done := make(chan error, 1)
	go func() { done <- relay.Run(ctx) }()
	v, err := relay.Init(t.Context(), engine.Visit{VisitorID: "v"})
	if err != nil {
		t.Fatal(err)
	}
	id := v.Session.ID
	if _, err := relay.Send(t.Context(), visitor, engine.Post{SessionID: id, Content: "hi"}); err != nil {
		t.Fatal(err)
	}
	operators := relay.Hub.Subscribe("")
	if err := relay.Disconnect(t.Context(), visitor, id, engine.Leave{Duration: 3, Reason: "page_unload"}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Second)
	back(t, relay, id)
	time.Sleep(19 * time.Second)
	if gone(operators) {
		t.Error("the visitor was gone before half a minute was over")
	}
	time.Sleep(2 * time.Second)
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	return gone(operators)
}

// gone reads the events that operators received so far.
func gone(operators *hub.Subscription) (left bool) {
	for len(operators.C) > 0 {
		e := <-operators.C
		left = left || e.Type == chat.EventDisconnect
	}
	return left
}
