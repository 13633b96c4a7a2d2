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
