package db_test

import (
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
)

// TestPing: a ping writes, at most once a second, and leaves one row behind.
func TestPing(t *testing.T) {
	d := dbtest.Open(t, dbtest.FileURL(t))
	ping := func() (written string) {
		t.Helper()
		want(t, d.Ping(t.Context()), nil)
		written, err := d.Reader(t.Context(), "SELECT group_concat(name) FROM meta WHERE name LIKE 'ping%'")
		want(t, err, nil)
		if strings.Count(written, "ping ") != 1 {
			t.Errorf("the pings left %q", written)
		}
		return written
	}
	first := ping()
	if again := ping(); again != first {
		t.Error("two pings wrote within a second")
	}
	time.Sleep(db.PingLife) // one real second: the database has goroutines of its own
	if later := ping(); later == first {
		t.Error("a later ping did not write")
	}
}
