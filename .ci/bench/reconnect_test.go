package bench

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"
)

const (
	reconnecting     = 10_000 // streams that come back at once
	reconnectRounds  = 3
	reconnectingWith = 256 // connections that are being made at a time
)

// BenchmarkReconnect kills relay while 10,000 pages hold a stream and starts it again: how
// long it takes from the start of the program until all of them are served again, and the
// most memory meanwhile, beside a bare handler.
func BenchmarkReconnect(b *testing.B) {
	programs := os.Getenv("BENCH_PROGRAMS")
	if programs == "" {
		b.Skip("this needs the programs that make bench builds")
	}
	back := &gate{name: "R1", what: "start until 10,000 streams are back", format: "%.2f s", figure: true}
	memory := &gate{name: "R2", what: "most memory meanwhile", format: "%.0f MiB", figure: true}
	for b.Loop() {
		r := &run{b: b, programs: programs, folder: b.TempDir()}
		relay := r.start(r.relay)
		_, _, onRelay := sides(r.newVisitors(relay, reconnecting))
		onFloor := make([]*requests, reconnecting)
		for i := range onFloor {
			onFloor[i] = newRequests(fmt.Sprintf("/stream?id=%d&lastEventId=", i), "", "", "")
		}
		floor := r.start(r.floor)
		for range reconnectRounds {
			var took, most [2]float64
			floor, took[0], most[0] = r.comeBack(floor, r.floor, onFloor)
			relay, took[1], most[1] = r.comeBack(relay, r.relay, onRelay)
			back.add(took[0], took[1])
			memory.add(most[0], most[1])
		}
		r.must(relay.stop())
		r.must(floor.stop())
	}
	judge(b, []*gate{back, memory})
}

// comeBack opens all streams, kills the program, starts it and opens them again. It returns
// the program, the seconds from its start to the last stream and its most memory in MiB.
func (r *run) comeBack(s *server, command func(port string) *exec.Cmd, list []*requests) (again *server, took, most float64) {
	r.b.Helper()
	end := r.hold(s.address, list)
	s.kill()
	end()
	begin := time.Now()
	again = r.start(command)
	end = r.hold(again.address, list)
	took = time.Since(begin).Seconds()
	peak, err := again.peak()
	r.must(err)
	end()
	return again, took, peak / (1 << 20)
}

// hold opens all streams and returns what ends them.
func (r *run) hold(address string, list []*requests) (end func()) {
	r.b.Helper()
	open := make([]net.Conn, len(list))
	r.must(each(len(list), reconnectingWith, func(i int) (err error) {
		open[i], _, err = openStream(address, list[i].stream())
		return err
	}))
	return func() {
		for _, c := range open {
			_ = c.Close()
		}
	}
}
