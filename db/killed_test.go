package db_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
)

// upgradeURL makes this test binary a process that opens a database, which upgrades it.
const upgradeURL = "RELAY_DBTEST_UPGRADE"

// upgradeFor opens and closes a database in this process.
func upgradeFor(url string) int {
	d, err := db.Open(context.Background(), url, db.Options{})
	if err == nil {
		err = d.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// startUpgrade upgrades a database in a process of its own.
func startUpgrade(t *testing.T, url string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), upgradeURL+"="+url), os.Stderr
	want(t, cmd.Start(), nil)
	return cmd
}

// await waits until something is so.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}

func killHard(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	want(t, cmd.Process.Signal(syscall.SIGKILL), nil)
	_ = cmd.Wait() // killed
}

// TestKilledInMigrationOfFile kills a process that upgrades a SQLite file while a step
// has written to the log but has not committed.
func TestKilledInMigrationOfFile(t *testing.T) {
	url := dbtest.FileURL(t)
	populate(t, url, 6)
	// Step 7 copies events of this type to the timeline.
	before := everything(t, url, 6)
	raw(t, url, `INSERT INTO events (session, rev, at, type, source, message_id, payload)
		WITH RECURSIVE n(i) AS (SELECT 10000 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
		SELECT 1001, i, i, 'custom_event', 'widget', '', '{"name":"a step that takes a while"}' FROM n`)
	log := func() int64 {
		info, err := os.Stat(pathOf(url) + "-wal")
		if err != nil {
			return 0
		}
		return info.Size()
	}
	upgrade := startUpgrade(t, url)
	await(t, "the step writes", func() bool { return log() > 1<<20 })
	killHard(t, upgrade)
	if version := rawNumber(t, url, "SELECT version FROM schema_migrations"); version != 7 {
		t.Fatalf("killed at version %d: this proves nothing", version)
	}
	d := dbtest.Open(t, url)
	delete(before, "events")
	checkEverything(t, url, 6, before)
	checkUpgraded(t, d, 6)
	if n := rawNumber(t, url, "SELECT COUNT(*) FROM timeline WHERE type = 'custom_event'"); n != 190_001 {
		t.Errorf("%d entries in the timeline", n)
	}
}

// rawNumber reads a number beside relay.
func rawNumber(t *testing.T, url, query string) (n int64) {
	t.Helper()
	name, address := "pgx", url
	if strings.HasPrefix(url, "sqlite://") {
		name, address = "sqlite", "file:"+pathOf(url)
	}
	pool, err := sql.Open(name, address)
	want(t, err, nil)
	defer pool.Close()
	want(t, pool.QueryRow(query).Scan(&n), nil)
	return n
}

// TestKilledInMigrationOfServer kills a process while PostgreSQL is in the middle of a
// step. The server goes on with it, and the next relay must not begin meanwhile.
func TestKilledInMigrationOfServer(t *testing.T) {
	url := dbtest.PostgresURL(t)
	populate(t, url, 3)
	before := everything(t, url, 3)
	pool, err := sql.Open("pgx", url)
	want(t, err, nil)
	defer pool.Close()
	reader, err := pool.Begin() // keeps step 4 from changing the table
	want(t, err, nil)
	_, err = reader.Exec(`SELECT COUNT(*) FROM messages`)
	want(t, err, nil)
	waiting := func(text string) func() bool {
		return func() bool {
			var n int
			want(t, pool.QueryRow(`SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`, text).Scan(&n), nil)
			return n > 0
		}
	}
	upgrade := startUpgrade(t, url)
	await(t, "the step waits for its table", waiting("%ALTER TABLE messages%"))
	killHard(t, upgrade)
	next := startUpgrade(t, url)
	await(t, "the next relay waits for the step", waiting("%pg_advisory%"))
	want(t, reader.Rollback(), nil)
	if err := next.Wait(); err != nil {
		t.Errorf("the next relay: %v", err)
	}
	d := dbtest.Open(t, url)
	checkEverything(t, url, 3, before)
	checkUpgraded(t, d, 3)
}
