package chat

import (
	"context"
	"sync"
	"time"
)

// operatorStays is how long an operator counts as online after acting.
const operatorStays = 5 * time.Minute

// metaPresence is where a status set by the API is kept.
const metaPresence = "operator_status"

// presence says whether an operator is there: as the API said last, else while
// an operator acted within the last minutes (contract.md 6, presence).
type presence struct {
	mu     sync.Mutex
	set    string // "online", "offline" or "": nobody said
	acted  Time
	online bool // as told last
}

// is computes the status.
func (p *presence) is(now Time) bool {
	if p.set != "" {
		return p.set == "online"
	}
	return p.acted != 0 && now.Sub(p.acted) < operatorStays
}

// OperatorOnline reports whether an operator is there.
func (r *Relay) OperatorOnline() bool {
	r.presence.mu.Lock()
	defer r.presence.mu.Unlock()
	return r.presence.is(Now())
}

// SetOperatorStatus holds the status until it is set again.
func (r *Relay) SetOperatorStatus(ctx context.Context, online bool) error {
	set := "offline"
	if online {
		set = "online"
	}
	err := r.store.Apply(ctx, func(tx Tx) error { return tx.PutMeta(metaPresence, set) })
	if err != nil {
		return err
	}
	r.updatePresence(func(p *presence) { p.set = set })
	return nil
}

func (r *Relay) loadPresence(ctx context.Context) error {
	return r.store.Read(ctx, func(rd Reader) (err error) {
		r.presence.set, err = rd.Meta(metaPresence)
		r.presence.online = r.presence.is(Now())
		return err
	})
}

func (r *Relay) operatorActed(at Time) {
	r.updatePresence(func(p *presence) { p.acted = max(p.acted, at) })
}

// updatePresence changes the presence and tells every stream if that changed
// the status.
func (r *Relay) updatePresence(change func(*presence)) {
	r.presence.mu.Lock()
	defer r.presence.mu.Unlock()
	change(&r.presence)
	online := r.presence.is(Now())
	if online == r.presence.online {
		return
	}
	r.presence.online = online
	r.hub.Broadcast(StateOperatorStatus, map[string]bool{"online": online})
}

// Run keeps the operators' status true to the time until ctx ends.
func (r *Relay) Run(ctx context.Context) error {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			r.updatePresence(func(*presence) {})
		}
	}
}
