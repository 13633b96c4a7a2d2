package discord

import (
	"encoding/json"
	"testing"
	"time"
)

// TestLateTurn: an archive that was listed before the bridge reopened a thread, and read
// while it did, does not close the thread again.
func TestLateTurn(t *testing.T) {
	c := new(channel)
	if err := json.Unmarshal([]byte(`{"id":"7","thread_metadata":{"archived":true,"archive_timestamp":"2026-01-01T10:00:00Z"}}`), c); err != nil {
		t.Fatal(err)
	}
	r := newRegistry()
	r.learn(c, "")
	r.setClosed("7", false) // the bridge asks Discord to reopen it
	r.setClosed("7", c.archived())
	r.setTurned("7", c.archived(), c.Thread.ArchivedAt)
	r.setTurned("7", false, c.Thread.ArchivedAt.Add(time.Hour)) // Discord has reopened it
	if one, _, _ := r.get("7"); one.closed {
		t.Error("the thread counts as closed")
	}
	r.setTurned("7", true, c.Thread.ArchivedAt)
	if one, _, _ := r.get("7"); one.closed {
		t.Error("an earlier change counts after a later one")
	}
}

// TestTurnBeforeKnown: what the bridge did to a thread before it knew it counts: neither what the
// gateway listed before nor the event that comes of it is a person's doing.
func TestTurnBeforeKnown(t *testing.T) {
	before := new(channel)
	if err := json.Unmarshal([]byte(`{"id":"7","thread_metadata":{"archived":false,"archive_timestamp":"2026-01-01T10:00:00Z"}}`), before); err != nil {
		t.Fatal(err)
	}
	r := newRegistry()
	end := r.beginTurn("7")
	turning := r.turning("7")
	select {
	case <-turning:
		t.Error("the bridge's change is over before its call")
	default:
	}
	archived := before.Thread.ArchivedAt.Add(time.Hour)
	r.setTurned("7", true, archived)
	end()
	<-turning
	if r.turning("7") != nil {
		t.Error("the bridge's change goes on after its call")
	}
	r.learn(before, "")
	if one, _, _ := r.get("7"); !one.closed || !one.turned.Equal(archived) {
		t.Errorf("what was listed before counts: %+v", one)
	}
}
