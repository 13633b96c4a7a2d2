package bench

import (
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"
)

const webhookSecret = "secret_bench_0123456789abcdef"

const (
	backlog    = 4000 // events that wait when deliveries are measured
	backlogOf  = 100  // conversations that they are of
	messagesTo = 500  // messages while a receiver is bad
	talkers    = 50   // visitors who write them
	talkRate   = 250  // per second
	turn       = 50   // messages to one relay before those to the other
)

// BenchmarkDeliveries measures how fast events are delivered to a good
// receiver.
func BenchmarkDeliveries(b *testing.B) {
	for b.Loop() {
		judge(b, []*gate{webhookRun(b).deliveries()})
	}
}

// BenchmarkReceivers measures what visitors notice of bad receivers.
func BenchmarkReceivers(b *testing.B) {
	for b.Loop() {
		judge(b, webhookRun(b).badReceivers())
	}
}

func webhookRun(b *testing.B) *run {
	programs := os.Getenv("BENCH_PROGRAMS")
	if programs == "" {
		b.Skip("this needs the programs that make bench builds")
	}
	return &run{b: b, programs: programs, folder: b.TempDir()}
}

// webhookRelay starts relay on a database of its own.
func (r *run) webhookRelay(url string) *server {
	r.b.Helper()
	return r.start(func(port string) *exec.Cmd {
		cmd := r.relay(port)
		cmd.Dir = r.b.TempDir()
		cmd.Env = append(cmd.Env, "EVENTS_WEBHOOK_SECRET="+webhookSecret)
		if url != "" {
			cmd.Env = append(cmd.Env, "EVENTS_WEBHOOK_URL="+url)
		}
		return cmd
	})
}

// newVisitors opens sessions, with a message in each.
func (r *run) newVisitors(relay *server, n int) []*visitor {
	r.b.Helper()
	list := make([]*visitor, n)
	r.must(each(n, 32, func(i int) (err error) {
		list[i], err = newVisitor(relay.address, i)
		return err
	}))
	return list
}

// deliveries measures how fast a backlog goes to a receiver that takes all at
// once, against a bare loop that posts the same.
func (r *run) deliveries() *gate {
	g := &gate{name: "W1", what: "deliveries over a bare loop of signed posts, 8 at once", format: "%.0f/s", limit: 0.5, atLeast: true}
	fast := newReceiver()
	defer fast.close()
	floor, relay := r.start(r.floor), r.webhookRelay(fast.url)
	visitors := r.newVisitors(relay, backlogOf)
	r.must(fast.await(2 * backlogOf))
	for range rounds {
		bare, err := fast.bare(floor, backlog)
		r.must(err)
		want := fast.taken.Load() + backlog
		release := fast.hold()
		r.must(each(backlogOf, 32, func(i int) error { return writeMany(relay, visitors[i], backlog/backlogOf) }))
		begin := time.Now()
		release()
		r.must(fast.await(want))
		g.add(bare, backlog/time.Since(begin).Seconds())
	}
	r.must(relay.stop())
	r.must(floor.stop())
	return g
}

// writeMany posts messages of one visitor, one after the other.
func writeMany(relay *server, v *visitor, n int) error {
	c, err := connect(relay.address)
	if err != nil {
		return err
	}
	defer c.Close()
	for range n {
		if _, err := c.do(v.relay.post()); err != nil {
			return err
		}
	}
	return nil
}

// badReceivers measures how long visitors wait for the answers to their
// messages while events go to each kind of bad receiver, against those of a
// relay without a webhook, and the memory of both.
func (r *run) badReceivers() (gates []*gate) {
	for _, kind := range badReceivers {
		gates = append(gates, &gate{name: "W2", what: "visitors' p99, receiver " + kind.name + ", over quiet", format: "%.2f ms", limit: 1.5})
	}
	memory := &gate{name: "W3", what: "memory after the worst of them over quiet", format: "%.1f MiB", limit: 1.5}
	for round := range rounds {
		var quiet, worst float64
		for i, kind := range badReceivers {
			p99, bytes := r.talk(round, kind.start)
			gates[i].add(p99[0], p99[1])
			quiet, worst = bytes[0], max(worst, bytes[1])
		}
		memory.add(quiet/(1<<20), worst/(1<<20))
	}
	return append(gates, memory)
}

// talk lets visitors write at a steady rate, by turns to a relay without a
// webhook and to one with a receiver, so that both meet the machine in the same
// mood. It returns how long the slowest of a hundred waited for its answer, in
// milliseconds, and the relays' memory then.
func (r *run) talk(round int, receiver func() (url string, stop func())) (p99, memory [2]float64) {
	url, stop := receiver()
	defer stop()
	var took [2][]time.Duration
	var relays [2]*server
	var visitors [2][]*visitor
	for i, url := range []string{"", url} {
		relays[i] = r.webhookRelay(url)
		defer relays[i].kill()
		visitors[i] = r.newVisitors(relays[i], talkers)
	}
	var mu sync.Mutex
	begin := time.Now()
	r.must(each(publishers, publishers, func(p int) error {
		var clients [2]*client
		for i := range clients {
			var err error
			if clients[i], err = connect(relays[i].address); err != nil {
				return err
			}
			defer clients[i].Close()
		}
		for n := p; n < 2*(turn+messagesTo); n += publishers {
			time.Sleep(time.Duration(n)*time.Second/talkRate - time.Since(begin))
			side := (n/turn + round) % 2
			request, sent := visitors[side][n%talkers].relay.post(), time.Now()
			if _, err := clients[side].do(request); err != nil {
				return err
			}
			if n < 2*turn {
				continue // both have to warm up
			}
			mu.Lock()
			took[side] = append(took[side], time.Since(sent))
			mu.Unlock()
		}
		return nil
	}))
	for i := range relays {
		slices.Sort(took[i])
		p99[i], memory[i] = ms(took[i][len(took[i])*99/100]), r.memory(relays[i])
	}
	return p99, memory
}
