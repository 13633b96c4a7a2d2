package nodes

import (
	"context"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// The safety net under the doorbell: how often a node looks for what it missed.
const (
	streamsEvery = 2 * time.Second
	lanesEvery   = 5 * time.Second
	// A sweep that takes long, because much waits, comes less often.
	sweepRest = 20
)

// keepSweeping looks for what the doorbell missed until ctx ends, as long as there
// are other nodes.
func (n *Nodes) keepSweeping(ctx context.Context) {
	tick := time.NewTicker(streamsEvery)
	defer tick.Stop()
	var due time.Time // of the next sweep of lanes
	for {
		now := false
		select {
		case <-ctx.Done():
			return
		case <-n.sweepNow:
			now = true
		case <-tick.C:
		}
		if !now && !n.many.Load() {
			continue
		}
		n.on.SweepStreams(ctx)
		if begun := time.Now(); now || begun.After(due) {
			n.on.SweepLanes(ctx)
			due = time.Now().Add(max(lanesEvery, sweepRest*time.Since(begun)))
		}
	}
}

// Standings returns those of sessions that exist, by their ids.
func (n *Nodes) Standings(ctx context.Context, ids []string) (map[string]chat.Standing, error) {
	limited, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	return n.cluster.Standings(limited, ids)
}
