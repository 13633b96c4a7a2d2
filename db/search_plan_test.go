package db_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/words"
)

// TestRareWordIsLookedUp: a search for a word that few messages have does not walk through all
// of them, however often it is asked.
func TestRareWordIsLookedUp(t *testing.T) {
	const searches = 12
	url := dbtest.MigratedURL(t)
	c, err := pgx.Connect(t.Context(), url)
	want(t, err, nil)
	for _, query := range []string{
		`ALTER TABLE search_texts DISABLE TRIGGER ALL`, // the messages are not needed
		`INSERT INTO search_texts
			SELECT n, n, 1, CASE WHEN n = 7 THEN '''rare''' ELSE '''usual''' END::tsvector FROM generate_series(1, 50000) n`,
		`ANALYZE search_texts`,
	} {
		_, err := c.Exec(t.Context(), query)
		want(t, err, nil)
	}
	want(t, c.Close(t.Context()), nil)
	d, err := db.Open(t.Context(), url, db.Options{})
	want(t, err, nil)
	s := db.NewSearch(d, nil)
	for range searches {
		_, err := s.Find(t.Context(), words.Terms("rare"), nil, 0, 21)
		want(t, err, nil)
	}
	want(t, d.Close(), nil)
	// The server counts what a connection did when it ends.
	const looked = `SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'search_texts_words'`
	const walked = `SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'search_texts_pkey'`
	for end := time.Now().Add(10 * time.Second); rawNumber(t, url, looked) < searches && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if n, past := rawNumber(t, url, looked), rawNumber(t, url, walked); n < searches || past > searches*2100 {
		t.Errorf("%d searches looked words up %d times and walked past %d messages", searches, n, past)
	}
}
