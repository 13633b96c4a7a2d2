package server

import (
	"encoding/json"
	"testing"
	"time"
)

// pass passes one node's busiest clients to another, as the doorbell does.
func pass(t *testing.T, from, to *rates, now time.Time) {
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
	a, b := newRates(), newRates()
	for range messagesPerSession {
		a.messages.allow("visitor", now)
	}
	for range messagesPerSession / sharePart / 2 {
		a.messages.allow("light", now)
	}
	a.failures.allow("guesser", now)
	for range streamsPerSession {
		a.sessionStreams.enter("session")
	}
	a.uploaded.take("address", 90, 100, 1)
	b.uploaded.take("somebody", 1, 100, 1)

	pass(t, a, b, now)
	if b.messages.allow("visitor", now) {
		t.Error("the messages that were sent at the other node do not count")
	}
	if !b.messages.allow("light", now) || !b.messages.allow("stranger", now) {
		t.Error("others are refused")
	}
	allowed := 0
	for range failuresPerAddress + 5 {
		if b.failures.allow("guesser", now) {
			allowed++
		}
	}
	if allowed != failuresPerAddress-1 {
		t.Errorf("%d wrong keys after one at the other node, want %d", allowed, failuresPerAddress-1)
	}
	if b.sessionStreams.enter("session") {
		t.Error("the streams at the other node do not count")
	}
	if _, ok := b.uploaded.take("address", 20, 100, 1); ok {
		t.Error("the bytes that were uploaded at the other node do not count")
	}
	if _, ok := b.uploaded.take("address", 5, 100, 1); !ok {
		t.Error("the rest of the allowance is refused")
	}

	for range streamsPerSession {
		a.sessionStreams.leave("session")
	}
	pass(t, a, b, now)
	if !b.sessionStreams.enter("session") {
		t.Error("streams that have ended at the other node still count")
	}
	if later := now.Add(3 * time.Minute); !b.messages.allow("visitor", later) || len(b.messages.others.uses) != 0 {
		t.Error("the minute at the other node does not end")
	}
}

// TestEndedNodesStreamsDoNotCount drops what a node said that is gone.
func TestEndedNodesStreamsDoNotCount(t *testing.T) {
	a, b := newRates(), newRates()
	for range streamsPerSession {
		a.sessionStreams.enter("session")
	}
	pass(t, a, b, time.Now())
	if b.sessionStreams.enter("session") {
		t.Fatal("the streams at the other node do not count")
	}
	for _, l := range b.shared() {
		l.dropNode("a")
	}
	if !b.sessionStreams.enter("session") {
		t.Error("the streams of a node that is gone still count")
	}
}
