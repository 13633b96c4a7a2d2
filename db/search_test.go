package db_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

// index indexes all that is stored.
func index(t testing.TB, d *db.DB) *db.Search {
	t.Helper()
	s := db.NewSearch(d, slog.New(slog.NewTextHandler(io.Discard, nil)))
	s.BeginRound()
	indexMore(t, s)
	return s
}

func indexMore(t testing.TB, s *db.Search) {
	t.Helper()
	for more := true; more; {
		var err error
		if more, err = s.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// store stores messages with these contents in a new session, a second apart.
func store(t testing.TB, d *db.DB, session string, contents ...string) {
	t.Helper()
	apply(t, d, func(tx chat.Tx) error {
		s := newSession(session, 1000)
		s.Rev = int64(len(contents))
		if err := tx.CreateSession(s); err != nil {
			return err
		}
		for i, content := range contents {
			m := newMessage(session, fmt.Sprintf("%s-%d", session, i), int64(i)+1)
			m.Content, m.Timestamp = content, chat.Time(1_700_000_000_000+1000*i)
			if err := tx.InsertMessage(m); err != nil {
				return err
			}
		}
		return nil
	})
}

// find returns the contents of what is found, in order.
func find(t testing.TB, s *db.Search, search string) (contents []string) {
	t.Helper()
	found, err := s.Find(t.Context(), words.Terms(search), nil, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range found {
		contents = append(contents, m.Content)
	}
	return contents
}

func wantFound(t testing.TB, s *db.Search, search string, wanted ...string) {
	t.Helper()
	if got := find(t, s, search); !slices.Equal(got, wanted) {
		t.Errorf("%q found %q, want %q", search, got, wanted)
	}
}

// spoken is what people say, by a search that finds it.
var spoken = map[string]string{
	"soren":        "Søren Kierkegård asked",
	"SØREN kierk":  "Søren Kierkegård asked",
	"hauptstrasse": "Hauptstraße 5",
	"straße":       "Strasse without it",
	"éte":          "L'été à la plage",
	"东京":           "我想去东京旅行",
	"京旅":           "我想去东京旅行",
	"行":            "我想去东京旅行",
	"とうきょう":        "きのうとうきょうで",
	"안녕":           "안녕하세요 여러분",
	"สวัส":         "สวัสดีครับ",
	"البيت":        "ذهبت إلى بَيْت كبير",
	"לבית":         "הלכתי לַבַּיִת",
	"שלום":         "שָׁלוֹם עולם",
	"привет ёлка":  "Привет, елка!",
	"🎉":            "Party 🎉 tonight",
	"b c4":         "<b>C4</b> & \"quotes\" * NEAR(x y) OR",
	"near x":       "<b>C4</b> & \"quotes\" * NEAR(x y) OR",
	"A-1234":       "Order #A-1234567 is late",
	"ada@exam":     "write to ada@example.com please",
	"ﬁnance":       "finance department",
	"istanbul":     "İSTANBUL'a",
	"hindi हिन्दी": "hindi: हिन्दी में",
	"Ελλάδα":       "η ελλαδα",
}

func TestSearchFindsEveryLanguage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		texts := map[string]bool{}
		for _, text := range spoken {
			texts[text] = true
		}
		store(t, d, "S", slices.Sorted(keysOf(texts))...)
		s := index(t, d)
		for search, text := range spoken {
			if got := find(t, s, search); !slices.Contains(got, text) {
				t.Errorf("%q found %q, not %q", search, got, text)
			}
		}
		for _, nothing := range []string{"nobody", "søren nobody", "!!!", "", "\x00\xff", "kierkegardx", "'", `"`, "%", "京东"} {
			wantFound(t, s, nothing)
		}
	})
}

func keysOf(m map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestSearchIsNewestFirst also holds pages to be stable while messages arrive.
func TestSearchIsNewestFirst(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		store(t, d, "A", "parcel 0", "parcel 1", "letter", "parcel 3")
		s := index(t, d)
		wantFound(t, s, "parc", "parcel 3", "parcel 1", "parcel 0")
		first, err := s.Find(t.Context(), words.Terms("parcel"), nil, 0, 2)
		if err != nil || len(first) != 2 {
			t.Fatal(first, err)
		}
		store(t, d, "B", "parcel of B", "later", "later", "later", "parcel of B, the newest")
		index(t, d)
		rest, err := s.Find(t.Context(), words.Terms("parcel"), nil, first[1].Place, 10)
		if err != nil || len(rest) != 2 || rest[0].SessionID == rest[1].SessionID {
			t.Fatal(rest, err)
		}
		if got := find(t, s, "parcel")[0]; got != "parcel of B, the newest" {
			t.Errorf("the newest is %q", got)
		}
	})
}

func TestSearchForgets(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		store(t, d, "S", "edited apple", "deleted banana", "kept cherry", "not yet indexed")
		store(t, d, "T", "erased date")
		s := index(t, d)
		change := func(seq int64, op func(m *chat.Message)) {
			apply(t, d, func(tx chat.Tx) error {
				if _, err := tx.Lock("S"); err != nil {
					return err
				}
				m, err := tx.Message("S", fmt.Sprintf("S-%d", seq))
				if err != nil {
					return err
				}
				op(&m)
				return tx.SaveMessage(&m)
			})
		}
		change(0, func(m *chat.Message) { m.Content, m.EditedAt = "edited elderberry", 5 })
		change(1, func(m *chat.Message) { m.Content, m.DeletedAt = "", 5 })
		if err := d.Erase(t.Context(), "T"); err != nil {
			t.Fatal(err)
		}
		wantFound(t, s, "apple")
		wantFound(t, s, "elder", "edited elderberry")
		wantFound(t, s, "banana")
		wantFound(t, s, "cherry", "kept cherry")
		wantFound(t, s, "date")
		if err := d.EraseIdle(t.Context(), nil, 1<<50); err != nil { // retention
			t.Fatal(err)
		}
		wantFound(t, s, "cherry")
		if n, err := d.Reader(t.Context(), "SELECT CAST(COUNT(*) AS TEXT) FROM search_texts"); err != nil || n != "0" {
			t.Errorf("%s texts are left: %v", n, err)
		}
	})
}

// TestSearchIndexesWhatChangedMeanwhile edits a message that no batch has reached.
func TestSearchIndexesWhatChangedMeanwhile(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		store(t, d, "S", "old words")
		apply(t, d, func(tx chat.Tx) error {
			if _, err := tx.Lock("S"); err != nil {
				return err
			}
			m, err := tx.Message("S", "S-0")
			if err != nil {
				return err
			}
			m.Content, m.EditedAt = "new words", 5
			return tx.SaveMessage(&m)
		})
		s := index(t, d)
		wantFound(t, s, "old")
		wantFound(t, s, "new", "new words")
	})
}

// TestSearchOfLongConversation also covers batches that end within a session.
func TestSearchOfLongConversation(t *testing.T) {
	if testing.Short() {
		t.Skip("ten thousand messages are too many for the race detector")
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		contents := make([]string, 10_000)
		for i := range contents {
			contents[i] = fmt.Sprintf("message number%d of many", i)
		}
		store(t, d, "L", contents...)
		store(t, d, "N", "number7 beside it", strings.Repeat("long ", 8000))
		s := index(t, d)
		wantFound(t, s, "number9999", contents[9999])
		wantFound(t, s, "number0 many", contents[0])
		if got := len(find(t, s, "number7")); got != 1000 {
			t.Errorf("%d found, want the limit", got)
		}
		if err := d.Erase(t.Context(), "L"); err != nil {
			t.Fatal(err)
		}
		wantFound(t, s, "number7", "number7 beside it")
	})
}

func TestSearchTellsProgress(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for i := range 3 {
			store(t, d, fmt.Sprint("S", i), "hello")
		}
		if err := d.Exec(t.Context(), "UPDATE search_progress SET behind = (SELECT MAX(number) + 1 FROM sessions)"); err != nil { // as after an upgrade
			t.Fatal(err)
		}
		s := db.NewSearch(d, slog.New(slog.DiscardHandler))
		p, err := s.Progress(t.Context())
		if err != nil || p.Complete() || p.Done != 0 || p.Total != 3 {
			t.Fatal(p, err)
		}
		s.BeginRound()
		indexMore(t, s)
		if p, err = s.Progress(t.Context()); err != nil || !p.Complete() {
			t.Fatal(p, err)
		}
		if got := len(find(t, s, "hello")); got != 3 {
			t.Errorf("found %d", got)
		}
	})
}

// TestSearchRunsUntilStopped indexes what is stored while it runs, noticed or not.
func TestSearchRunsUntilStopped(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		store(t, d, "before", "stored before")
		s := db.NewSearch(d, slog.New(slog.DiscardHandler))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Run(ctx) }()
		await(t, "stored before is found", func() bool { return len(find(t, s, "stored before")) == 1 })
		apply(t, d, func(tx chat.Tx) error {
			session, err := tx.Lock("before")
			if err != nil {
				return err
			}
			session.Rev, session.LastActivity = 2, chat.Now()
			m := newMessage("before", "second", 2)
			m.Content = "stored afterwards"
			if err := tx.InsertMessage(m); err != nil {
				return err
			}
			return tx.SaveSession(&session)
		})
		if d.Cluster() == nil {
			s.Notice(&chat.Event{Type: chat.EventNote, SessionID: "before"})
		}
		await(t, "stored afterwards is found", func() bool { return len(find(t, s, "afterwards")) == 1 })
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestErasedWordsLeaveTheFile looks for them in the bytes of the file.
func TestErasedWordsLeaveTheFile(t *testing.T) {
	url := dbtest.FileURL(t)
	d, err := db.Open(t.Context(), url, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 { // several segments of the index
		store(t, d, fmt.Sprint("other", i), "something else is said here", "word"+fmt.Sprint(i))
		index(t, d)
	}
	store(t, d, "S", "zanzibarquux secretwhisper", "second zanzibarquux")
	s := index(t, d)
	wantFound(t, s, "zanzibarquux", "second zanzibarquux", "zanzibarquux secretwhisper")
	if err := errors.Join(d.Erase(t.Context(), "S"), d.Prune(t.Context(), 0), d.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pathOf(url), pathOf(url) + "-wal"} {
		data, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for _, word := range []string{"zanzibar", "anzibarquux", "secretwhisp", "whisper"} {
			if bytes.Contains(data, []byte(word)) {
				t.Errorf("%s has %q", name, word)
			}
		}
	}
	d = dbtest.Open(t, url)
	if text, err := d.Reader(t.Context(), "PRAGMA integrity_check"); err != nil || text != "ok" {
		t.Errorf("the integrity is %q: %v", text, err)
	}
	if err := d.Exec(t.Context(), "INSERT INTO search_words (search_words, rank) VALUES ('integrity-check', 1)"); err != nil {
		t.Errorf("the index is not what the texts are: %v", err)
	}
	wantFound(t, index(t, d), "word29", "word29")
}

// TestSearchIsBounded in time: one that is not over then is refused.
func TestSearchIsBounded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := index(t, d)
		ctx, cancel := context.WithCancelCause(t.Context())
		refused := errors.New("the caller left")
		cancel(refused)
		if _, err := s.Find(ctx, words.Terms("a b c d e f g"), nil, 0, 10); !errors.Is(err, refused) && !errors.Is(err, context.Canceled) {
			t.Errorf("it answered %v", err)
		}
		store(t, d, "S", "still there")
		wantFound(t, index(t, d), "still", "still there")
	})
}
