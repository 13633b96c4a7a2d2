package bridges_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/ai/act"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// killed is a database whose relay is killed right after an act was turned to a state.
type killed struct {
	*db.DB
	at string
}

var errKilled = errors.New("relay is killed")

func (k *killed) TurnAct(ctx context.Context, a *chat.Act, from, claim string, entry chat.AuditEntry) (bool, error) {
	turned, err := k.DB.TurnAct(ctx, a, from, claim, entry)
	if a.State == k.at {
		k.at = ""
		return false, errors.Join(err, errKilled)
	}
	return turned, err
}

// TestActKilled: a change is made at most once, wherever relay is killed; only a server
// that knows repetitions gets it again, with the same key.
func TestActKilled(t *testing.T) {
	tests := []struct {
		name    string
		at      string // the state behind which relay is killed, "" while the server works
		repeats bool
		want    string
		times   int
	}{
		{"before the request", chat.ActRunning, false, chat.ActUnknown, 0},
		{"before a repeatable request", chat.ActRunning, true, chat.ActDone, 1},
		{"during the request", "", false, chat.ActUnknown, 1},
		{"during a repeatable request", "", true, chat.ActDone, 2},
		{"after the request", chat.ActDone, false, chat.ActDone, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			memory, err := db.Memory(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer memory.Close()
			ctx, kill := context.WithCancel(t.Context())
			defer kill()
			var times atomic.Int64
			keys := map[string]bool{}
			shop := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that its client is gone
				keys[r.Header.Get("Idempotency-Key")] = true
				if times.Add(1) == 1 && tt.at == "" {
					kill()
					<-r.Context().Done()
				}
			}))
			defer shop.Close()
			store := &killed{memory, tt.at}
			actions, session := acting(t, store, shop.URL, tt.repeats)
			d := &chat.Delivery{Dest: chat.AIRequestSink, SessionID: session.ID, Rev: 7, CreatedAt: chat.Now() + 1000}
			yes := &chat.AIRequest{Kind: chat.AIYes, By: "Ada"}
			if said, err := actions.Decide(ctx, d, yes, false); err == nil {
				t.Fatalf("it was not killed, and says %q", said)
			}
			for range 2 { // it is delivered until that succeeds, and perhaps once more
				if said, err := actions.Decide(t.Context(), d, yes, true); err != nil || !strings.Contains(said, "refund: POST ") {
					t.Errorf("%q, %v", said, err)
				}
			}
			if said, err := actions.Decide(t.Context(), &chat.Delivery{SessionID: session.ID, Rev: 8, CreatedAt: d.CreatedAt}, yes, false); err != nil || said != "" {
				t.Errorf("a second yes: %q, %v", said, err)
			}
			list, err := memory.Acts(t.Context(), session.ID, 9)
			if err != nil || len(list) != 1 || list[0].State != tt.want || list[0].By != "Ada" || int(times.Load()) != tt.times || len(keys) > 1 {
				t.Errorf("%+v, %v, after %d requests with %d keys; want %s after %d", list, err, times.Load(), len(keys), tt.want, tt.times)
			}
			if list := audited(t, memory); len(list) != 1 || list[0].Action != chat.AuditAIAct || list[0].Name != "Ada" || list[0].Detail != "refund: "+tt.want {
				t.Errorf("the audit list has %+v", list)
			}
		})
	}
}

// TestLookKilled: what only reads and was interrupted ends when it is done again, or after a while.
func TestLookKilled(t *testing.T) {
	memory, err := db.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	ctx, kill := context.WithCancel(t.Context())
	shop := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if ctx.Err() == nil {
			kill()
			<-r.Context().Done()
		}
	}))
	defer shop.Close()
	actions, session := acting(t, &killed{memory, ""}, shop.URL, false)
	tool, err := act.Prepare(&chat.Action{ID: "look", Name: "look", Method: "GET", URL: shop.URL, Parameters: chat.Raw(`{"type":"object","properties":{}}`)})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := actions.Look(ctx, &session, tool, "looked", "{}"); err == nil {
		t.Fatal("it was not killed")
	}
	if _, _, err := actions.Look(t.Context(), &session, tool, "looked", "{}"); err != nil {
		t.Error(err)
	}
	now := chat.Now()
	for asked, age := range map[string]time.Duration{"given up": 2 * time.Minute, "under way": time.Second} {
		one := chat.Act{ID: asked, SessionID: session.ID, ActionID: "look", Name: asked, State: chat.ActRunning, Asked: asked, AskedAt: now.Add(-age)}
		if begun, err := memory.BeginAct(t.Context(), &one, now.Add(-time.Hour), 99, 99); err != nil || !begun {
			t.Fatal(begun, err)
		}
	}
	list, err := actions.Acts(t.Context(), nil, session.ID)
	states := map[string]int{}
	for _, one := range list {
		states[one.Name+" "+one.State+" "+one.Reason]++
	}
	want := map[string]int{"refund waiting ": 1, "look failed relay stopped meanwhile": 1, "look done ": 1, "given up failed relay stopped meanwhile": 1, "under way running ": 1}
	if err != nil || !maps.Equal(states, want) {
		t.Errorf("%v, %v; want %v", states, err, want)
	}
}

// acting returns a relay's actions, and a session in which one waits for a yes.
func acting(t *testing.T, store *killed, shop string, repeats bool) (*bridges.Actions, chat.Session) {
	t.Helper()
	e, err := engine.Open(t.Context(), engine.Config{Store: store.DB, Log: slog.New(slog.DiscardHandler), Targets: func(*chat.Settings) []chat.Target { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	actions := bridges.NewActions(e, store, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, nil)
	err = actions.Put(t.Context(), &chat.Action{ID: "refund", Name: "refund", About: "Refunds.", Method: "POST", URL: shop, Changes: true, Repeats: repeats,
		Parameters: chat.Raw(`{"type":"object","properties":{}}`)})
	if err != nil {
		t.Fatal(err)
	}
	v, err := e.Init(t.Context(), engine.Visit{VisitorID: chat.NewID(), New: true})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := actions.Offered(t.Context(), &v.Session)
	if err != nil || len(tools) != 1 {
		t.Fatal(tools, err)
	}
	if err := actions.Propose(t.Context(), &v.Session, tools[0], "asked", "{}"); err != nil {
		t.Fatal(err)
	}
	if err := actions.Propose(t.Context(), &v.Session, tools[0], "another", "{}"); err == nil {
		t.Error("two changes wait for one yes")
	}
	return actions, v.Session
}
