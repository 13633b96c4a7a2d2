package bench

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// temporary
func cpu(pid int) float64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	f := strings.Fields(string(b[strings.LastIndex(string(b), ")")+2:]))
	var u, s float64
	fmt.Sscan(f[11], &u)
	fmt.Sscan(f[12], &s)
	return (u + s) / 100
}

func get(path string) string {
	resp, err := http.Get("http://127.0.0.1:6789" + path)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	t, _ := io.ReadAll(resp.Body)
	return strings.TrimSpace(string(t))
}

func save(path, name string) {
	os.WriteFile(name, []byte(get(path)+"\n"), 0o644)
}

func BenchmarkProbe(b *testing.B) {
	r := &run{b: b, programs: "/tmp/bench", folder: b.TempDir(), gates: newGates()}
	r.visitors = make([]visitor, most)
	bin := os.Getenv("RELAY")
	if bin == "" {
		bin = "/tmp/bench-pprof-relay"
	}
	cmd := func(port string) *exec.Cmd {
		c := r.relay(port)
		c.Path = bin
		c.Env = append(c.Env, "PPROF=127.0.0.1:6789")
		c.Env = append(c.Env, strings.Fields(os.Getenv("MORE"))...)
		return c
	}
	relay := r.start(cmd)
	r.must(each(most, 32, func(i int) (err error) {
		r.visitors[i], err = newVisitor(relay.address, i)
		return err
	}))
	r.must(relay.stop())
	for range b.N {
		relay = r.start(cmd)
		time.Sleep(time.Second)
		m0 := r.memory(relay)
		fmt.Println("idle", m0/1048576, get("/mem"))
		_, list := sides(r.visitors)
		c0 := cpu(relay.cmd.Process.Pid)
		t0 := time.Now()
		s := r.open(relay, list)
		fmt.Println("open", time.Since(t0), "cpu us/open", (cpu(relay.cmd.Process.Pid)-c0)/most*1e6)
		time.Sleep(2 * time.Second)
		fmt.Println("5000:", (r.memory(relay)-m0)/5000/1024, get("/mem"))
		fmt.Println("gc   ", get("/mem?gc=1"), (r.memory(relay)-m0)/5000/1024)
		save("/debug/pprof/heap?gc=1", "/tmp/scr2/heap.pb")
		c0 = cpu(relay.cmd.Process.Pid)
		l := r.publish(s, relay, list)
		fmt.Println("publish", l.p50, l.p99, "cpu us/op", (cpu(relay.cmd.Process.Pid)-c0)/600*1e6)
		save("/debug/pprof/goroutine?debug=1", "/tmp/scr2/goroutines")
		s.close()
		var posts []post
		for _, v := range r.visitors[:writers] {
			posts = append(posts, v.relay.post)
		}
		for _, n := range []int{1, 64} {
			go func() {
				time.Sleep(200 * time.Millisecond)
				save("/debug/pprof/profile?seconds=2", fmt.Sprintf("/tmp/scr2/cpu%d.pb", n))
			}()
			x0 := get("/mem")
			c0 = cpu(relay.cmd.Process.Pid)
			rate, err := postFor(relay.address, posts[:n], 3*time.Second)
			r.must(err)
			x1 := get("/mem")
			var a0, a1, t0, t1 float64
			fmt.Sscanf(x0[strings.Index(x0, "mallocs"):], "mallocs %g total %g", &a0, &t0)
			fmt.Sscanf(x1[strings.Index(x1, "mallocs"):], "mallocs %g total %g", &a1, &t1)
			ops := rate * 3
			fmt.Printf("post c=%d %.0f/s cpu us/op %.1f allocs/op %.1f bytes/op %.0f\n", n, rate, (cpu(relay.cmd.Process.Pid)-c0)/ops*1e6, (a1-a0)/ops, (t1-t0)/ops)
			time.Sleep(300 * time.Millisecond)
		}
		save("/debug/pprof/allocs", "/tmp/scr2/allocs.pb")
		r.must(relay.stop())
	}
}
