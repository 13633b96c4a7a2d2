package dbtest

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Server is a Postgres server of one test's own, which it may ill-treat.
type Server struct {
	// URL is that of its database, Admin that of the superuser's.
	URL, Admin string
	// Socket is the path of its Unix socket.
	Socket string

	dir      string
	commands io.Writer
}

// restartable runs the server until this process is gone. Each line on its standard
// input restarts the server as after a crash.
const restartable = `run() { "$1" -D "$2/data" -k "$2" -c listen_addresses= -c max_connections=$3 $4 >>"$2/log" 2>&1 & }
run "$1" "$2" "$3" "$4"
while read -r seconds; do
	kill -QUIT $!
	wait $!
	sleep "$seconds"
	run "$1" "$2" "$3" "$4"
done
kill -TERM $!
wait
cd /
rm -rf "$2"`

// NewServer starts a Postgres server until the end of the test.
func NewServer(t testing.TB, connections int) *Server {
	t.Helper()
	if os.Getenv("RELAY_TEST_POSTGRES") == "off" {
		t.Skip("RELAY_TEST_POSTGRES=off")
	}
	initdb, err := program("initdb")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "relay-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	as, err := ordinaryUser(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := initialise(initdb, dir, as); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", restartable, "sh", filepath.Join(filepath.Dir(initdb), "postgres"), dir, fmt.Sprint(connections), forgetful)
	cmd.Dir, cmd.SysProcAttr = dir, as
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // it leaves nothing behind
	})
	at := func(name string) string { return "postgres://relay@/" + name + "?host=" + url.QueryEscape(dir) }
	s := &Server{Admin: at("postgres"), URL: at("relay"), Socket: filepath.Join(dir, ".s.PGSQL.5432"), dir: dir, commands: in}
	if err := awaitServer(s.Admin, dir); err != nil {
		t.Fatal(err)
	}
	s.Command(t, "CREATE DATABASE relay")
	return s
}

// initialise makes the files of a server.
func initialise(initdb, dir string, as *syscall.SysProcAttr) error {
	cmd := exec.Command(initdb, "--pgdata", dir+"/data", "--username=relay", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	cmd.Dir, cmd.SysProcAttr = dir, as
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, output)
	}
	return nil
}

// Restart crashes the server, leaves it away for a while and waits until it answers.
func (s *Server) Restart(t testing.TB, away time.Duration) {
	t.Helper()
	if _, err := fmt.Fprintf(s.commands, "%.1f\n", away.Seconds()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(away + 100*time.Millisecond) // the old one may still answer before
	if err := awaitServer(s.Admin, s.dir); err != nil {
		t.Fatal(err)
	}
}

// Command runs one SQL command as the superuser, again while the server starts.
func (s *Server) Command(t testing.TB, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		err := command(ctx, s.Admin, text)
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Answers reports whether a Postgres server, or a pooler before it, answers.
func Answers(url string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return command(ctx, url, "SELECT 1") == nil
}

// Ordinary is how programs run that refuse to run as root.
func Ordinary(t testing.TB) *syscall.SysProcAttr {
	t.Helper()
	as, err := ordinaryUser(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return as
}
