package config

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
)

// journal writes log lines to systemd's journal, which records their time itself
// and reads their priority from a prefix, see sd-daemon(3).
type journal struct{ w io.Writer }

// priorities are those of syslog, by the prefix that slog.TextHandler writes when
// a line has no time.
var priorities = []struct{ level, priority string }{
	{"level=DEBUG", "<7>"}, {"level=WARN", "<4>"}, {"level=ERROR", "<3>"}, {"", "<6>"},
}

func (j journal) Write(line []byte) (int, error) {
	for _, p := range priorities {
		if bytes.HasPrefix(line, []byte(p.level)) {
			n, err := j.w.Write(append([]byte(p.priority), line...))
			return max(n-len(p.priority), 0), err
		}
	}
	return 0, nil
}

// isJournal reports whether w is the socket that systemd names in JOURNAL_STREAM,
// by device and inode: a child's output may have been redirected.
func isJournal(w io.Writer) bool {
	_, inode, _ := strings.Cut(os.Getenv("JOURNAL_STREAM"), ":")
	f, isFile := w.(*os.File)
	if inode == "" || !isFile {
		return false
	}
	socket, err := os.Readlink("/proc/self/fd/" + strconv.FormatUint(uint64(f.Fd()), 10))
	return err == nil && socket == "socket:["+inode+"]"
}

// noTime leaves the time of a log line out.
func noTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime {
		return slog.Attr{}
	}
	return a
}
