// Package bench measures relay against bare floors, side by side in one run.
// Run it with make bench.
package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

const (
	rounds    = 5
	most      = 5000 // streams
	writers   = 64
	starts    = 5                      // of each program in a round
	settle    = time.Second            // until memory is measured
	listening = 3 * time.Second        // of one measurement on streams
	writing   = 700 * time.Millisecond // of one measurement on the disk
	openings  = 200                    // of one stream in a round
)

const publicKey, secretKey = "pk_bench_0123456789abcdef", "sk_bench_0123456789abcdef"

// BenchmarkGates measures what relay promises about speed and memory and
// fails for every promise that it does not keep.
func BenchmarkGates(b *testing.B) {
	programs := os.Getenv("BENCH_PROGRAMS")
	if programs == "" {
		b.Skip("this needs the programs that make bench builds")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // collected between the measurements
	for b.Loop() {
		r := newRun(b, programs)
		for round := range rounds {
			begin := time.Now()
			r.round(round)
			fmt.Printf("round %d of %d: %.0f s\n", round+1, rounds, time.Since(begin).Seconds())
		}
		all := r.gates.all()
		postgres := measurePostgres(b, programs)
		printPostgres(postgres)
		for _, row := range postgres {
			all = append(all, row.gate())
		}
		judge(b, all)
	}
}

// gates are the promises.
type gates struct {
	at1000, at5000              streaming
	growth                      *gate
	single, batches, scaling    *gate
	start, idle, size           *gate
	stream, header              *gate
	besideUploads, uploadMemory *gate
}

func newGates() gates {
	const ms, perSecond, mib, kib = "%.2f ms", "%.0f/s", "%.1f MiB", "%.1f KiB"
	return gates{
		at1000:  newStreaming("1000 streams"),
		at5000:  newStreaming("5000 streams"),
		growth:  &gate{name: "T2", what: "relay's p50, 5000 streams over 100", format: ms, limit: 1.3},
		single:  &gate{name: "T4", what: "64 writers over a raw loop, 1 row a commit", format: perSecond, limit: 3, atLeast: true},
		batches: &gate{name: "T4b", what: "64 writers over a raw loop, 64 rows a commit", format: perSecond, limit: 0.25, atLeast: true},
		scaling: &gate{name: "T4f", what: "relay's 64 writers over 1", format: perSecond, limit: 5, atLeast: true},
		start:   &gate{name: "T5", what: "exec to first answer", format: ms, figure: true},
		idle:    &gate{name: "T5b", what: "memory, idle", format: mib, figure: true},
		size:    &gate{name: "T6", what: "the program", format: mib, figure: true},
		stream:  &gate{name: "T1", what: "memory of an idle stream, 5000 streams", format: kib, limit: 1.5},
		header:  &gate{name: "T8", what: "request to header of a stream", format: ms, limit: 1.5},

		besideUploads: &gate{name: "U1", what: "messages beside 100 uploads of 10 MiB over quiet, p99", format: ms, limit: 3},
		uploadMemory:  &gate{name: "U2", what: "most memory meanwhile over 256 MiB", format: mib, limit: 1},
	}
}

func (g *gates) all() []*gate {
	return append(append(g.at1000.all(), g.at5000.all()...), g.growth, g.single, g.batches, g.scaling,
		g.start, g.idle, g.size, g.stream, g.header, g.besideUploads, g.uploadMemory)
}

// streaming is how long a post takes to a stream, beside a floor that does the same to its
// disk, and beside one without a disk: that says how fast the disk is.
type streaming struct{ p50, p99, bare *gate }

func newStreaming(streams string) streaming {
	const ms = "%.2f ms"
	return streaming{
		p50:  &gate{name: "T2", what: "post to stream, p50, " + streams, format: ms, limit: 1.5},
		p99:  &gate{name: "T2", what: "post to stream, p99, " + streams, format: ms, limit: 2, best: true},
		bare: &gate{name: "T2", what: "the floor without a disk, p50, " + streams, format: ms, figure: true},
	}
}

func (p streaming) all() []*gate { return []*gate{p.p50, p.p99, p.bare} }

func (p streaming) add(durable, bare, relay latency) {
	p.p50.add(ms(durable.p50), ms(relay.p50))
	p.p99.add(ms(durable.p99), ms(relay.p99))
	p.bare.add(ms(bare.p50), ms(relay.p50))
}

// run is one run of the benchmark.
type run struct {
	b        *testing.B
	programs string
	folder   string // of the databases
	written  int    // so many visitors have had their turn at writing
	raw      *raw
	visitors []*visitor
	gates    gates
}

// visitor is a session on relay and its counterpart on the floor.
type visitor struct {
	relay, floor *requests
	durable      *requests // of the floor with its disk
	session      string
	headers      string // say who it is
}

func newRun(b *testing.B, programs string) *run {
	r := &run{b: b, programs: programs, folder: b.TempDir(), gates: newGates()}
	var err error
	r.raw, err = openRaw(filepath.Join(r.folder, "raw.db"))
	r.must(err)
	b.Cleanup(func() { r.raw.pool.Close() })
	fmt.Printf("making %d sessions\n", most)
	relay := r.start(r.relay)
	r.visitors = make([]*visitor, most)
	r.must(each(most, 32, func(i int) (err error) {
		r.visitors[i], err = newVisitor(relay.address, i)
		return err
	}))
	r.must(relay.stop())
	return r
}

func (r *run) must(err error) {
	r.b.Helper()
	if err != nil {
		r.b.Fatal(err)
	}
}

// newVisitor does what relay's widget does: it opens a session that is bound
// to a token, and writes something.
func newVisitor(address string, i int) (*visitor, error) {
	c, err := connect(address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	const contentType = "Content-Type: application/json\r\n"
	who := "Authorization: Bearer " + publicKey + "\r\n"
	answer, err := c.do(request("POST", "/api/widget/init", who+contentType, fmt.Sprintf(`{"visitorId":"visitor-%d","useSessionToken":true,`+
		`"url":"https://shop.example/products/%d","language":"de-DE","userAgent":"Mozilla/5.0 (X11; Linux x86_64)"}`, i, i)))
	if err != nil {
		return nil, err
	}
	var session struct{ SessionID, SessionToken string }
	if err := json.Unmarshal(answer, &session); err != nil {
		return nil, err
	}
	who += "X-Session-Token: " + session.SessionToken + "\r\n"
	body := fmt.Sprintf(`{"sessionId":%q,"content":%q,"clientId":%q}`, session.SessionID, text, blankID)
	v := &visitor{
		relay: newRequests("/api/widget/stream?sessionId="+session.SessionID+"&lastEventId=", "/api/widget/messages", who+contentType, body),
		floor: newRequests(fmt.Sprintf("/stream?id=%d&lastEventId=", i), fmt.Sprintf("/publish?id=%d", i), "", text),

		durable: newRequests("", fmt.Sprintf("/durable?id=%d", i), "", text),
		session: session.SessionID, headers: who,
	}
	_, err = c.do(v.relay.post())
	return v, err
}

func (r *run) floor(port string) *exec.Cmd {
	return exec.Command(filepath.Join(r.programs, "floor"), "127.0.0.1:"+port, filepath.Join(r.folder, "floor.log"))
}

func (r *run) relay(port string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(r.programs, "relay"), "serve")
	cmd.Dir = r.folder
	cmd.Env = []string{"HOST=127.0.0.1", "PORT=" + port, "RELAY_PUBLIC_KEY=" + publicKey, "RELAY_SECRET_KEY=" + secretKey}
	return cmd
}

func (r *run) start(command func(port string) *exec.Cmd) *server {
	r.b.Helper()
	s, err := start(command)
	r.must(err)
	return s
}

// pair is both programs, running.
type pair struct{ floor, relay *server }

func (r *run) round(round int) {
	p, floorIdle, relayIdle := r.startUp()
	r.streams(round, p, floorIdle, relayIdle)
	r.headers(p)
	r.writes(p.relay)
	r.must(p.floor.stop())
	r.must(p.relay.stop())
	r.uploads()
}

// startUp starts both programs some times and returns the last of them, with
// the memory they have before they do anything.
func (r *run) startUp() (p pair, floorIdle, relayIdle float64) {
	var floor, relay []float64
	for i := range starts {
		p = pair{r.start(r.floor), r.start(r.relay)}
		floor, relay = append(floor, ms(p.floor.started)), append(relay, ms(p.relay.started))
		if i < starts-1 {
			r.must(p.floor.stop())
			r.must(p.relay.stop())
		}
	}
	r.gates.start.add(median(floor), median(relay))
	time.Sleep(settle)
	floorIdle, relayIdle = r.memory(p.floor), r.memory(p.relay)
	r.gates.idle.add(floorIdle/(1<<20), relayIdle/(1<<20))
	r.gates.size.add(r.size("floor"), r.size("relay"))
	return p, floorIdle, relayIdle
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// size is a program's size in MiB.
func (r *run) size(program string) float64 {
	r.b.Helper()
	info, err := os.Stat(filepath.Join(r.programs, program))
	r.must(err)
	return float64(info.Size()) / (1 << 20)
}

func (r *run) memory(s *server) float64 {
	r.b.Helper()
	bytes, err := s.memory()
	r.must(err)
	return bytes
}

// streams opens the most streams on both, measures their memory, and how long
// messages take to them, to less of them and to few.
func (r *run) streams(round int, p pair, floorIdle, relayIdle float64) {
	floor, durable, relay := sides(r.visitors)
	onFloor := r.open(p.floor, floor)
	onRelay := r.open(p.relay, relay)
	defer onFloor.close()
	defer onRelay.close()
	time.Sleep(2 * settle)
	r.gates.stream.add((r.memory(p.floor)-floorIdle)/most/1024, (r.memory(p.relay)-relayIdle)/most/1024)

	measure := func(n int) (d, f, l latency) {
		onFloor.keep(n)
		onRelay.keep(n)
		sides := []func(){
			func() { f = r.publish(onFloor, p.floor, floor) },
			func() { d = r.publish(onFloor, p.floor, durable) },
			func() { l = r.publish(onRelay, p.relay, relay) },
		}
		for i := range sides {
			sides[(i+round)%len(sides)]()
		}
		return d, f, l
	}
	d5000, f5000, l5000 := measure(most)
	r.gates.at5000.add(d5000, f5000, l5000)
	r.gates.at1000.add(measure(1000))
	onRelay.keep(100)
	r.gates.growth.add(ms(r.publish(onRelay, p.relay, relay).p50), ms(l5000.p50))
}

// sides separates the requests of both programs, those of the floor without and with its disk.
func sides(visitors []*visitor) (floor, durable, relay []*requests) {
	for _, v := range visitors {
		floor, durable, relay = append(floor, v.floor), append(durable, v.durable), append(relay, v.relay)
	}
	return floor, durable, relay
}

func (r *run) open(s *server, list []*requests) *streams {
	r.b.Helper()
	open, err := openStreams(s.address, list)
	r.must(err)
	return open
}

func (r *run) publish(open *streams, s *server, list []*requests) latency {
	r.b.Helper()
	runtime.GC()
	took, err := open.publish(s.address, list, listening)
	r.must(err)
	return took
}

// headers opens one stream after the other on both and measures how long it
// takes until each answers.
func (r *run) headers(p pair) {
	var floor, relay []float64
	for i := range openings {
		v := r.visitors[i]
		floor = append(floor, r.header(p.floor, v.floor.stream()))
		relay = append(relay, r.header(p.relay, v.relay.stream()))
	}
	r.gates.header.add(median(floor), median(relay))
}

func (r *run) header(s *server, request []byte) float64 {
	r.b.Helper()
	conn, took, err := openStream(s.address, request)
	r.must(err)
	conn.Close()
	return ms(took)
}

// writes compares writing in relay with writing in raw loops, each twice, in
// mirrored order.
func (r *run) writes(relay *server) {
	var single, batches, one, all float64
	contenders := []struct {
		total *float64
		run   func() (float64, error)
	}{
		{&single, func() (float64, error) { return r.raw.single(writing) }},
		{&all, func() (float64, error) { return postFor(relay.address, r.fresh(writers), writing) }},
		{&batches, func() (float64, error) { return r.raw.batches(64, writing) }},
		{&one, func() (float64, error) { return postFor(relay.address, r.fresh(1), writing) }},
	}
	for i := range 2 * len(contenders) {
		c := contenders[min(i, 2*len(contenders)-1-i)]
		runtime.GC()
		rate, err := c.run()
		r.must(err)
		*c.total += rate / 2
	}
	r.gates.single.add(single, all)
	r.gates.batches.add(batches, all)
	r.gates.scaling.add(one, all)
}

// fresh returns the requests of n visitors who have not written much yet: a
// conversation has dozens of messages, not tens of thousands.
func (r *run) fresh(n int) (list []*requests) {
	for range n {
		list = append(list, r.visitors[r.written%most].relay)
		r.written++
	}
	return list
}
