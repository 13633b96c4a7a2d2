package db_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// fixture returns what a relay of a step of the schema stores, "" if nothing is new
// in it.
func fixture(t *testing.T, url string, step int) string {
	t.Helper()
	found, err := filepath.Glob(fmt.Sprintf("testdata/upgrade/%04d_*.sql", step))
	if err != nil || len(found) == 0 {
		return ""
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	bytes := `x'68656c6c6f'`
	if strings.HasPrefix(url, "postgres") {
		bytes = `'\x68656c6c6f'`
	}
	return strings.ReplaceAll(string(text), "{hello}", bytes)
}

// populate makes the database of a relay whose schema had a version, with what each
// relay up to it stored.
func populate(t *testing.T, url string, version int) {
	t.Helper()
	for _, step := range db.Steps() {
		if step <= version {
			takeStep(t, url, step)
		}
	}
}

// takeStep takes the next step of the schema, and stores what a relay of it does.
func takeStep(t *testing.T, url string, step int) {
	t.Helper()
	want(t, db.NextStep(url, false), nil)
	raw(t, url, fixture(t, url, step))
}

// TestUpgrade: databases of every version of the schema, with content, become this
// version's, although the first step was cut off, and nothing of the content is lost.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, grows string) {
		steps := db.Steps()
		for _, version := range steps {
			takeStep(t, grows, version)
			t.Run(fmt.Sprint("from ", version), func(t *testing.T) {
				url := dbtest.CopyOf(t, grows)
				before := everything(t, url, version)
				if version < steps[len(steps)-1] && db.NextStep(url, true) == nil {
					t.Fatal("the step was not cut off")
				}
				d := dbtest.Open(t, url)
				checkEverything(t, url, version, before)
				checkUpgraded(t, d, version)
			})
		}
	})
}

// everything fills every table that a version of the schema has, and returns what is in
// them.
func everything(t *testing.T, url string, version int) map[string][]map[string]any {
	t.Helper()
	s := schemaAt(t, version)
	want(t, s.Fill(t.Context(), url, 1000, 3), nil)
	found, err := s.Contents(t.Context(), url)
	want(t, err, nil)
	for _, table := range s.Tables() {
		if rows := found[table]; len(rows) < 3 {
			t.Fatalf("%s has %d rows", table, len(rows))
		}
	}
	return found
}

// changed is what steps of the schema change in rows that are there, on purpose.
var changed = map[int]func(table string, row map[string]any){
	5: func(table string, row map[string]any) {
		if table == "inbox" && row["state"] == int64(1) {
			row["raw"] = ""
		}
	},
	20: func(table string, row map[string]any) {
		if table == "people" && row["id"] == "p-2" { // the newest device's choice
			row["preferences"] = `{"notify":"nothing","sound":true,"pushContent":true}`
		}
	},
}

// checkEverything looks whether each row that an earlier version had is there, with all
// that it had.
func checkEverything(t *testing.T, url string, version int, before map[string][]map[string]any) {
	t.Helper()
	after, err := schemaAt(t, version).Contents(t.Context(), url)
	want(t, err, nil)
	for table, rows := range before {
		for _, row := range rows {
			for step := version + 1; step <= db.Newest(); step++ {
				if change := changed[step]; change != nil {
					change(table, row)
				}
			}
		}
		if !reflect.DeepEqual(after[table], rows) {
			t.Errorf("%s differs behind the upgrade:\n%v\n%v", table, clipped(after[table]), clipped(rows))
		}
	}
}

func clipped(v any) string {
	text := fmt.Sprint(v)
	return text[:min(len(text), 2000)]
}

// checkUpgraded looks for what the fixtures put in, and writes to it.
func checkUpgraded(t *testing.T, d *db.DB, from int) {
	t.Helper()
	read(t, d, func(r chat.Reader) error {
		s, err := r.Session("s-1")
		if err != nil || s.VisitorID != "v-1" || s.CSAT.Score != 5 || s.Rev != 3 || s.Person != "42" || !strings.Contains(string(s.Identity), "ann@example.com") {
			t.Errorf("session %+v, %v", s, err)
		}
		list, err := r.Messages(chat.MessageQuery{SessionID: "s-1"})
		wanted := 2
		if from >= 4 {
			wanted++ // an internal note
		}
		if err != nil || len(list) != wanted || list[0].Content != "Where is my parcel?" || list[1].OperatorName != "Bo" || list[len(list)-1].Internal != (from >= 4) {
			t.Errorf("messages %+v, %v", list, err)
		}
		if content, err := r.Chunk("f-1", 0); err != nil || string(content) != "hello" {
			t.Errorf("file %q, %v", content, err)
		}
		lane, err := r.Lane("telegram", "s-1", 10)
		if err != nil || len(lane) != 1 || lane[0].Rev != 2 {
			t.Errorf("waiting %+v, %v", lane, err)
		}
		if entries, err := r.Timeline("s-1", 0, 0, 10); err != nil || len(entries) != 1 || entries[0].Type != chat.EventSessionClosed {
			t.Errorf("timeline %+v, %v", entries, err)
		}
		settings, err := r.Settings()
		if err != nil || string(settings["operatorName"]) != `"Support"` {
			t.Errorf("settings %s, %v", settings, err)
		}
		if thread, err := r.Thread("telegram", "-100", "7"); err != nil || thread.SessionID != "s-1" {
			t.Errorf("thread %+v, %v", thread, err)
		}
		if p, err := r.Person("p-1"); from >= 13 && (err != nil || p.Name != "Ada" || p.Preferences.V.Notify != chat.NotifyMine) {
			t.Errorf("person %+v, %v", p, err)
		}
		return nil
	})
	want(t, sendMessage(t, d, "s-1"), nil)
	newSessions(t, d, 1)
}
