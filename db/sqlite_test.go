package db_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

func pathOf(url string) string { return strings.TrimPrefix(url, "sqlite://") }

// TestPragmas reads back what the connections were asked for: a driver that
// does not know a setting says nothing.
func TestPragmas(t *testing.T) {
	for _, c := range []struct {
		name string
		open func(t *testing.T) *db.DB
		sync string
	}{
		{"durable", func(t *testing.T) *db.DB { return dbtest.Open(t, dbtest.FileURL(t)) }, "2"},
		{"relaxed", func(t *testing.T) *db.DB {
			d, err := db.Open(t.Context(), dbtest.FileURL(t), db.Options{Relaxed: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { d.Close() })
			return d
		}, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := c.open(t)
			for pragma, wanted := range map[string][2]string{ // on the writer, on a reader
				"synchronous":        {c.sync, ""},
				"busy_timeout":       {"5000", "5000"},
				"journal_mode":       {"wal", "wal"},
				"foreign_keys":       {"1", "1"},
				"journal_size_limit": {"67108864", ""},
				"wal_autocheckpoint": {"12000", ""},
				"trusted_schema":     {"0", "0"},
				"secure_delete":      {"2", ""},
				"query_only":         {"0", "1"},
				"auto_vacuum":        {"2", "2"},
				"application_id":     {"1919249529", "1919249529"},
				"cache_size":         {"-4000", "-2000"},
			} {
				onWriter, err := d.Writer(t.Context(), "PRAGMA "+pragma)
				onReader, err2 := d.Reader(t.Context(), "PRAGMA "+pragma)
				if onWriter != wanted[0] || (wanted[1] != "" && onReader != wanted[1]) || errors.Join(err, err2) != nil {
					t.Errorf("%s: %s on the writer, %s on a reader, %v", pragma, onWriter, onReader, errors.Join(err, err2))
				}
			}
			if err := d.Exec(t.Context(), `SELECT "no column"`); err == nil {
				t.Error("double quotes make text")
			}
		})
	}
}

// TestErasedIsGone: what is overwritten, like the secret key that was shown, does
// not stay in the file.
func TestErasedIsGone(t *testing.T) {
	url, secret := dbtest.FileURL(t), "sk_"+strings.Repeat("SECRET", 8)
	for _, value := range []string{secret, ""} {
		d, err := db.Open(t.Context(), url, db.Options{})
		if err != nil {
			t.Fatal(err)
		}
		apply(t, d, func(tx chat.Tx) error { return tx.PutMeta("secret_plain", value) })
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(pathOf(url))
		if found := bytes.Contains(data, []byte("SECRETSECRET")); err != nil || found != (value != "") {
			t.Errorf("with the value %q the secret is in the file: %v, %v", value, found, err)
		}
	}
}

// TestPlans: what visitors and operators wait for takes an index all the way.
func TestPlans(t *testing.T) {
	d := dbtest.Open(t, dbtest.FileURL(t))
	for name, query := range db.Queries() {
		steps, err := d.Plan(t.Context(), query, strings.Count(query, "?"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, step := range steps {
			few := step == "SCAN CONSTANT ROW" || step == "SCAN steps" // those of a query itself
			if strings.HasPrefix(step, "SCAN") && !few && !strings.Contains(step, "USING INDEX deliveries_") || strings.Contains(step, "TEMP B-TREE") {
				t.Errorf("%s: %s", name, step)
			}
		}
	}
}

// TestSearchReadsItsIndex: a search for a session does not read the wide rows.
func TestSearchReadsItsIndex(t *testing.T) {
	d := dbtest.Open(t, dbtest.FileURL(t))
	steps, err := d.Plan(t.Context(), db.SearchQuery, 2)
	if plan := strings.Join(steps, "; "); err != nil || !strings.Contains(plan, "INDEX sessions_search") {
		t.Errorf("%s, %v", plan, err)
	}
}

// TestStatesHaveIndexes: a list of the deliveries in a state that few are in
// does not look at the many others.
func TestStatesHaveIndexes(t *testing.T) {
	d := dbtest.Open(t, dbtest.FileURL(t))
	queries := db.Queries()
	for name, index := range map[string]string{"Deliveries, pending": "deliveries_pending", "Deliveries, pending, before": "deliveries_pending",
		"Deliveries, sending": "deliveries_pending", "Deliveries, failed": "deliveries_failed"} {
		steps, err := d.Plan(t.Context(), queries[name], strings.Count(queries[name], "?"))
		if plan := strings.Join(steps, "; "); err != nil || !strings.Contains(plan, " d USING INDEX "+index) {
			t.Errorf("%s: %s, %v", name, plan, err)
		}
	}
}

// quotaProcess is set in the process in which files must not grow.
const quotaProcess = "RELAY_TEST_QUOTA"

// TestDiskFull: a full database answers so, keeps what it has, goes on being
// read, and takes up writing by itself.
func TestDiskFull(t *testing.T) {
	t.Run("limit of pages", func(t *testing.T) {
		d := dbtest.Open(t, dbtest.FileURL(t))
		fillUp(t, d, func() error { return d.Limit("200") }, func() error { return d.Limit("1000000") })
	})
	t.Run("quota", func(t *testing.T) {
		if os.Getenv(quotaProcess) == "" { // the limit is the process's: go test writes a log of its own
			again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDiskFull$/^quota$")
			again.Env = append(os.Environ(), quotaProcess+"=1")
			if out, err := again.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
				t.Errorf("%v: %s", err, out)
			}
			return
		}
		d := dbtest.Open(t, dbtest.FileURL(t))
		var usual syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &usual); err != nil {
			t.Fatal(err)
		}
		restore := func() error { return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &usual) }
		defer func() { _ = restore() }()
		fillUp(t, d, func() error {
			return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 700 << 10, Max: usual.Max})
		}, restore)
	})
	t.Run("small disk", func(t *testing.T) {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
			t.Skipf("mounting needs root: %v", err)
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, 0); err != nil {
				t.Error(err)
			}
		})
		ballast := filepath.Join(dir, "ballast")
		if err := os.WriteFile(ballast, make([]byte, 4<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := db.Open(t.Context(), "sqlite://"+dir+"/relay.db", db.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		fillUp(t, d, func() error { return nil }, func() error { return os.Remove(ballast) })
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(ballast, make([]byte, 8<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		if err := reopen(t, "sqlite://"+dir+"/relay.db"); err == nil || !strings.Contains(err.Error(), "make room") {
			t.Errorf("opened on a full disk: %v", err)
		}
	})
}

func fillUp(t *testing.T, d *db.DB, limit, unlimit func() error) {
	t.Helper()
	ids := newSessions(t, d, 16)
	if err := limit(); err != nil {
		t.Fatal(err)
	}
	var acknowledged sync.Map
	write := func(n int) (full bool) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		for _, id := range ids {
			wg.Go(func() {
				for range n {
					m := chat.NewID()
					err := d.Apply(t.Context(), visitorMessage(id, m))
					switch {
					case err == nil:
						acknowledged.Store(id+" "+m, true)
					case errors.Is(err, chat.ErrStorageFull):
						mu.Lock()
						full = true
						mu.Unlock()
						return
					default:
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		return full
	}
	if !write(10_000) {
		t.Fatal("the disk did not get full")
	}
	full := false
	for tries := 0; !full && tries < 1000; tries++ { // there may be room for a few, and for less than a message
		full = d.Apply(t.Context(), visitorMessage(ids[0], chat.NewID())) != nil && d.Ping(t.Context()) != nil
	}
	want(t, d.Ping(t.Context()), chat.ErrStorageFull)
	check := func() {
		t.Helper()
		read(t, d, func(r chat.Reader) error {
			acknowledged.Range(func(key, _ any) bool {
				id, m, _ := strings.Cut(key.(string), " ")
				_, err := r.Message(id, m)
				want(t, err, nil)
				return err == nil
			})
			return nil
		})
	}
	check()
	if err := unlimit(); err != nil {
		t.Fatal(err)
	}
	if write(5) {
		t.Error("the disk is still full")
	}
	check()
	if verdict, err := d.Reader(t.Context(), "PRAGMA integrity_check"); verdict != "ok" {
		t.Error(verdict, err)
	}
}

// TestVacuum: space that is not needed any more goes back to the disk, most of it
// while more is being removed. A file that somebody else has written, and that
// cannot shrink, is tidied all the same.
func TestVacuum(t *testing.T) {
	for _, shrinks := range []bool{true, false} {
		t.Run(fmt.Sprintf("shrinks %v", shrinks), func(t *testing.T) {
			url := dbtest.FileURL(t)
			if !shrinks {
				dbtest.Open(t, url).Close()
				rewrite(t, url, "PRAGMA auto_vacuum = NONE; VACUUM")
			}
			testVacuum(t, dbtest.Open(t, url), shrinks)
		})
	}
}

// rewrite has another program change a SQLite file.
func rewrite(t *testing.T, url, query string) {
	t.Helper()
	pool, err := sql.Open("sqlite", pathOf(url))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.ExecContext(t.Context(), query); err != nil {
		t.Fatal(err)
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
}

func testVacuum(t *testing.T, d *db.DB, shrinks bool) {
	pages := func(pragma string) (n int) {
		value, err := d.Writer(t.Context(), "PRAGMA "+pragma)
		if _, scan := fmt.Sscan(value, &n); errors.Join(err, scan) != nil {
			t.Errorf("%s is %q, %v", pragma, value, errors.Join(err, scan))
		}
		return n
	}
	apply(t, d, func(tx chat.Tx) error {
		if err := tx.CreateSession(newSession("a", 1)); err != nil {
			return err
		}
		if err := tx.CreateFile(&chat.File{ID: "f", SessionID: "a"}); err != nil {
			return err
		}
		for n := range 20 {
			if err := tx.PutChunk("f", n, make([]byte, 256<<10)); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(d.SweepEmpty(t.Context(), nil, 1), d.SweepOrphans(t.Context(), nil, 1)); err != nil {
		t.Fatal(err)
	}
	if free := pages("freelist_count"); shrinks && free != db.KeptPages {
		t.Errorf("%d pages are free, want %d", free, db.KeptPages)
	}
	if err := d.Prune(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if left := pages("page_count"); shrinks && left > 200 {
		t.Errorf("%d pages are left", left)
	}
}

// TestVacuumPortion: giving pages back keeps nobody waiting for long.
func TestVacuumPortion(t *testing.T) {
	for _, tt := range []struct {
		pages int
		took  time.Duration
		next  int
	}{
		{256, 400 * time.Millisecond, 128}, {3, time.Second, 1}, {1, time.Second, 1},
		{100, 40 * time.Millisecond, 100}, {100, 5 * time.Millisecond, 200}, {200, 5 * time.Millisecond, 256},
	} {
		if next := db.NextPortion(tt.pages, tt.took); next != tt.next {
			t.Errorf("after %d pages in %v come %d, want %d", tt.pages, tt.took, next, tt.next)
		}
	}
}

// TestNothingLeft: what was removed cannot be read in the files any more once
// the database has been tidied.
func TestNothingLeft(t *testing.T) {
	const secret = "sk_what nobody may find"
	url := dbtest.FileURL(t)
	d, err := db.Open(t.Context(), url, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	apply(t, d, func(tx chat.Tx) error { return tx.PutMeta("plain", secret) })
	for n := range 10 { // few enough for no checkpoint of the writer's
		id := fmt.Sprint("s", n)
		apply(t, d, func(tx chat.Tx) error {
			s := newSession(id, 1)
			s.Identity = chat.Raw(`{"name":"` + secret + `"}`)
			m := newMessage(id, "m"+id, 1)
			m.Content = strings.Repeat(secret, 1+n*40)
			if err := errors.Join(tx.CreateSession(s), tx.InsertMessage(m), tx.CreateFile(&chat.File{ID: "f" + id, SessionID: id})); err != nil {
				return err
			}
			return tx.PutChunk("f"+id, 0, []byte(strings.Repeat(secret, 1000)))
		})
	}
	apply(t, d, func(tx chat.Tx) error { return tx.PutMeta("plain", "") })
	for n := range 10 {
		apply(t, d, func(tx chat.Tx) error { return tx.EraseSession(fmt.Sprint("s", n)) })
	}
	if err := d.Prune(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if log, err := os.Stat(pathOf(url) + "-wal"); err != nil || log.Size() > 0 {
		t.Errorf("the log still has %d bytes, %v", log.Size(), err)
	}
	if err := d.Close(); err != nil { // reading the file earlier would drop SQLite's locks
		t.Fatal(err)
	}
	content, err := os.ReadFile(pathOf(url))
	if left := strings.Count(string(content), secret); left > 0 || err != nil {
		t.Errorf("the file still has it %d times, %v", left, err)
	}
}

// TestCheckpoint: what is written reaches the file itself before the log is
// long, though nobody waits for it.
func TestCheckpoint(t *testing.T) {
	url := dbtest.FileURL(t)
	d := dbtest.Open(t, url)
	apply(t, d, func(tx chat.Tx) error {
		if err := tx.CreateSession(newSession("a", 1)); err != nil {
			return err
		}
		return tx.CreateFile(&chat.File{ID: "f", SessionID: "a"})
	})
	for n := range 20 { // more than 1000 pages
		apply(t, d, func(tx chat.Tx) error { return tx.PutChunk("f", n, make([]byte, 256<<10)) })
	}
	path := strings.TrimPrefix(url, "sqlite://")
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > 3<<20 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the file has %d bytes", info.Size())
		}
	}
}
