package dbtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/relay-chat/relay/db"
)

// cluster is a running Postgres server. It lives as long as this process holds
// the write end of alive; one that was given has none.
type cluster struct {
	url   string
	alive io.WriteCloser

	migrate    sync.Once
	template   string
	migrateErr error
}

// server starts Postgres once for all tests of a process, durable for its benchmarks.
var (
	server  = sync.OnceValues(func() (*cluster, error) { return startPostgres(forgetful) })
	durable = sync.OnceValues(func() (*cluster, error) { return startPostgres("") })
)

// forgetful are settings of a server that need not outlive its machine: it waits for no
// disk. What it commits outlives its own crash all the same, as it does with the usual ones.
const forgetful = "-c fsync=off -c full_page_writes=off"

var databases atomic.Int64

// PostgresURL makes an empty Postgres database and returns its URL.
func PostgresURL(t testing.TB) string {
	t.Helper()
	return makeDatabase(t, clusterOf(t), "")
}

// MigratedURL makes a Postgres database with the tables of relay and returns its URL:
// a copy of one that [db.Open] migrated, once for all tests of a process. A server that
// was given keeps nothing of the tests: there the database is empty.
func MigratedURL(t testing.TB) string {
	t.Helper()
	c := clusterOf(t)
	if c.alive == nil {
		return makeDatabase(t, c, "")
	}
	c.migrate.Do(func() {
		c.template = fmt.Sprintf("relay_test_%d", os.Getpid())
		c.migrateErr = c.makeTemplate(t.Context())
	})
	if c.migrateErr != nil {
		t.Fatal(c.migrateErr)
	}
	return makeDatabase(t, c, "TEMPLATE "+c.template)
}

// makeTemplate migrates the database that others are copies of.
func (c *cluster) makeTemplate(ctx context.Context) error {
	if err := command(ctx, c.url, "CREATE DATABASE "+c.template); err != nil {
		return err
	}
	at, err := c.database(c.template)
	if err != nil {
		return err
	}
	d, err := db.Open(ctx, at, db.Options{})
	if err != nil {
		return err
	}
	return d.Close()
}

// clusterOf returns the server for a test, or for a benchmark, which pays for its disk.
func clusterOf(t testing.TB) *cluster {
	t.Helper()
	if os.Getenv("RELAY_TEST_POSTGRES") == "off" {
		t.Skip("RELAY_TEST_POSTGRES=off")
	}
	start := server
	if _, is := t.(*testing.B); is {
		start = durable
	}
	c, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// makeDatabase makes a database until the end of the test.
func makeDatabase(t testing.TB, c *cluster, options string) string {
	t.Helper()
	name := fmt.Sprintf("relay_test_%d_%d", os.Getpid(), databases.Add(1))
	if err := command(t.Context(), c.url, "CREATE DATABASE "+name+" "+options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := command(ctx, c.url, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	at, err := c.database(name)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// database is the URL of a database of the server.
func (c *cluster) database(name string) (string, error) {
	u, err := url.Parse(c.url)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

// command runs one SQL command.
func command(ctx context.Context, url, text string) error {
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, text)
	return errors.Join(err, c.Close(ctx))
}

// startPostgres starts a server on which databases can be made, or takes the
// one that is given, as it is set.
func startPostgres(settings string) (*cluster, error) {
	if given := os.Getenv("RELAY_TEST_POSTGRES_URL"); given != "" {
		return &cluster{url: given}, nil
	}
	initdb, err := program("initdb")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "relay-postgres-")
	if err != nil {
		return nil, err
	}
	as, err := ordinaryUser(dir)
	if err != nil {
		return nil, err
	}
	if err := initialise(initdb, dir, as); err != nil {
		return nil, err
	}
	alive, err := runServer(filepath.Join(filepath.Dir(initdb), "postgres"), dir, settings, as)
	if err != nil {
		return nil, err
	}
	c := &cluster{url: "postgres://relay@/postgres?host=" + url.QueryEscape(dir), alive: alive}
	return c, awaitServer(c.url, dir)
}

// guard runs the server until this process is gone, however it ends: then its
// standard input ends. It leaves nothing behind.
const guard = `"$1" -D "$2/data" -k "$2" -c listen_addresses= -c max_connections=200 $3 >"$2/log" 2>&1 &
cat >/dev/null
kill -TERM $! # QUIT is lost while the server starts
wait
cd /
rm -rf "$2"`

func runServer(postgres, dir, settings string, as *syscall.SysProcAttr) (alive io.WriteCloser, err error) {
	cmd := exec.Command("/bin/sh", "-c", guard, "sh", postgres, dir, settings)
	cmd.Dir, cmd.SysProcAttr = dir, as
	if alive, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return alive, cmd.Start()
}

// awaitServer waits until the server answers.
func awaitServer(admin, dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		err := command(ctx, admin, "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			return fmt.Errorf("postgres did not start: %w\n%s", err, log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// program finds a program of the newest installed Postgres.
func program(name string) (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err == nil && len(found) > 0 {
		return found[len(found)-1], nil
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", errors.New("these tests need PostgreSQL: run them by `make test`, which installs it, " +
		"or name a server in RELAY_TEST_POSTGRES_URL, or leave it out with RELAY_TEST_POSTGRES=off")
}

// ordinaryUser gives dir to the user postgres if this process is root, which
// Postgres refuses to run as.
func ordinaryUser(dir string) (*syscall.SysProcAttr, error) {
	// Its own process group: an interrupt at the terminal is for the tests.
	as := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() != 0 {
		return as, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("the user that Postgres runs as: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return as, os.Chown(dir, int(uid), int(gid))
}
