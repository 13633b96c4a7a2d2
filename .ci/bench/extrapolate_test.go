package bench

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"text/tabwriter"
)

// resource is something that an installation can run out of.
type resource struct {
	name       string
	need, have float64
	sign       string // how one sees that it is short
}

func (r resource) headroom() float64 { return r.have / r.need }

// resources compares what the busiest hour needs with what there is. The limits of
// platforms are those that they document.
func (s *simulation) resources() []resource {
	m, gib := s.m, float64(1<<30)
	perDay := m.visitors * m.talking
	stored := perDay * m.retention.Hours() / 24 * float64(s.talk.size)
	memory := max(s.idle.memory, s.peak.memory) + m.streams()*s.stream.memory
	return []resource{
		{"processors", seconds(s.peak), float64(runtime.NumCPU()), "process_cpu_seconds_total near the number of processors; relay_http_answer_seconds grows"},
		{"messages accepted a second", m.messagesASecond(), s.capacity, "relay_commit_duration_seconds grows; answers 503 when nothing is committed"},
		{"memory, MiB", memory / (1 << 20), m.memory, "process_resident_memory_bytes"},
		{"streams (open files of each relay)", m.streams() / float64(len(s.nodes)), 65_000, "process_open_fds near process_max_fds; the log says too many open files"},
		{"disk, GiB, after the retention", stored / gib, m.disk, "relay_disk_free_bytes; /ready answers degraded below 200 MB, a notice in relay's thread"},
		{"messages a second through one Telegram group", m.messagesASecond(), 20.0 / 60, `relay_deliveries_waiting_oldest_seconds{dest="telegram"} grows, outcome="paced"`},
		{"the same through one Slack channel", m.messagesASecond(), 1, `the same with dest="slack"`},
		{"the same through one Discord bot", m.messagesASecond(), 50, `the same with dest="discord"`},
	}
}

// expected is what the busiest second should take of a processor, by the costs of its
// parts.
func (s *simulation) expected() float64 {
	m := s.m
	return m.perSecond(m.views)*seconds(s.view) + m.perSecond(m.opened-m.talking)*seconds(s.opening) + m.perSecond(m.talking)*seconds(s.talk)
}

func short(n float64) string {
	switch {
	case n < 0.1:
		return fmt.Sprintf("%.3f", n)
	case n < 10:
		return fmt.Sprintf("%.1f", n)
	}
	return fmt.Sprintf("%.0f", n)
}

func seconds(u usage) float64 { return u.relay.Seconds() + u.database.Seconds() }

// extrapolate prints the resources, the shortest first.
func (s *simulation) extrapolate() {
	list := s.resources()
	slices.SortFunc(list, func(a, b resource) int {
		switch {
		case a.headroom() < b.headroom():
			return -1
		case a.headroom() > b.headroom():
			return 1
		}
		return 0
	})
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\n  WHAT BREAKS FIRST\tneeded\tthere is\ttimes\tyou see it by\n")
	for _, r := range list {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", r.name, short(r.need), short(r.have), short(r.headroom()), r.sign)
	}
	t.Flush()
}
