package limits

import (
	"encoding/json"
	"testing"
	"time"
)

// pass passes one node's busiest clients to another, as the doorbell does.
func pass(t *testing.T, from, to *Rates, now time.Time) {
	t.Helper()
	for name, l := range from.shared() {
		for _, u := range l.busy(now) {
			args := []json.RawMessage{}
			for _, v := range []any{name, base36(u.client), u.when, u.amount} {
				text, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				args = append(args, text)
			}
			receiveUse(to.shared(), "a", args)
		}
	}
}

// TestLimitsHoldOverNodes uses limits up at one node and asks the other.
func TestLimitsHoldOverNodes(t *testing.T) {
	now := time.Now().Truncate(time.Minute).Add(time.Second)
	a, b := New(), New()
	for range MessagesPerSession {
		a.Messages.Allow("visitor", now)
	}
	for range MessagesPerSession / sharePart / 2 {
		a.Messages.Allow("light", now)
	}
	a.Failures.Allow("guesser", now)
	for range StreamsPerSession {
		a.SessionStreams.Enter("session")
	}
	a.Uploaded.Take("address", 90, 100, 1)
	b.Uploaded.Take("somebody", 1, 100, 1)

	pass(t, a, b, now)
	if b.Messages.Allow("visitor", now) {
		t.Error("the messages that were sent at the other node do not count")
	}
	if !b.Messages.Allow("light", now) || !b.Messages.Allow("stranger", now) {
		t.Error("others are refused")
	}
	allowed := 0
	for range FailuresPerAddress + 5 {
		if b.Failures.Allow("guesser", now) {
			allowed++
		}
	}
	if allowed != FailuresPerAddress-1 {
		t.Errorf("%d wrong keys after one at the other node, want %d", allowed, FailuresPerAddress-1)
	}
	if b.SessionStreams.Enter("session") {
		t.Error("the streams at the other node do not count")
	}
	if _, ok := b.Uploaded.Take("address", 20, 100, 1); ok {
		t.Error("the bytes that were uploaded at the other node do not count")
	}
	if _, ok := b.Uploaded.Take("address", 5, 100, 1); !ok {
		t.Error("the rest of the allowance is refused")
	}

	for range StreamsPerSession {
		a.SessionStreams.Leave("session")
	}
	pass(t, a, b, now)
	if !b.SessionStreams.Enter("session") {
		t.Error("streams that have ended at the other node still count")
	}
	if later := now.Add(3 * time.Minute); !b.Messages.Allow("visitor", later) || len(b.Messages.others.uses) != 0 {
		t.Error("the minute at the other node does not end")
	}
}

// TestEndedNodesStreamsDoNotCount drops what a node said that is gone.
func TestEndedNodesStreamsDoNotCount(t *testing.T) {
	a, b := New(), New()
	for range StreamsPerSession {
		a.SessionStreams.Enter("session")
	}
	pass(t, a, b, time.Now())
	if b.SessionStreams.Enter("session") {
		t.Fatal("the streams at the other node do not count")
	}
	for _, l := range b.shared() {
		l.dropNode("a")
	}
	if !b.SessionStreams.Enter("session") {
		t.Error("the streams of a node that is gone still count")
	}
}
