package hub

import (
	"fmt"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

func TestHubHandsEventsToTheirSessionAndToAll(t *testing.T) {
	h := New(func(string, ...any) {})
	mine, other, all := h.Subscribe("a"), h.Subscribe("b"), h.Subscribe("")
	h.Publish(chat.Event{SessionID: "a", Rev: 1})
	if len(mine.C) != 1 || len(other.C) != 0 || len(all.C) != 1 {
		t.Fatalf("queued %d, %d, %d; want 1, 0, 1", len(mine.C), len(other.C), len(all.C))
	}
	mine.Close()
	h.Publish(chat.Event{SessionID: "a", Rev: 2})
	if len(mine.C) != 1 || len(all.C) != 2 {
		t.Fatalf("a closed subscription still gets events")
	}
	if n := h.Watched("a"); n != 0 {
		t.Fatalf("session a is watched %d times after Close", n)
	}
}

func TestHubBroadcastNamesTheSession(t *testing.T) {
	h := New(func(string, ...any) {})
	sub := h.Subscribe("a")
	h.Broadcast(chat.StateOperatorStatus, map[string]bool{"online": true})
	want := `{"type":"operator_status","sessionId":"a","online":true}`
	if got := string((<-sub.C).Payload); got != want {
		t.Errorf("payload %s, want %s", got, want)
	}
}

func TestHubReportsLostEvents(t *testing.T) {
	h := New(func(string, ...any) {})
	sub := h.Subscribe("a")
	for i := range queueLength {
		h.Publish(chat.Event{SessionID: "a", Rev: int64(i)})
	}
	if sub.Lost() {
		t.Fatal("a full queue is not a loss yet")
	}
	h.Publish(chat.Event{SessionID: "a", Rev: 99})
	if !sub.Lost() {
		t.Fatal("the loss was not reported")
	}
	if sub.Lost() {
		t.Fatal("the loss was reported twice")
	}
}

func TestHubCloseEndsEverySubscription(t *testing.T) {
	h := New(func(string, ...any) {})
	subs := []*Subscription{h.Subscribe("a"), h.Subscribe("")}
	h.Close()
	h.Close()
	subs = append(subs, h.Subscribe("late"))
	for i, s := range subs {
		if _, open := <-s.C; open || !s.Ended() {
			t.Errorf("subscription %d is still open", i)
		}
		s.Close()
	}
	h.Publish(chat.Event{SessionID: "a"})
	h.Broadcast(chat.StateOperatorStatus, map[string]bool{"online": false}) // nobody is notified while relay stops
}

func TestHubDropEndsOneSession(t *testing.T) {
	h := New(func(string, ...any) {})
	a, b := h.Subscribe("a"), h.Subscribe("b")
	h.Drop("a")
	if _, open := <-a.C; open {
		t.Error("the erased session's stream is open")
	}
	h.Publish(chat.Event{SessionID: "b"})
	if len(b.C) != 1 {
		t.Error("another session's stream was ended too")
	}
	a.Close()
}

// BenchmarkPublish shows that the cost of a message does not grow with the
// number of streams of other sessions.
func BenchmarkPublish(b *testing.B) {
	for _, streams := range []int{100, 10000} {
		b.Run(fmt.Sprint(streams), func(b *testing.B) {
			h := New(func(string, ...any) {})
			for i := range streams {
				h.Subscribe(fmt.Sprint(i))
			}
			sub := h.Subscribe("mine")
			for b.Loop() {
				h.Publish(chat.Event{SessionID: "mine", Rev: 1})
				<-sub.C
			}
		})
	}
}
