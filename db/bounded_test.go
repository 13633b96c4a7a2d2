package db_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
)

// bounded opens a database with bounds; given counts what its queues gave up.
func bounded(t *testing.T, b db.Bounds) (d *db.DB, given map[string]int) {
	t.Helper()
	given = map[string]int{}
	var mu sync.Mutex
	b.Full = func(dest string, events int, first bool) {
		mu.Lock()
		defer mu.Unlock()
		given[dest] += events
		if first {
			given["outages of "+dest]++
		}
	}
	b.Failed = func(err error) { t.Error(err) }
	d, err := db.Bounded(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, given
}

// say makes a session say something to destinations.
func say(t *testing.T, d *db.DB, session, content string, to ...string) {
	t.Helper()
	var dests []chat.Destination
	for _, dest := range to {
		dests = append(dests, chat.Destination{Dest: dest})
	}
	err := d.Apply(t.Context(), func(tx chat.Tx) error {
		s, err := tx.Lock(session)
		if err != nil {
			s = chat.Session{ID: session, Status: chat.StatusOpen, CreatedAt: chat.Now()}
			if err := tx.CreateSession(&s); err != nil {
				return err
			}
		}
		s.Rev++
		s.LastActivity = chat.Now()
		m := chat.Message{ID: fmt.Sprint(session, "-", s.Rev), SessionID: session, Seq: s.Rev, Content: content, Sender: chat.SenderVisitor}
		if err := tx.InsertMessage(&m); err != nil {
			return err
		}
		e := chat.Event{SessionID: session, Rev: s.Rev, Type: chat.EventMessage, MessageID: m.ID, Payload: chat.Raw(`{"content":"` + content + `"}`), At: chat.Now()}
		if err := tx.Append(&e, dests); err != nil {
			return err
		}
		return tx.SaveSession(&s)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// tidy waits until a database is within its bounds.
func tidy(t *testing.T, d *db.DB) {
	t.Helper()
	if err := d.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// waiting counts what waits for a destination, and the events of a session.
func waiting(t *testing.T, d *db.DB, dest string) (n int) {
	t.Helper()
	err := d.Read(t.Context(), func(r chat.Reader) error {
		list, err := r.Deliveries(chat.DeliveryQuery{Dest: dest})
		n = len(list)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func knows(t *testing.T, d *db.DB, session string) bool {
	t.Helper()
	return d.ReadOne(t.Context(), func(r chat.Reader) error {
		_, err := r.Session(session)
		return err
	}) == nil
}

// settle takes everything that waits for a destination out of its queue.
func settle(t *testing.T, d *db.DB, dest, session string) {
	t.Helper()
	err := d.Apply(t.Context(), func(tx chat.Tx) error {
		lane, err := tx.Lane(dest, session, 0)
		for i := range lane {
			lane[i].State = chat.DeliveryDone
			if err := tx.SaveDelivery(&lane[i]); err != nil {
				return err
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// events counts the events of a session that a database holds.
func events(t *testing.T, d *db.DB, session string) int {
	t.Helper()
	count, err := d.Reader(t.Context(), "SELECT COUNT(*) FROM events e JOIN sessions s ON s.number = e.session WHERE s.id = '"+session+"'")
	n, err2 := strconv.Atoi(count)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestBoundedHoldsEventsOnlyAsLongAsTheyWait(t *testing.T) {
	d, _ := bounded(t, db.Bounds{})
	say(t, d, "a", "to nobody")
	if n := events(t, d, "a"); n != 0 {
		t.Errorf("an event that goes nowhere is held: %d", n)
	}
	say(t, d, "a", "to two", "slow", "fast")
	settle(t, d, "fast", "a")
	if n := events(t, d, "a"); n != 1 || waiting(t, d, "slow") != 1 || waiting(t, d, "fast") != 0 {
		t.Errorf("one destination has it: %d events are held", n)
	}
	settle(t, d, "slow", "a")
	if n := events(t, d, "a"); n != 0 {
		t.Errorf("both have it: %d events are held", n)
	}
}

func TestBoundedQueueGivesUpItsOldest(t *testing.T) {
	for _, c := range []struct {
		name    string
		bounds  db.Bounds
		content string
		full    bool
	}{
		{"few bytes", db.Bounds{QueueEvents: 10, QueueBytes: 1 << 20, QueueMost: 2 << 20}, "x", false},
		{"many bytes in few events", db.Bounds{QueueEvents: 1000, QueueBytes: 1 << 10, QueueMost: 1 << 20}, strings.Repeat("x", 100), false},
		{"many bytes in many events", db.Bounds{QueueEvents: 20, QueueBytes: 1 << 10, QueueMost: 1 << 20}, strings.Repeat("x", 100), true},
		{"too many bytes", db.Bounds{QueueEvents: 1000, QueueBytes: 1 << 10, QueueMost: 4 << 10}, strings.Repeat("x", 100), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, given := bounded(t, c.bounds)
			const said = 60
			for i := range said {
				session := fmt.Sprint("s", i)
				say(t, d, session, c.content, "dead", "alive")
				settle(t, d, "alive", session)
				tidy(t, d)
			}
			if full := given["dead"] > 0; full != c.full || given["alive"] > 0 {
				t.Errorf("given up: %v", given)
			}
			if n := waiting(t, d, "dead"); n != said-given["dead"] {
				t.Errorf("%d wait and %d were given up of %d", n, given["dead"], said)
			}
			if first := events(t, d, "s0"); c.full == (first > 0) {
				t.Errorf("the oldest event is held: %d", first)
			}
			if events(t, d, fmt.Sprint("s", said-1)) != 1 {
				t.Error("the newest event is gone")
			}
		})
	}
}

// The evictor works without being asked.
func TestBoundedEvictsByItself(t *testing.T) {
	full := make(chan string, 100)
	d, err := db.Bounded(t.Context(), db.Bounds{QueueEvents: 10, QueueBytes: 1, Full: func(dest string, _ int, _ bool) { full <- dest }})
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		say(t, d, "a", "hello", "dead")
	}
	if dest := <-full; dest != "dead" {
		t.Errorf("%s gave up events", dest)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// However far everything is over its bounds, tidying once is enough: a busy
// backend must not be faster than what forgets.
func TestBoundedTidiesAllAtOnce(t *testing.T) {
	for name, bounds := range map[string]db.Bounds{
		"number of events":  {QueueEvents: 50, QueueBytes: 1, Messages: 50},
		"bytes":             {QueueBytes: 50 * 114, MessageBytes: 50 * 100},
		"bytes in any case": {QueueEvents: 1000, QueueBytes: 1, QueueMost: 50 * 114, MessageBytes: 50 * 100},
	} {
		t.Run(name, func(t *testing.T) {
			d, given := bounded(t, bounds)
			for i := range 500 {
				say(t, d, fmt.Sprint("s", i%7), strings.Repeat("x", 100), "dead")
			}
			tidy(t, d)
			wait := waiting(t, d, "dead")
			if wait > 50 || wait < 40 || wait != 500-given["dead"] {
				t.Errorf("%d wait and %d were given up", wait, given["dead"])
			}
			held, err := d.Reader(t.Context(), "SELECT COUNT(*) FROM messages")
			if n, _ := strconv.Atoi(held); err != nil || n > 50 || n < 40 {
				t.Errorf("%s messages are held: %v", held, err)
			}
		})
	}
}

// An outage of a destination is reported once, and the next one again.
func TestBoundedReportsAFullQueueOnce(t *testing.T) {
	d, given := bounded(t, db.Bounds{QueueEvents: 20, QueueBytes: 1 << 10, QueueMost: 1 << 20})
	for outage := range 2 {
		for i := range 100 {
			say(t, d, fmt.Sprint("s", i%4), strings.Repeat("x", 100), "dest")
			tidy(t, d)
		}
		if n := given["outages of dest"]; n != outage+1 {
			t.Errorf("%d reports of %d outages", n, outage+1)
		}
		settle(t, d, "dest", "s0")
		settle(t, d, "dest", "s1")
		settle(t, d, "dest", "s2")
	}
}

// Eviction keeps everything within its bounds.
func TestBoundedKeepsWithinItsBounds(t *testing.T) {
	d, _ := bounded(t, db.Bounds{Sessions: 20, Messages: 40, QueueEvents: 10, QueueBytes: 3000, QueueMost: 20_000})
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		session := fmt.Sprint("s", random.IntN(30))
		switch random.IntN(4) {
		case 0:
			settle(t, d, "a", session)
		case 1:
			err := d.Apply(t.Context(), func(tx chat.Tx) error {
				return tx.Redact(session, session+"-1", func(chat.Event) chat.Raw { return chat.Raw(`{"é":"` + strings.Repeat("x", i) + `"}`) })
			})
			if err != nil && !errors.Is(err, chat.ErrSessionNotFound) {
				t.Fatal(err)
			}
		default:
			say(t, d, session, strings.Repeat("é", random.IntN(200)), []string{"a", "b"}[:1+random.IntN(2)]...)
		}
		if i%10 > 0 {
			continue
		}
		tidy(t, d)
		if wrong, err := d.Surplus(t.Context()); wrong != "" || err != nil {
			t.Fatalf("after %d steps: %s, %v", i, wrong, err)
		}
	}
}

// An edit after the count must not fill a queue for ever.
func TestBoundedRecountsBeforeItFails(t *testing.T) {
	d, given := bounded(t, db.Bounds{QueueBytes: 4 << 10, QueueMost: 4 << 10})
	for i := range 100 {
		session := fmt.Sprint("s", i)
		say(t, d, session, strings.Repeat("x", 1000), "dest")
		err := d.Apply(t.Context(), func(tx chat.Tx) error {
			return tx.Redact(session, session+"-1", func(chat.Event) chat.Raw { return chat.Raw(`{}`) })
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	tidy(t, d)
	if given["dest"] > 0 {
		t.Errorf("%d events of two bytes each were given up", given["dest"])
	}
}

// Deliveries that were done many at once are gone like others.
func TestBoundedKeepsNothingThatIsDone(t *testing.T) {
	d, given := bounded(t, db.Bounds{QueueEvents: 10, QueueBytes: 100, QueueMost: 1 << 20})
	for range 20 {
		for range 5 {
			say(t, d, "a", "hello", "dest")
		}
		err := d.Apply(t.Context(), func(tx chat.Tx) error {
			lane, err := tx.Lane("dest", "a", 0)
			for i := range lane {
				lane[i].State = chat.DeliveryDone
				err = errors.Join(err, tx.SaveDelivery(&lane[i]))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		tidy(t, d)
		if n := events(t, d, "a"); n != 0 || waiting(t, d, "dest") != 0 {
			t.Fatalf("%d events are held that were delivered", n)
		}
	}
	if len(given) > 0 {
		t.Errorf("events were given up: %v", given)
	}
}

// The files of messages take room, too.
func TestBoundedCountsFiles(t *testing.T) {
	d, _ := bounded(t, db.Bounds{MessageBytes: 10_000})
	for i := range 20 {
		err := d.Apply(t.Context(), func(tx chat.Tx) error {
			id := fmt.Sprint("s", i)
			s := chat.Session{ID: id, Status: chat.StatusOpen}
			if err := tx.CreateSession(&s); err != nil {
				return err
			}
			return tx.InsertMessage(&chat.Message{ID: "m", SessionID: id, Seq: 1, Sender: chat.SenderVisitor,
				Attachments: chat.Of(chat.Attachments{{URL: strings.Repeat("u", 1000)}})})
		})
		if err != nil {
			t.Fatal(err)
		}
		tidy(t, d)
	}
	held := 0
	for i := range 20 {
		err := d.Read(t.Context(), func(r chat.Reader) error {
			list, err := r.Messages(chat.MessageQuery{SessionID: fmt.Sprint("s", i)})
			held += len(list)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if held > 10 || held < 5 {
		t.Errorf("%d messages with a file are held", held)
	}
}

// introduce makes a session of whose visitor as many bytes are known, or lets
// that be known of it.
func introduce(t *testing.T, d *db.DB, session string, bytes int, to ...string) {
	t.Helper()
	say(t, d, session, "hello", to...)
	apply(t, d, func(tx chat.Tx) error {
		s, err := tx.Lock(session)
		if err != nil {
			return err
		}
		s.Metadata = chat.Of(chat.Metadata{URL: "https://example.com/" + strings.Repeat("x", bytes/2)})
		s.Identity = chat.Raw(`{"name":"` + strings.Repeat("x", bytes/2) + `"}`)
		return tx.SaveSession(&s)
	})
	tidy(t, d)
}

// Profiles of visitors take room, too: the longest idle sessions leave.
func TestBoundedCountsSessionFacts(t *testing.T) {
	d, given := bounded(t, db.Bounds{SessionBytes: 100_000, SessionMost: 200_000})
	introduce(t, d, "waiting", 1000, "dest")
	for i := range 300 {
		introduce(t, d, fmt.Sprint("s", i), 1000)
	}
	held := 0
	for i := range 300 {
		if knows(t, d, fmt.Sprint("s", i)) {
			held++
		}
	}
	if held < 80 || held > 100 || knows(t, d, "s0") || !knows(t, d, "s299") {
		t.Errorf("%d sessions of 1000 bytes are known", held)
	}
	if !knows(t, d, "waiting") || len(given) > 0 {
		t.Errorf("a session left of which something waits: %v", given)
	}
}
