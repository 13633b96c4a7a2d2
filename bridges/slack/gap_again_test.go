package slack

import (
	"testing"
	"time"
)

// TestGapOpensWhileAnotherIsRead: what is missed while a gap is read is a gap of its own,
// whether the connection broke again or something only says so.
func TestGapOpensWhileAnotherIsRead(t *testing.T) {
	start := time.Now()
	for name, again := range map[string]func(*gapTracker){
		"the connection breaks":   (*gapTracker).open,
		"Slack left events out":   func(g *gapTracker) { g.suppose(start.Add(time.Minute), start.Add(time.Minute)) },
		"too many events waiting": func(g *gapTracker) { g.held = make([]waiting, maxHeld); g.put(waiting{}); g.held = nil },
	} {
		g := newGapTracker()
		g.start(nil, start)
		g.open()
		if from, gap := g.begin(); !gap || !from.Equal(start) {
			t.Fatalf("the first gap is %t from %v", gap, from)
		}
		again(g)
		read := start.Add(30 * time.Second)
		g.end(read, nil, time.Now())
		if from, gap := g.begin(); !gap || !from.Equal(read) {
			t.Errorf("%s while a gap is read: another one %t, from %v", name, gap, from)
		}
		g.end(read.Add(time.Hour), nil, time.Now())
		if _, gap := g.begin(); gap {
			t.Errorf("%s: it has no end", name)
		}
	}
}
