package config

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLogInTheJournal sends lines down a socket that is systemd's by its inode,
// and down one that is not.
func TestLogInTheJournal(t *testing.T) {
	for _, tt := range []struct {
		name, format, stream, want string
	}{
		{"the journal", "text", "9:INODE", "<7>level=DEBUG msg=looking\n<6>level=INFO msg=stopping time=noon\n<4>level=WARN msg=slow part=db\n<3>level=ERROR msg=\"two\\nlines\"\n"},
		{"another stream", "text", "9:1", `^time=\S+ level=DEBUG msg=looking\n`},
		{"no journal", "text", "", `^time=\S+ level=DEBUG msg=looking\n`},
		{"JSON says all of it itself", "json", "9:INODE", `^\{"time":"[^"]+","level":"DEBUG","msg":"looking"\}\n`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, read := socket(t)
			link, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
			if err != nil {
				t.Skip("this system has no /proc, and no journal")
			}
			t.Setenv("JOURNAL_STREAM", strings.ReplaceAll(tt.stream, "INODE", strings.Trim(link, "socket:[]")))
			cfg := Config{LogLevel: slog.LevelDebug, LogFormat: LogFormat(tt.format)}
			log := cfg.Logger(f)
			log.Debug("looking")
			log.Info("stopping", "time", "noon")
			log.With("part", "db").Warn("slow")
			log.Error("two\nlines")
			if got := read(); got != tt.want && !regexp.MustCompile(tt.want).MatchString(got) {
				t.Errorf("it wrote\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// socket returns the end of a socket to write to and what reads, once, all that
// was written.
func socket(t *testing.T) (*os.File, func() string) {
	t.Helper()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ours, err := net.DialUnix("unix", nil, listener.Addr().(*net.UnixAddr))
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	f, err := ours.File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close(); ours.Close(); theirs.Close() })
	return f, func() string {
		if err := errors.Join(ours.CloseWrite()); err != nil {
			t.Error(err)
		}
		text, err := io.ReadAll(theirs)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
}
