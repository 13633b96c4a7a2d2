package ai

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// TestHangingEndpoint: who waits for an endpoint that says nothing is handed over within
// half a minute, and the answer does not come in a second attempt.
func TestHangingEndpoint(t *testing.T) {
	inTime(t, map[string]chat.Raw{"aiTakeoverDelay": chat.Raw("0")}, func(aitest.Request) aitest.Answer { return aitest.Answer{Wait: make(chan struct{})} }, func(t *testing.T, h *harness) {
		id := h.open("en")
		h.say(visitor, id, "hello")
		passes(29 * time.Second)
		h.is("while it may answer", h.takeovers(id), "")
		passes(6 * time.Second)
		h.is("handed over", h.said(id), "v: hello|a: "+engine.HandBackText("", "en", chat.AIEndFailed))
		passes(time.Hour)
		h.asked(1)
	})
}

// TestFilteredAnswer: one question that the provider refuses is no outage.
func TestFilteredAnswer(t *testing.T) {
	const body = `{"choices":[{"finish_reason":"content_filter","message":{"content":""}}]}`
	inTime(t, map[string]chat.Raw{"aiTakeoverDelay": chat.Raw("0")}, func(aitest.Request) aitest.Answer { return aitest.Answer{Body: body} }, func(t *testing.T, h *harness) {
		id := h.open("en")
		h.say(visitor, id, "hello")
		passes(time.Minute)
		h.is("handed over", h.takeovers(id), "false:failed")
		h.asked(1)
		if since, why := h.sink.Health.Failing(); since != 0 || strings.Contains(h.log.String(), "fails") {
			t.Errorf("the endpoint is said to fail: %+v\n%s", why, h.log)
		}
	})
}

// writes counts the transactions of a store that write.
type writes struct {
	chat.Store
	n *atomic.Int64
}

func (w writes) Apply(ctx context.Context, op func(chat.Tx) error) error {
	w.n.Add(1)
	return w.Store.Apply(ctx, op)
}

// TestWaitingIsCheap: while an operator is there, the conversations that the AI would
// answer cost next to nothing, however many they are, and all are answered afterwards.
func TestWaitingIsCheap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var n atomic.Int64
		h := openHarness(t, writes{memory, &n}, map[string]chat.Raw{"aiTakeoverDelay": chat.Raw("0")}, aitest.Says("We ship."))
		if err := h.SetOperatorStatus(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		const waiting = 200
		var last string
		for range waiting {
			last = h.open("en")
			h.say(visitor, last, "hello")
		}
		passes(time.Minute)
		before := n.Load()
		passes(10 * time.Minute)
		if per := (n.Load() - before) / 10; per > waiting/2 {
			t.Errorf("%d conversations that wait cost %d writes a minute", waiting, per)
		}
		h.asked(0)
		if err := h.SetOperatorStatus(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		passes(5 * time.Minute)
		h.asked(waiting)
		h.is("the last one", h.said(last), "v: hello|a: We ship.")
		h.stop()
		if err := memory.Close(); err != nil {
			t.Error(err)
		}
	})
}
