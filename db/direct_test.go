package db_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestDirectURLLeadsToTheSameDatabase refuses a DATABASE_DIRECT_URL that leads nowhere or
// elsewhere by its name, and leaves the other database as it is.
func TestDirectURLLeadsToTheSameDatabase(t *testing.T) {
	t.Parallel()
	server := dbtest.NewServer(t, 40)
	server.Command(t, `CREATE DATABASE other`)
	other := strings.Replace(server.URL, "@/relay", "@/other", 1)
	for name, direct := range map[string]string{"elsewhere": other, "nowhere": "postgres://relay@127.0.0.1:1/relay",
		"no address": "postgres://relay:canary@[::1/relay"} {
		d, err := db.Open(t.Context(), server.URL, db.Options{Direct: direct})
		if err == nil {
			d.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "DATABASE_DIRECT_URL") || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
		}
		if f := db.Finding(server.URL, err); f.Level != chat.FindingFail || !strings.Contains(f.Fix, "DATABASE_DIRECT_URL") {
			t.Errorf("%s: doctor says %+v", name, f)
		}
	}
	d, err := db.Open(t.Context(), other, db.Options{Direct: other})
	if err != nil {
		t.Fatalf("the same database: %v", err)
	}
	d.Close()
}
