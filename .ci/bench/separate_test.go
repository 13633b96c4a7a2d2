package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

const (
	separateRounds = 5
	// nodeShare is the part of one processor that each relay has, so that what it shares the
	// machine with, the database and the load, has the rest whether there are one or two.
	nodeShare = 0.2
)

// BenchmarkSeparate compares two relays on one PostgreSQL with one, each with a part of a
// processor of its own, which the system holds it to: what more machines would bring. It
// needs the right to make control groups.
func BenchmarkSeparate(b *testing.B) {
	programs := os.Getenv("BENCH_PROGRAMS")
	if programs == "" {
		b.Skip("this needs the programs that make bench builds")
	}
	var shares processorShares
	b.Cleanup(func() { check(b, shares.remove()) })
	if err := shares.find(); err != nil {
		b.Skipf("this needs the right to limit processes: %v", err)
	}
	g := &gate{name: "N1", what: "messages of two nodes on PostgreSQL over those of one", format: "%.0f/s", limit: 1.6, atLeast: true}
	for b.Loop() {
		sites := []*nodeSite{
			newNodeSite(b, programs, "one node", dbtest.PostgresURL(b), 1),
			newNodeSite(b, programs, "two nodes", dbtest.PostgresURL(b), 2),
		}
		for _, s := range sites {
			for _, n := range s.nodes {
				check(b, shares.limit(n.cmd.Process.Pid, nodeShare))
			}
		}
		for round := range separateRounds {
			var rates [2]float64
			for i := range sites {
				which := (i + round) % 2
				rates[which] = sites[which].post(b, writers)
			}
			g.add(rates[0], rates[1])
		}
		for _, s := range sites {
			s.stop(b)
		}
	}
	fmt.Printf("each node has %.0f %% of a processor, the database and the load have the rest of the machine\n", 100*nodeShare)
	judge(b, []*gate{g})
}

// processorShares are control groups that limit processes, of cgroup v2 or of v1.
type processorShares struct {
	root string
	v2   bool
	made []string
}

// find finds where groups can be made.
func (s *processorShares) find() error {
	var failed error
	for _, at := range []processorShares{{root: "/sys/fs/cgroup", v2: true}, {root: "/sys/fs/cgroup/cpu"}} {
		*s = at
		if failed = s.try(); failed == nil {
			return nil
		}
	}
	return failed
}

func (s *processorShares) try() error {
	folder, err := s.group("try")
	if err == nil {
		err = s.set(folder, nodeShare)
	}
	return errors.Join(err, s.remove())
}

// limit holds a process to a part of a processor.
func (s *processorShares) limit(pid int, part float64) error {
	folder, err := s.group(strconv.Itoa(pid))
	if err != nil {
		return err
	}
	return errors.Join(s.set(folder, part), os.WriteFile(filepath.Join(folder, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o600))
}

func (s *processorShares) group(name string) (folder string, err error) {
	folder = filepath.Join(s.root, "relay-bench-"+name)
	if err = os.Mkdir(folder, 0o755); err == nil {
		s.made = append(s.made, folder)
	}
	return folder, err
}

// period is how often a share is counted anew, in µs: short, so that nobody waits long.
const period = 10_000

func (s *processorShares) set(folder string, part float64) error {
	quota := strconv.Itoa(int(part * period))
	if s.v2 {
		return write(folder, "cpu.max", fmt.Sprint(quota, " ", period))
	}
	return errors.Join(write(folder, "cpu.cfs_period_us", strconv.Itoa(period)), write(folder, "cpu.cfs_quota_us", quota))
}

// write sets a file of a group, which is there if the group has this limit.
func write(folder, name, value string) error {
	f, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// remove removes the groups, whose processes have ended.
func (s *processorShares) remove() (failed error) {
	for _, folder := range slices.Backward(s.made) {
		if err := os.Remove(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	s.made = nil
	return failed
}
