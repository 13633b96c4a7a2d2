package engine_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/hub"
	"github.com/relay-chat/relay/server/team"
)

// wire connects nodes in one process. A node that is cut off hears nothing.
type wire struct {
	mu    sync.Mutex
	store chat.Store
	nodes []*wired
}

// wired is a node's end of a wire.
type wired struct {
	*wire
	name string
	hear func(string) // nil: it does not listen
	cut  chan struct{}
	deaf bool
}

func (w *wired) Node() string { return w.name }
func (w *wired) Acquire(context.Context, string, string) (int64, time.Duration, error) {
	return 1, 0, nil
}
func (w *wired) Renew(context.Context) (map[string]int64, []string, error) {
	return map[string]int64{chat.NodeLease + w.name: 1}, []string{"a", "b"}, nil
}
func (w *wired) Release(context.Context, string, int64) error          { return nil }
func (w *wired) SignOff(context.Context) error                         { return nil }
func (w *wired) Describe(context.Context, string, int64, string) error { return nil }
func (w *wired) Leases(context.Context) ([]chat.LeaseRow, error)       { return nil, nil }

func (w *wired) Standings(ctx context.Context, ids []string) (map[string]chat.Standing, error) {
	all := map[string]chat.Standing{}
	return all, w.store.Read(ctx, func(r chat.Reader) error {
		for _, id := range ids {
			s, err := r.Session(id)
			if err == nil {
				all[id] = chat.Standing{Rev: s.Rev, Blocked: s.Blocked, TokenHash: s.TokenHash}
			} else if !errors.Is(err, chat.ErrSessionNotFound) {
				return err
			}
		}
		return nil
	})
}

func (w *wired) Ring(_ context.Context, texts []string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.nodes {
		for _, text := range texts {
			if n.hear != nil {
				n.hear(text)
			}
		}
	}
	return nil
}

func (w *wired) Listen(ctx context.Context, ready func(bool), hear func(string)) error {
	w.mu.Lock()
	if w.deaf {
		w.mu.Unlock()
		return errors.New("cut off")
	}
	cut := make(chan struct{})
	w.hear, w.cut = hear, cut
	w.mu.Unlock()
	ready(false)
	select {
	case <-ctx.Done():
	case <-cut:
	}
	return errors.New("cut off")
}

// cutOff ends what a node hears; listen lets it hear again.
func (w *wired) cutOff() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deaf, w.hear = true, nil
	close(w.cut)
}

func (w *wired) listen() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deaf = false
}

// twoNodes runs two relays on one store until the test ends.
func twoNodes(t *testing.T) (one, two *harness, wires []*wired) {
	t.Helper()
	store, err := db.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	between := &wire{store: store}
	var relays []*harness
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	between.nodes = []*wired{{wire: between, name: "a"}, {wire: between, name: "b"}} // before any of them rings
	for _, n := range between.nodes {
		e, err := engine.Open(t.Context(), engine.Config{Store: store, Cluster: n, Log: quiet,
			Targets: func(*chat.Settings) []chat.Target { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		relays = append(relays, &harness{e, store, nil})
		running.Go(func() { _ = e.Run(ctx) })
	}
	t.Cleanup(func() {
		stop()
		running.Wait()
		_ = store.Close()
	})
	time.Sleep(10 * time.Second)
	synctest.Wait()
	return relays[0], relays[1], between.nodes
}

// TestMissedBlock: a visitor who was blocked, and a session that was erased, while a node
// heard nothing has no stream there soon after.
func TestMissedBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two, wires := twoNodes(t)
		follow := func(id string) *hub.Feed {
			f, _, err := two.Follow(t.Context(), visitor, id, "")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(f.Close)
			return f
		}
		ended := func(f *hub.Feed) bool {
			for {
				select {
				case _, open := <-f.C():
					if !open {
						return true
					}
				default:
					return false
				}
			}
		}
		blocked, erased, other := one.open(t, "troll"), one.open(t, "gone"), one.open(t, "ann")
		a, b, c := follow(blocked), follow(erased), follow(other)
		wires[1].cutOff()
		if err := one.Block(t.Context(), operator, blocked, true); err != nil {
			t.Fatal(err)
		}
		if err := one.Erase(t.Context(), erased); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if !ended(a) || !ended(b) || ended(c) {
			t.Errorf("streams ended: of the blocked visitor %t, of the erased session %t, of another %t", ended(a), ended(b), ended(c))
		}
	})
}

// TestMissedLeave: visitors and operators who left while a node heard nothing are offline
// there once it listens again, whichever of the nodes was cut off, and those who stayed
// are not.
func TestMissedLeave(t *testing.T) {
	for name, cut := range map[string][]int{"the node that was told": {1}, "both nodes": {0, 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				one, two, wires := twoNodes(t)
				left, stayed := one.open(t, "left"), one.open(t, "stayed")
				var feeds []*hub.Feed
				for _, id := range []string{left, stayed} {
					f, _, err := one.Follow(t.Context(), visitor, id, "")
					if err != nil {
						t.Fatal(err)
					}
					feeds = append(feeds, f)
				}
				defer feeds[1].Close()
				seat := one.TakeSeat("Ada", "s", nil, true)
				time.Sleep(10 * time.Second)
				synctest.Wait()
				there := func() []bool {
					return []bool{two.VisitorOnline(left), two.VisitorOnline(stayed), len(two.Presence().Operators) > 0}
				}
				if got := there(); !slices.Equal(got, []bool{true, true, true}) {
					t.Fatalf("at first %v", got)
				}
				for _, i := range cut {
					wires[i].cutOff()
				}
				feeds[0].Close()
				seat.Leave()
				time.Sleep(time.Minute)
				for _, i := range cut {
					wires[i].listen()
					time.Sleep(5 * time.Second)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if got := there(); !slices.Equal(got, []bool{false, true, false}) {
					t.Errorf("who left, who stayed, the operator who left: %v", got)
				}
			})
		})
	}
}

// TestFirstDeviceElsewhere: from the first device on all nodes notify, and none without
// any.
func TestFirstDeviceElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two, _ := twoNodes(t)
		devices := team.New(one.Store, one, nil, quiet).Devices
		d, err := devices.Add(t.Context(), chat.PushDevice{Endpoint: "https://push.example.com/x", Auth: "AAAAAAAAAAAAAAAAAAAAAA", Label: "Phone",
			P256dh: "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !two.Settings().Pushes() {
			t.Error("the other node notifies nobody")
		}
		if err := devices.Remove(t.Context(), "", d.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if two.Settings().Pushes() {
			t.Error("the other node still notifies")
		}
	})
}

// TestViewedElsewhere: a conversation that is open at a console of one node is open for
// all, until it is closed there.
func TestViewedElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two, _ := twoNodes(t)
		for _, tt := range []struct {
			session string
			viewed  bool
		}{{"s", true}, {"other", false}, {"s", true}, {"", false}} {
			one.View("a sign-in", "Ada", tt.session)
			time.Sleep(time.Second)
			synctest.Wait()
			if two.Viewed("s") != tt.viewed {
				t.Errorf("with %q open at one node, the other says %t", tt.session, !tt.viewed)
			}
			if list := two.Viewers(); tt.viewed && (len(list) != 1 || list[0] != engine.Viewer{SessionID: "s", OperatorName: "Ada"}) {
				t.Errorf("the other node says that %v look", list)
			}
		}
	})
}

// TestSnoozeOutlivesItsNode: a snooze ends in time although the node that it was set at
// has ended.
func TestSnoozeOutlivesItsNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two, _ := twoNodes(t)
		id := one.open(t, "ann")
		time.Sleep(2 * time.Minute) // the first look is over
		until := chat.Now().Add(2 * time.Minute)
		if err := one.Organise(t.Context(), operator, id, engine.Organising{Until: &until}); err != nil {
			t.Fatal(err)
		}
		one.StopSnoozes()
		time.Sleep(2*time.Minute + time.Second)
		synctest.Wait()
		err := two.Store.ReadOne(t.Context(), func(r chat.Reader) error {
			s, err := r.Session(id)
			if s.SnoozedUntil != 0 {
				t.Errorf("snoozed until %s", s.SnoozedUntil.Std())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestLiveElsewhere: who is on the website is known at every node while somebody asks, also who
// reports to several of them, and forgotten in time; to whom one node wrote, any node tells.
func TestLiveElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two, _ := twoNodes(t)
		page := func(at *harness, own string) *engine.Conversation {
			c, err := at.PageOpen(t.Context(), &engine.LivePage{Own: own, LiveVisitor: chat.LiveVisitor{URL: "https://shop.test/" + own, Since: chat.Now()}})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		total := func(at *harness) int {
			_, n := at.LiveVisitors(nil, 10)
			return n
		}
		page(one, "ann")
		if n := total(two); n != 0 {
			t.Errorf("%d are there before anybody asked", n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := total(two); n != 1 {
			t.Fatalf("%d are known elsewhere", n)
		}
		for range 6 { // by a balancer that takes turns
			time.Sleep(10 * time.Second)
			page(one, "ann")
			time.Sleep(3 * time.Second)
			if n, m := total(one), total(two); n != 1 || m != 1 {
				t.Fatalf("at one node %d, at the other %d", n, m)
			}
		}
		s, _, err := two.WriteToLive(t.Context(), operator, chat.LiveID("ann"), "hello", "")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if c := page(one, "ann"); c == nil || c.SessionID != s.ID {
			t.Errorf("the page goes on with %v, not with %s", c, s.ID)
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if n, m := total(one), total(two); n != 0 || m != 0 {
			t.Errorf("30 s behind the last report %d and %d are there", n, m)
		}
		if _, _, err := two.WriteToLive(t.Context(), operator, chat.LiveID("ann"), "hello", ""); !errors.Is(err, engine.ErrLiveLeft) {
			t.Errorf("who left was written to: %v", err)
		}
	})
}
