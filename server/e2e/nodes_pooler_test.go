package e2e

import (
	"database/sql"
	"sync"
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
