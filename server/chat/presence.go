package chat

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// operatorStays is how long an operator counts as online after acting.
const operatorStays = 5 * time.Minute

// Where a status set by the API and one that operators hold are kept.
const (
	metaPresence = "operator_status"
	metaHold     = "operator_hold"
)

// presence says whether an operator is there: as operators said themselves for
// a while, else as the API said last, else while an operator acted within the
// last minutes (contract.md 6, presence).
type presence struct {
	mu     sync.Mutex
	hold   hold
	set    string // "online", "offline" or "": nobody said
	acted  Time
	online bool // as told last
}

// hold is a status that counts until a time.
type hold struct {
	Online bool `json:"online"`
	Until  Time `json:"until"`
}

// is computes the status.
func (p *presence) is(now Time) bool {
	if now < p.hold.Until {
		return p.hold.Online
	}
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
	err := r.transact(ctx, Author{Source: SourceAPI}, lockHouse, func(c *change) error {
		before, err := c.Meta(metaPresence)
		if err != nil {
			return err
		}
		if err := c.PutMeta(metaHold, string(mustJSON(hold{}))); err != nil {
			return err
		}
		if before == set {
			return nil
		}
		if err := c.emitFact(EventStatusSet, statusSet{online, c.at}); err != nil {
			return err
		}
		return c.PutMeta(metaPresence, set)
	})
	if err != nil {
		return err
	}
	r.updatePresence(func(p *presence) { p.set, p.hold = set, hold{} })
	return nil
}

// statusSet is the payload of [EventStatusSet].
type statusSet struct {
	Online bool `json:"online"`
	At     Time `json:"at"`
}

// houseSession is the id of the session that carries what concerns all of them:
// deliveries wait in the lane of a session. Nobody lists it, nothing sweeps it.
const houseSession = ""

// lockHouse locks the house session and makes it if it is missing.
func lockHouse(tx Tx) (Session, error) {
	s, err := tx.Lock(houseSession)
	if errors.Is(err, ErrSessionNotFound) {
		s = Session{ID: houseSession, Status: StatusOpen, CreatedAt: Now(), LastActivity: Now()}
		err = tx.CreateSession(&s)
	}
	return s, err
}

// Notice tells operators, in a thread of relay's own at every desk but the one
// that it is about, what no session is about.
func (r *Relay) Notice(ctx context.Context, about, text string) error {
	return r.transact(ctx, Author{Source: about}, lockHouse, func(c *change) error {
		return c.emitFact(EventNotice, map[string]string{"text": text})
	})
}

// HoldOperatorStatus holds the status for a while, or until it is set.
func (r *Relay) HoldOperatorStatus(ctx context.Context, online bool, long time.Duration) error {
	h := hold{online, Now().Add(long)}
	err := r.store.Apply(ctx, func(tx Tx) error { return tx.PutMeta(metaHold, string(mustJSON(h))) })
	if err != nil {
		return err
	}
	r.updatePresence(func(p *presence) { p.hold = h })
	return nil
}

func (r *Relay) loadPresence(ctx context.Context) error {
	return r.store.Read(ctx, func(rd Reader) (err error) {
		if r.presence.set, err = rd.Meta(metaPresence); err != nil {
			return err
		}
		held, err := rd.Meta(metaHold)
		if err == nil && held != "" {
			err = json.Unmarshal([]byte(held), &r.presence.hold)
		}
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
