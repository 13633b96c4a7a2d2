package main

import (
	"context"
	"sync"
	"time"

	"relay/server/chat"
)

// fullMost is how many full queues wait to be told of: there are fewer
// destinations.
const fullMost = 16

// fullQueues reports what destinations give up: in the log at once, then once an
// hour, and to full once per outage.
func (a *app) fullQueues(full chan<- string) func(dest string, events int, first bool) {
	var mu sync.Mutex
	given, told, untold := map[string]int{}, map[string]time.Time{}, map[string]bool{}
	return func(dest string, events int, first bool) {
		mu.Lock()
		defer mu.Unlock()
		given[dest] += events
		untold[dest] = untold[dest] || first
		if time.Since(told[dest]) < time.Hour {
			return
		}
		told[dest] = time.Now()
		a.log.Error("the queue is full: its oldest events are given up", "destination", dest, "given up so far", given[dest])
		if untold[dest] {
			select {
			case full <- dest:
				untold[dest] = false
			default: // in an hour
			}
		}
	}
}

// tellFull tells operators at the other desks whose queue is full.
func (a *app) tellFull(ctx context.Context, relay *chat.Relay, full <-chan string) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case dest := <-full:
			text := "The queue of " + dest + " is full: it was away for long, or takes too little. Its oldest events are given up and will not arrive there."
			if err := relay.Notice(ctx, dest, text); err != nil {
				a.log.Error("cannot tell operators of a full queue", "err", err)
			}
		}
	}
}
