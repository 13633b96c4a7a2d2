package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

func schemaAt(t *testing.T, version int) db.Schema {
	t.Helper()
	read, _ := schemas.LoadOrStore(version, sync.OnceValues(func() (db.Schema, error) { return db.SchemaAt(context.Background(), version) }))
	s, err := read.(func() (db.Schema, error))()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// schemas are those that tests have asked for, by their version.
var schemas sync.Map

// filled makes a database with rows in every table.
func filled(t *testing.T, url string, rows int) string {
	t.Helper()
	want(t, reopen(t, url), nil)
	want(t, schemaAt(t, db.Newest()).Fill(t.Context(), url, 1, rows), nil)
	return url
}

// plainWords stands for the program's way to find words.
func plainWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r < 'a' || r > 'z' })
}

func copyTo(t *testing.T, from, to string) (db.CopyReport, error) {
	t.Helper()
	return db.Copy(t.Context(), from, to, db.CopyOptions{Words: plainWords})
}

// mustCopy copies without an error.
func mustCopy(t *testing.T, from, to string) db.CopyReport {
	t.Helper()
	report, err := copyTo(t, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestCopyThereAndBack: a database with rows in every table of the schema is the same
// after it was copied to the other engine and back, and both are as good as new.
func TestCopyThereAndBack(t *testing.T) {
	first, middle, last := filled(t, dbtest.FileURL(t), 9), dbtest.PostgresURL(t), dbtest.FileURL(t)
	there, back := mustCopy(t, first, middle), mustCopy(t, middle, last)
	if there.Resumed || len(there.Tables) < 17 || !slices.Equal(there.Tables, back.Tables) {
		t.Errorf("there %+v\nback %+v", there, back)
	}
	contents := func(url string) map[string][]map[string]any {
		all, err := schemaAt(t, db.Newest()).Contents(t.Context(), url)
		want(t, err, nil)
		return all
	}
	before, between, after := contents(first), contents(middle), contents(last)
	for _, table := range there.Tables {
		if table.Rows != 9 || len(table.Hash) != 64 {
			t.Errorf("%+v", table)
		}
		rows := before[table.Name]
		if len(rows) != 9 || !reflect.DeepEqual(between[table.Name], rows) || !reflect.DeepEqual(after[table.Name], rows) {
			t.Errorf("%s differs", table.Name)
		}
	}
	for _, url := range []string{first, middle, last} {
		checkNew(t, dbtest.Open(t, url))
	}
}

// checkNew lets a relay go on where a copy ended: with numbers that are free, and
// words that find.
func checkNew(t *testing.T, d *db.DB) {
	t.Helper()
	newSessions(t, d, 2)
	apply(t, d, func(tx chat.Tx) error {
		_, err := tx.PutUpdate(&chat.Update{Bridge: "telegram", Key: "new", Raw: chat.Raw("{}")})
		return err
	})
	numbers, err := d.FindPassages(t.Context(), nil, []string{"passages"}, 100)
	if err != nil || len(numbers) == 0 {
		t.Errorf("found %v, %v", numbers, err)
	}
}

// TestCopyKnowsEveryTable: both engines have the same tables and columns, of types that
// can be copied, or the table is known to be not part of the state.
func TestCopyKnowsEveryTable(t *testing.T) {
	url := dbtest.PostgresURL(t)
	want(t, reopen(t, url), nil)
	s := schemaAt(t, db.Newest())
	for _, table := range s.Tables() {
		types, err := db.PostgresColumns(t.Context(), url, table)
		want(t, err, nil)
		if len(types) != len(s.Columns(table)) {
			t.Errorf("%s has %v in SQLite and %v in Postgres", table, s.Columns(table), types)
		}
		for _, c := range s.Columns(table) {
			fits := map[string][]string{"INTEGER": {"bigint", "integer", "smallint", "boolean"}, "TEXT": {"text"}, "BLOB": {"bytea"}, "REAL": {"double precision"}}
			if c.Type == "BLOB" && !c.Full {
				t.Errorf("%s.%s may be NULL: SQLite's driver does not distinguish that from no bytes", table, c.Name)
			}
			if !slices.Contains(fits[c.Type], types[c.Name]) {
				t.Errorf("%s.%s is %s in SQLite and %q in Postgres", table, c.Name, c.Type, types[c.Name])
			}
		}
	}
	pool, err := sql.Open("pgx", url)
	want(t, err, nil)
	defer pool.Close()
	rows, err := pool.Query(`SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace`)
	want(t, err, nil)
	for rows.Next() {
		var name string
		want(t, rows.Scan(&name), nil)
		derived := []string{"schema_migrations", "passage_words", "leases", "bells", "search_texts", "search_progress", "digests", "digest_changes"}
		if !slices.Contains(s.Tables(), name) && !slices.Contains(derived, name) {
			t.Errorf("Postgres has a table %s and SQLite has not: relay copy would lose it", name)
		}
	}
	want(t, rows.Err(), nil)
}

// TestCopyContinues: a copy that was cut off behind any table is continued by the same
// call, and no relay starts on half of it.
func TestCopyContinues(t *testing.T) {
	first := filled(t, dbtest.FileURL(t), 5)
	whole := dbtest.PostgresURL(t)
	tables := mustCopy(t, first, whole).Tables
	for _, ends := range [][2]string{{first, "postgres"}, {whole, "sqlite"}} {
		t.Run(ends[1], func(t *testing.T) {
			for cut := 1; cut <= len(tables); cut += 6 {
				to := dbtest.FileURL
				if ends[1] == "postgres" {
					to = dbtest.PostgresURL
				}
				target := to(t)
				for range 2 { // cut off twice
					cutOff(t, ends[0], target, cut)
					if err := reopen(t, target); err == nil || !strings.Contains(err.Error(), "not finished") {
						t.Fatalf("a relay started on half of a copy: %v", err)
					}
				}
				if done := mustCopy(t, ends[0], target); !done.Resumed || !slices.Equal(done.Tables, tables) {
					t.Errorf("cut off behind table %d: %+v", cut, done)
				}
				want(t, reopen(t, target), nil)
			}
		})
	}
}

// cutOff begins a copy and cuts it off behind a table.
func cutOff(t *testing.T, from, to string, behind int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := db.Copy(ctx, from, to, db.CopyOptions{Words: plainWords, Progress: func(p db.CopyProgress) {
		if p.Nth == behind {
			cancel()
		}
	}})
	if err == nil {
		t.Fatal("the copy was not cut off")
	}
}

// TestCopyRefuses: what cannot be copied is left as it is, and the error says what to
// do.
func TestCopyRefuses(t *testing.T) {
	file, server := filled(t, dbtest.FileURL(t), 2), filled(t, dbtest.PostgresURL(t), 2)
	old, oldServer, newer := dbtest.FileURL(t), dbtest.PostgresURL(t), dbtest.FileURL(t)
	populate(t, old, 10)
	populate(t, oldServer, 10)
	want(t, reopen(t, newer), nil)
	raw(t, newer, "UPDATE schema_migrations SET version = 99")
	running, runningServer := dbtest.FileURL(t), dbtest.PostgresURL(t)
	for _, url := range []string{running, runningServer} {
		newSessions(t, dbtest.Open(t, url), 1)
	}
	half, halfServer := dbtest.FileURL(t), dbtest.PostgresURL(t)
	cutOff(t, server, half, 1)
	cutOff(t, file, halfServer, 1)
	bare, bareServer := dbtest.FileURL(t), dbtest.PostgresURL(t)
	want(t, errors.Join(reopen(t, bare), reopen(t, bareServer)), nil)
	for _, c := range []struct{ name, from, to, says string }{
		{"a file without data", bare, dbtest.PostgresURL(t), "it is empty"},
		{"a server without data", bareServer, dbtest.FileURL(t), "it is empty"},
		{"the same file", file, file, "are the same"},
		{"two files", file, old, "relay backup"},
		{"two servers", server, oldServer, "pg_dump"},
		{"no such file", dbtest.FileURL(t), dbtest.PostgresURL(t), "there is no database"},
		{"an empty server", dbtest.PostgresURL(t), dbtest.FileURL(t), "there is no database"},
		{"an older file", old, dbtest.PostgresURL(t), "relay migrate"},
		{"an older server", oldServer, dbtest.FileURL(t), "relay migrate"},
		{"a newer file", newer, dbtest.PostgresURL(t), "newer version"},
		{"to a newer file", server, newer, "newer version"},
		{"a relay runs on the file", running, dbtest.PostgresURL(t), "already running"},
		{"a relay runs on the server", runningServer, dbtest.FileURL(t), "already running"},
		{"a relay runs on the target", file, runningServer, "already running"},
		{"a relay runs on the target file", server, running, "already running"},
		{"the server has data", file, server, "already has data"},
		{"the file has data", server, file, "already has data"},
		{"the file has the beginning of another", filled(t, dbtest.PostgresURL(t), 3), half, "another database"},
		{"the server has the beginning of another", filled(t, dbtest.FileURL(t), 3), halfServer, "another database"},
		{"from half a copy", half, dbtest.PostgresURL(t), "not finished"},
		{"from half a copy on a server", halfServer, dbtest.FileURL(t), "not finished"},
		{"no address", "mysql://x", server, "must begin with"},
		{"an unreachable server", file, "postgres://relay:canary@127.0.0.1:1/relay", "127.0.0.1:1"},
		{"a malformed address", file, "postgres://relay:canary@[::1/relay", "malformed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, isFile := strings.CutPrefix(c.to, "sqlite://")
			_, before := os.Stat(path)
			_, err := copyTo(t, c.from, c.to)
			if _, after := os.Stat(path); isFile && before != nil && after == nil {
				t.Error("it leaves a file behind")
			}
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "canary") {
				t.Errorf("got %v, want ... %s ...", err, c.says)
			}
		})
	}
}

// TestCopyFindsChanges: a source that was changed behind what was copied is found.
func TestCopyFindsChanges(t *testing.T) {
	file, server := filled(t, dbtest.FileURL(t), 4), dbtest.PostgresURL(t)
	last := len(schemaAt(t, db.Newest()).Tables())
	cutOff(t, file, server, last)
	raw(t, file, "UPDATE messages SET content = 'changed' WHERE session = 2")
	if _, err := copyTo(t, file, server); err == nil || !strings.Contains(err.Error(), "messages differs") {
		t.Errorf("got %v", err)
	}
}

// TestCopyReplacesBytes: texts that Postgres cannot store do not keep a copy from
// being made.
func TestCopyReplacesBytes(t *testing.T) {
	file, server := filled(t, dbtest.FileURL(t), 2), dbtest.PostgresURL(t)
	raw(t, file, "UPDATE messages SET content = CAST(x'61006200' AS TEXT) WHERE session = 1", "UPDATE messages SET content = CAST(x'ff' AS TEXT) WHERE session = 2")
	for _, table := range mustCopy(t, file, server).Tables {
		if table.Name == "messages" != (table.Replaced == 2) {
			t.Errorf("%+v", table)
		}
	}
	all, err := schemaAt(t, db.Newest()).Contents(t.Context(), server)
	if rows := all["messages"]; err != nil || !strings.Contains(fmt.Sprint(rows), "a\uFFFDb\uFFFD") {
		t.Errorf("%v, %v", rows, err)
	}
}
