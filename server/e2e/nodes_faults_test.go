package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
)

// TestNodes lets visitors and operators talk while three relays on one Postgres server
// meet kills, restarts of the server and cuts of the network: nothing is lost, nothing
// comes twice or in another order, and there is one gateway at any moment.
func TestNodes(t *testing.T) {
	inBackground(t)
	r := &report{title: "Three relays on one PostgreSQL: make nodes", head: []string{"fault", "rounds", "from visitors", "from operators", "lost", "doubled", "out of order", ""}}
	r.run(t, "nodes.svg", []scenario{
		{"nothing", 1, 1, calmNodes},
		{"a node is killed", 1, 120, killedNodes},
		{"nodes are restarted in turn", 1, 10, rolledNodes},
		{"PostgreSQL crashes", 1, 20, crashedPostgres},
		{"connections are terminated", 3, 50, terminated},
		{"the network is cut", 0, 20, cutNodes},
		{"nodes are restarted behind PgBouncer", 1, 10, pooledNodes},
	})
}

// group are relays that share a database, and their world.
type group struct {
	*world
	server *dbtest.Server
	pooler string   // the database behind PgBouncer, "" without
	cables []*cable // by node, nil where there is none

	mu      sync.Mutex
	nodes   []*instance
	logs    []string // of those that were killed
	readers []*follower
	slowest time.Duration // acknowledgement by a node that was not cut off
}

const groupSize = 3

// newGroup starts nodes; environ returns what is special about one.
func newGroup(t *testing.T, environ func(g *group, node int) []string) *group {
	t.Helper()
	g := &group{world: newWorld(t, 6), server: dbtest.NewServer(t, 100)}
	for i := range groupSize {
		special := []string{"DATABASE_URL=" + g.server.URL}
		if environ != nil {
			special = append(special, environ(g, i)...)
		}
		g.nodes = append(g.nodes, g.start(special...))
	}
	return g
}

// pick returns a node.
func (g *group) pick() *instance {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.nodes[rand.IntN(len(g.nodes))]
}

// talk lets visitors write at any node, and read at another, until end returns and enough was said for
// so many rounds: a busy machine takes its time.
func (g *group) talk(rounds int, end func()) {
	g.t.Helper()
	stop := make(chan struct{})
	var all sync.WaitGroup
	for i, v := range g.visitors {
		if len(g.readers) <= i {
			g.readers = append(g.readers, &follower{visitor: v, sent: map[int]time.Time{}})
		}
		all.Go(func() { g.write(v, g.readers[i], stop) })
		all.Go(func() { g.readers[i].follow(g, stop) })
	}
	all.Go(func() { g.answer(stop) })
	end()
	for waited := time.Now(); (g.spoken.Load() < int64(leastSaid*rounds) || g.replied.Load() == 0) && time.Since(waited) < time.Minute; {
		time.Sleep(speakEvery)
	}
	close(stop)
	all.Wait()
}

// leastSaid is how many messages of visitors a round takes to prove something.
const leastSaid = 10

func (g *group) write(v *visitor, r *follower, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(4 * speakEvery):
		}
		in, n, begun := g.pick(), v.acknowledged, time.Now()
		if v.say(in.base) {
			g.spoken.Add(1)
			r.wrote(v.session, n)
			g.acknowledged(in, begun)
		}
	}
}

// acknowledged notes how long a node took, unless it was cut off meanwhile.
func (g *group) acknowledged(in *instance, begun time.Time) {
	took := time.Since(begun)
	if g.cutOff(in, begun) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.slowest = max(g.slowest, took)
}

// cutOff reports whether a node was cut off its database at any moment since.
func (g *group) cutOff(in *instance, since time.Time) bool {
	i := slices.Index(g.nodes, in)
	return i < len(g.cables) && g.cables[i].broken(since)
}

// judge compares what the streams brought with what was said: in order, no gap and no
// repeat, wherever they were resumed.
func (g *group) judge(v *verdict) (p50, p99 time.Duration) {
	var took []time.Duration
	for _, r := range g.readers {
		r.mu.Lock()
		for i := 1; i < len(r.order); i++ {
			if r.order[i] <= r.order[i-1] {
				v.doubled++
			}
		}
		if len(r.seen) > 0 {
			v.add(judged(shifted(r.seen), len(r.seen)))
		}
		took = append(took, r.took...)
		r.mu.Unlock()
	}
	slices.Sort(took)
	if len(took) == 0 {
		g.t.Error("the streams brought nothing")
		return 0, 0
	}
	return took[len(took)/2], took[len(took)*99/100]
}

// shifted makes numbers begin with 0: a stream begins somewhere.
func shifted(list []int) []int {
	list = slices.Clone(list)
	first := list[0]
	for i := range list {
		list[i] -= first
	}
	return list
}

// finish waits until everything has arrived and returns the outcome.
func (g *group) finish(rounds int, note string) (o outcome) {
	g.t.Helper()
	o.rounds = rounds
	o.verdict = g.settle(g.pick(), 90*time.Second)
	p50, p99 := g.judge(&o.verdict)
	o.visitors, o.operators = g.said()
	o.note = strings.TrimSpace(fmt.Sprintf("%s doorbell p50 %d ms p99 %d ms", note, p50.Milliseconds(), p99.Milliseconds()))
	if o.visitors < leastSaid*rounds || o.operators == 0 {
		g.t.Errorf("only %d and %d messages in %d rounds: this proves nothing", o.visitors, o.operators, rounds)
	}
	if most := g.f.MostConnected(); most != 1 {
		g.t.Errorf("%d gateways at one time", most)
	}
	for _, v := range g.f.Violations() {
		g.t.Error(v)
	}
	if g.t.Failed() || o.verdict != (verdict{}) {
		g.t.Log(strings.Join(g.logs, "\n"))
		for i, in := range g.nodes {
			g.t.Logf("node %d:\n%s", i, in.stderr)
		}
	}
	for _, in := range g.nodes {
		in.stop()
	}
	return o
}

func calmNodes(t *testing.T, rounds int) outcome {
	g := newGroup(t, nil)
	g.talk(rounds, func() { time.Sleep(4 * time.Second) })
	var v verdict
	if _, p99 := g.judge(&v); p99 >= time.Second {
		t.Errorf("the doorbell takes %s", p99)
	}
	return g.finish(rounds, "")
}

// holder is the index of the node with Discord's gateway.
func (g *group) holder() int {
	g.t.Helper()
	found := -1
	eventually(g.t, "the gateway", func() bool {
		found = slices.IndexFunc(g.nodes, func(in *instance) bool {
			_, scrape := fetch(g.t, in.metricsURL(g.t)+"/metrics")
			return strings.Contains(scrape, `relay_lease_held{lease="discord"} 1`)
		})
		return found >= 0
	})
	return found
}

func killedNodes(t *testing.T, rounds int) outcome {
	g := newGroup(t, nil)
	slowest := g.kills(rounds)
	return g.finish(rounds, fmt.Sprintf("takeover within %.1f s,", slowest.Seconds()))
}

// kills kills nodes while everybody talks, the one with the gateway first and then any,
// and returns how long the gateway was away at most.
func (g *group) kills(rounds int) (slowest time.Duration) {
	g.talk(rounds, func() {
		for round := range rounds {
			victim := rand.IntN(groupSize)
			if round == 0 {
				time.Sleep(time.Second)
				victim = g.holder()
			}
			before, _, _ := g.f.Connections()
			g.nodes[victim].kill()
			begun := time.Now()
			g.revive(victim)
			if round == 0 {
				eventually(g.t, "the takeover", func() bool { now, _, _ := g.f.Connections(); return now > before })
				slowest = max(slowest, time.Since(begun))
			}
			time.Sleep(max(0, 5*time.Second-time.Since(begun)))
		}
	})
	if slowest > 20*time.Second {
		g.t.Errorf("the takeover took %s", slowest)
	}
	return slowest
}

// revive starts a node again on its port.
func (g *group) revive(i int) {
	in := g.nodes[i]
	g.logs = append(g.logs, fmt.Sprintf("node %d, before:\n%s", i, in.stderr))
	in.stdout, in.stderr = &buffer{}, &buffer{}
	if g.pooler != "" {
		eventually(g.t, "PgBouncer", func() bool { return dbtest.Answers(g.pooler) })
	}
	in.run(in.port())
}

func rolledNodes(t *testing.T, rounds int) outcome {
	g := newGroup(t, nil)
	g.roll(rounds)
	return g.finish(rounds, "")
}

// roll restarts one node after the other while everybody talks.
func (g *group) roll(rounds int) {
	g.talk(rounds, func() {
		time.Sleep(time.Second)
		for range rounds {
			for i, in := range g.nodes {
				if code := in.stop(); code != 0 {
					g.t.Errorf("exit code %d", code)
				}
				g.revive(i)
				time.Sleep(500 * time.Millisecond)
			}
		}
	})
}

func crashedPostgres(t *testing.T, rounds int) outcome {
	g := newGroup(t, nil)
	g.talk(rounds, func() {
		for round := range rounds {
			time.Sleep(time.Second + rand.N(time.Second))
			g.server.Restart(t, time.Duration(round%3)*time.Second)
		}
		time.Sleep(2 * time.Second)
	})
	return g.finish(rounds, "")
}

const terminateAll = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'relay' AND pid <> pg_backend_pid()`

func terminated(t *testing.T, rounds int) outcome {
	g := newGroup(t, nil)
	g.talk(rounds, func() {
		for range rounds {
			time.Sleep(rand.N(800 * time.Millisecond))
			g.server.Command(t, terminateAll)
		}
		time.Sleep(time.Second)
	})
	return g.finish(rounds, "")
}

func cutNodes(t *testing.T, rounds int) outcome {
	g := newGroup(t, func(g *group, _ int) []string {
		c := newCable(t, g.server.Socket)
		g.cables = append(g.cables, c)
		return []string{"DATABASE_URL=postgres://relay@" + c.Addr().String() + "/relay?sslmode=disable"}
	})
	g.talk(rounds, func() {
		for round := range rounds {
			time.Sleep(time.Second)
			victim, lasts := g.holder(), 18*time.Second
			if round%2 == 1 {
				victim, lasts = rand.IntN(groupSize), rand.N(12*time.Second)
			}
			g.cables[victim].Cut()
			time.Sleep(lasts)
			if round%3 == 0 {
				g.cables[victim].drop()
			}
			g.cables[victim].Mend()
		}
		time.Sleep(2 * time.Second)
	})
	if g.slowest > 12*time.Second { // PostgreSQL ends one transaction after the other
		t.Errorf("a node that is not cut off took %s to store a message", g.slowest)
	}
	return g.finish(rounds, fmt.Sprintf("elsewhere stored within %.1f s,", g.slowest.Seconds()))
}

func pooledNodes(t *testing.T, rounds int) outcome {
	g := newGroup(t, func(g *group, node int) []string {
		if g.pooler == "" {
			g.pooler = startBouncer(t, g.server)
		}
		environ := []string{"DATABASE_URL=" + g.pooler}
		if node > 0 { // the first one polls
			environ = append(environ, "DATABASE_DIRECT_URL="+g.server.URL)
		}
		return environ
	})
	g.roll(rounds)
	return g.finish(rounds, "one node polls,")
}
