package db_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestPostgresTroublesAreExplained misconfigures a server under a running relay: what
// cannot be stored is refused as for a while, with the fix, and works again without a
// restart.
func TestPostgresTroublesAreExplained(t *testing.T) {
	t.Parallel()
	server := dbtest.NewServer(t, 40)
	d := dbtest.Open(t, server.URL)
	store := func() error {
		_, _, err := d.Cluster().Acquire(t.Context(), "lease", "")
		return errors.Join(d.Apply(t.Context(), func(tx chat.Tx) error { return tx.PutMeta("k", "v") }), err)
	}
	const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'relay'`
	for _, tt := range []struct{ name, breaking, mending, fix string }{ // connections that were opened meanwhile stay
		{"a standby", `ALTER DATABASE relay SET default_transaction_read_only = on`, `ALTER DATABASE relay RESET default_transaction_read_only`, "target_session_attrs"},
		{"a missing database", `ALTER DATABASE relay RENAME TO other`, `ALTER DATABASE other RENAME TO relay`, "create it"},
		{"a short statement_timeout", `ALTER DATABASE relay SET statement_timeout = 1`, `ALTER DATABASE relay RESET statement_timeout`, ""},
		{"another isolation", `ALTER DATABASE relay SET default_transaction_isolation = 'serializable'`, `ALTER DATABASE relay RESET default_transaction_isolation`, ""},
	} {
		server.Command(t, terminate)
		server.Command(t, tt.breaking)
		var err error
		for range 20 { // connections that were terminated are noticed one by one
			if err = store(); err == nil || tt.fix != "" && strings.Contains(err.Error(), tt.fix) {
				break
			}
		}
		var trouble *chat.StoreTrouble
		switch {
		case tt.fix == "" && err != nil && !errors.Is(err, chat.ErrAway):
			t.Errorf("%s: %v", tt.name, err)
		case tt.fix != "" && (!errors.Is(err, chat.ErrAway) || !errors.As(err, &trouble) || !strings.Contains(trouble.Fix, tt.fix)):
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.name == "a missing database" { // it cannot be renamed while somebody is connected
			server.Command(t, terminate)
		}
		server.Command(t, tt.mending)
		for deadline := time.Now().Add(20 * time.Second); store() != nil; {
			if time.Now().After(deadline) {
				t.Fatalf("%s: it does not work again: %v", tt.name, store())
			}
		}
	}
}
