package mirror_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/mirror"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// leaseTable are the leases of nodes that share a store in memory.
type leaseTable struct {
	mu   sync.Mutex
	rows map[string]*leaseRow
}

type leaseRow struct {
	owner string
	epoch int64
	until time.Time
}

// node is one of them, whose network can be cut: its leases cannot be renewed, and what
// a transaction under a lease did is answered when it is mended.
type node struct {
	chat.Store
	name  string
	table *leaseTable

	mu  sync.Mutex
	cut chan struct{} // closed when it is mended, nil: it is not cut
}

func (n *node) cutOff() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = make(chan struct{})
}

func (n *node) mend() {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.cut)
	n.cut = nil
}

func (n *node) await() chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.cut
}

func (n *node) Node() string { return n.name }

func (n *node) Acquire(_ context.Context, name, _ string) (epoch int64, wait time.Duration, err error) {
	n.table.mu.Lock()
	defer n.table.mu.Unlock()
	if n.await() != nil {
		return 0, 0, chat.ErrAway
	}
	row := n.table.rows[name]
	if row == nil {
		row = &leaseRow{}
		n.table.rows[name] = row
	}
	if row.owner != n.name && time.Now().Before(row.until) {
		return 0, time.Until(row.until), nil
	}
	*row = leaseRow{n.name, row.epoch + 1, time.Now().Add(chat.LeaseLife)}
	return row.epoch, 0, nil
}

func (n *node) Renew(context.Context) (held map[string]int64, nodes []string, err error) {
	n.table.mu.Lock()
	defer n.table.mu.Unlock()
	if n.await() != nil {
		return nil, nil, chat.ErrAway
	}
	held = map[string]int64{}
	for name, row := range n.table.rows {
		if row.owner == n.name && time.Now().Before(row.until) {
			row.until, held[name] = time.Now().Add(chat.LeaseLife), row.epoch
		}
	}
	return held, []string{"a", "b"}, nil
}

func (n *node) SignOff(context.Context) error { return nil }

func (n *node) Release(_ context.Context, name string, epoch int64) error {
	n.table.mu.Lock()
	defer n.table.mu.Unlock()
	if n.await() != nil {
		return chat.ErrAway
	}
	if row := n.table.rows[name]; row.owner == n.name && row.epoch == epoch {
		row.until = time.Time{}
	}
	return nil
}

func (n *node) Describe(context.Context, string, int64, string) error { return nil }
func (n *node) Leases(context.Context) ([]chat.LeaseRow, error)       { return nil, nil }
func (n *node) Ring(context.Context, []string) error                  { return nil }
func (n *node) Standings(context.Context, []string) (map[string]chat.Standing, error) {
	return nil, chat.ErrAway
}

func (n *node) Listen(ctx context.Context, ready func(polls bool), _ func(text string)) error {
	ready(false)
	<-ctx.Done()
	return nil
}

// Apply implements [chat.Store].
func (n *node) Apply(ctx context.Context, op func(chat.Tx) error) error {
	fenced := false
	err := n.Store.Apply(ctx, func(tx chat.Tx) error { return op(fencedTx{tx, n.table, &fenced}) })
	if mended := n.await(); fenced && mended != nil {
		<-mended
	}
	return err
}

type fencedTx struct {
	chat.Tx
	table  *leaseTable
	fenced *bool
}

func (t fencedTx) Fence(name string, epoch int64) error {
	t.table.mu.Lock()
	defer t.table.mu.Unlock()
	*t.fenced = true
	if row := t.table.rows[name]; row.epoch != epoch || !time.Now().Before(row.until) {
		return chat.ErrLeaseLost
	}
	return nil
}

// serveNode serves a platform at a node until stop.
func serveNode(t *testing.T, n *node, f *fakeBridge) (o *harness) {
	o = &harness{t: t, store: n}
	e, err := engine.Open(t.Context(), engine.Config{Store: n, Cluster: n, Log: quiet,
		Targets: func(*chat.Settings) []chat.Target { return []chat.Target{{Name: f.name, Kind: chat.TargetBridge}} }})
	if err != nil {
		t.Fatal(err)
	}
	o.Engine = e
	m := mirror.New(e, f.bridge(), mirror.Options{Log: quiet})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- e.Run(ctx, func(ctx context.Context) error { return e.Outbox.Serve(ctx, m) }) }()
	o.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	return o
}

// TestLateClaimIsNotSent takes over from a node that learns only then which deliveries it
// had claimed: it would join them into other messages, which no platform recognises.
func TestLateClaimIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		table := &leaseTable{rows: map[string]*leaseRow{}}
		a, b := &node{Store: store, name: "a", table: table}, &node{Store: store, name: "b", table: table}
		f := newFake("discord")
		f.coalesce, f.nonces = true, true
		first := serveNode(t, a, f)
		time.Sleep(time.Second)
		second := serveNode(t, b, f)
		id := first.greeted(t)

		f.breakAt(false, 1, &chat.RetryAfter{After: time.Minute, Cause: fmt.Errorf("429")}, isPost)
		first.say(t, id, "one")
		time.Sleep(time.Second) // tried alone, so that no attempt has joined them
		first.say(t, id, "two")
		time.Sleep(58 * time.Second)
		a.cutOff()
		posting := make(chan struct{}, 10)
		f.set(func() {
			f.slow = func(op chat.Op) time.Duration { posting <- struct{}{}; return 2 * time.Second }
		})
		before := len(f.ops())
		<-posting // by the other node: the first one does not know yet what it claimed
		if len(f.ops()) != before {
			t.Error("the node that is cut off has sent something")
		}
		a.mend()
		time.Sleep(time.Minute)
		expectTexts(t, "after the takeover", f.shown(0), "hello", "one", "two")
		first.stop()
		second.stop()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}
