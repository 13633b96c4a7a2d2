package e2e

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/relay-chat/relay/db/dbtest"
)

// TestPoolerKeepsNoLock lets relays that start together migrate through PgBouncer alone,
// which gives each transaction another connection: no lock is left with one of them, and
// nobody waits for ever.
func TestPoolerKeepsNoLock(t *testing.T) {
	t.Parallel()
	server := dbtest.NewServer(t, 100)
	w := newWorld(t, 1, "DATABASE_URL="+startBouncer(t, server))
	nodes := make([]*instance, 3)
	var starting sync.WaitGroup
	for i := range nodes {
		starting.Go(func() { nodes[i] = w.start() })
	}
	starting.Wait()
	nodes[1].say(t, "hello")
	there, err := sql.Open("pgx", server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	var locks, version int
	const query = `SELECT (SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'), (SELECT MAX(version) FROM schema_migrations WHERE NOT dirty)`
	if err := there.QueryRowContext(t.Context(), query).Scan(&locks, &version); err != nil {
		t.Fatal(err)
	}
	if locks != 0 || version < 17 {
		t.Errorf("%d locks are left at version %d", locks, version)
	}
}

// startBouncer starts PgBouncer in transaction mode and returns the URL of the database
// behind it. Debian's PgBouncer 1.18 ends with "bad client state" when a program that has
// asked it to cancel a query dies: it is started again, as systemd does.
func startBouncer(t *testing.T, server *dbtest.Server) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/pgbouncer") // not in everybody's PATH
	}
	if err != nil {
		t.Fatal("this test needs PgBouncer: run it by `make test` or `make nodes`, which install it")
	}
	dir := filepath.Dir(server.Socket)
	as := dbtest.Ordinary(t)
	port := freePort(t)
	settings := fmt.Sprintf("[databases]\nrelay = host=%s dbname=relay user=relay\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %s\nunix_socket_dir =\n"+
		"auth_type = any\npool_mode = transaction\nserver_round_robin = 1\ndefault_pool_size = 40\nmax_client_conn = 500\nignore_startup_parameters = extra_float_digits\n", dir, port)
	file := filepath.Join(dir, "bouncer.ini")
	if err := os.WriteFile(file, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(supervised(t, func() *exec.Cmd {
		cmd := exec.Command(program, file)
		cmd.SysProcAttr = as
		return cmd
	}))
	at := url.URL{Scheme: "postgres", User: url.User("relay"), Host: "127.0.0.1:" + port, Path: "/relay", RawQuery: "sslmode=disable"}
	eventually(t, "PgBouncer", func() bool { return dbtest.Answers(at.String()) })
	return at.String()
}

// supervised runs a program, again whenever it ends, until stop.
func supervised(t *testing.T, program func() *exec.Cmd) (stop func()) {
	t.Helper()
	var out buffer
	start := func() *exec.Cmd {
		cmd := program()
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Error(err)
			return nil
		}
		return cmd
	}
	stopping, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			cmd := start()
			if cmd == nil {
				return
			}
			gone := make(chan error, 1)
			go func() { gone <- cmd.Wait() }()
			select {
			case err := <-gone:
				fmt.Fprintf(&out, "it ended: %v\n", err)
			case <-stopping:
				_ = cmd.Process.Signal(syscall.SIGTERM)
				<-gone
				return
			}
		}
	}()
	return func() {
		close(stopping)
		<-ended
		if t.Failed() {
			t.Logf("it said:\n%s", out.String())
		}
	}
}
