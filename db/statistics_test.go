package db_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestFacts: statistics get every session with its messages, but no notes, and when it was
// closed.
func TestFacts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error {
			for i, at := range []chat.Time{500, 1000, 1500, 2000} {
				id := fmt.Sprint(i)
				s := newSession(id, at)
				s.WaitingSince, s.Blocked = 2500-at, i == 3
				m, note := newMessage(id, "m", 1), newMessage(id, "n", 2)
				m.Timestamp, note.Timestamp, note.Internal = at, at, true
				m.Sender, m.OperatorName, m.SourceBridge = chat.SenderOperator, "Ada", "slack"
				closed := chat.TimelineEntry{SessionID: id, Rev: 1, Type: chat.EventSessionClosed, At: at, Data: chat.Raw("{}")}
				page := chat.TimelineEntry{SessionID: id, Rev: 1, Type: chat.EntryPage, At: at, Data: chat.Raw("{}")}
				if err := errors.Join(tx.CreateSession(s), tx.InsertMessage(m), tx.InsertMessage(note), tx.PutEntry(&closed), tx.PutEntry(&page)); err != nil {
					return err
				}
			}
			return nil
		})
		read(t, d, func(r chat.Reader) error {
			var got []string
			err := r.Facts(0, func(s *chat.SessionFacts) error {
				got = append(got, facts(s))
				return nil
			})
			want := []string{"1 500/501/503 5 [500 operator slack Ada ] [500] []", "2 1000/1001/1003 5 [1000 operator slack Ada ] [1000] []", "3 1500/1501/1503 5 [1500 operator slack Ada ] [1500] []",
				"4 2000/2001/2003 5 [2000 operator slack Ada ] [2000] []"}
			if !slices.Equal(got, want) {
				t.Errorf("facts %q", got)
			}
			comment, failed := r.RatingComment(2)
			if comment != (chat.RatingComment{Number: 2, ID: "1", Comment: "fine"}) {
				t.Errorf("comment %+v", comment)
			}
			none, gone := r.RatingComment(99)
			if none != (chat.RatingComment{}) {
				t.Errorf("comment of a session that is gone: %+v", none)
			}
			waiting, failedToo := r.WaitingSessions(nil)
			if waiting != (chat.Waiting{Count: 3, Since: 1000}) {
				t.Errorf("waiting: %+v", waiting)
			}
			return errors.Join(err, failed, gone, failedToo)
		})
	})
}

// facts writes facts in the order of their times.
func facts(s *chat.SessionFacts) string {
	messages := []string{}
	for _, m := range s.Messages {
		messages = append(messages, fmt.Sprint(int64(m.At), " ", m.By.Sender, " ", m.By.Bridge, " ", m.By.Author, " ", m.By.Person))
	}
	slices.Sort(messages)
	closings, back := slices.Sorted(slices.Values(s.Closings)), slices.Sorted(slices.Values(s.HandBacks))
	return fmt.Sprintf("%d %d/%d/%d %d %s %d %d", s.Number, s.StartedAt, s.AnsweredAt, s.RespondedAt, s.Score, messages, closings, back)
}

// TestDigests: whatever happens to sessions, before digests are made and after it, what is
// read with digests is what the rows say.
func TestDigests(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		d, digests := digested(t, url)
		w := &world{random: rand.New(rand.NewPCG(1, 2))}
		apply(t, d, func(tx chat.Tx) error {
			for range 1100 { // three portions
				if err := w.begin(tx); err != nil {
					return err
				}
			}
			return nil
		})
		sameFacts(t, d, "without digests")
		for round := range 6 {
			if err := digests.Round(t.Context()); err != nil {
				t.Fatal(err)
			}
			sameFacts(t, d, fmt.Sprint("digests of round ", round))
			apply(t, d, func(tx chat.Tx) error {
				for range 20 << round { // at last more than a digest bears
					if err := w.step(tx); err != nil {
						return err
					}
				}
				return nil
			})
			sameFacts(t, d, fmt.Sprint("changes after round ", round))
		}
		if made, err := d.Reader(t.Context(), "SELECT COUNT(*) FROM digests WHERE latest > 0"); made == "0" || err != nil {
			t.Errorf("%s digests, %v", made, err)
		}
	})
}

func digested(t *testing.T, url string) (*db.DB, *db.Digests) {
	d := dbtest.Open(t, url)
	return d, db.NewDigests(d, slog.New(slog.DiscardHandler))
}

// sameFacts compares what digests and rows say.
func sameFacts(t *testing.T, d *db.DB, when string) {
	t.Helper()
	var want []string
	if err := d.FactsOfRows(t.Context(), func(s *chat.SessionFacts) { want = append(want, facts(s)) }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	var got []string
	read(t, d, func(r chat.Reader) error {
		return r.Facts(0, func(s *chat.SessionFacts) error {
			got = append(got, facts(s))
			return nil
		})
	})
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("%s: digests say otherwise than rows: %d and %d sessions", when, len(got), len(want))
	}
}

// world is what happens at random to sessions.
type world struct {
	random *rand.Rand
	ids    []string
	now    chat.Time
	rev    int64
}

func (w *world) begin(tx chat.Tx) error {
	w.now += 1000
	id := fmt.Sprint(len(w.ids))
	w.ids = append(w.ids, id)
	s := newSession(id, w.now)
	if w.random.IntN(3) == 0 {
		s.CSAT, s.AnsweredAt = chat.CSAT{}, 0
	}
	if err := tx.CreateSession(s); err != nil {
		return err
	}
	return w.say(tx, id)
}

func (w *world) say(tx chat.Tx, id string) error {
	w.now, w.rev = w.now+500, w.rev+1
	m := newMessage(id, fmt.Sprint("m", w.rev), 100+w.rev)
	m.Timestamp, m.Internal = w.now, w.random.IntN(9) == 0
	if w.random.IntN(2) == 0 {
		m.Sender, m.OperatorName, m.SourceBridge, m.OperatorID = chat.SenderOperator, "Ada", "slack", fmt.Sprint(w.random.IntN(2))
	}
	return tx.InsertMessage(m)
}

// step lets one thing happen to any session.
func (w *world) step(tx chat.Tx) error {
	id := w.ids[w.random.IntN(len(w.ids))]
	s, err := tx.Lock(id)
	if errors.Is(err, chat.ErrSessionNotFound) {
		return w.begin(tx)
	}
	if err != nil {
		return err
	}
	w.now, w.rev = w.now+500, w.rev+1
	switch w.random.IntN(6) {
	case 0:
		return w.begin(tx)
	case 1:
		return tx.EraseSession(id)
	case 2:
		data := chat.Raw(`{"active":false,"reason":"asked","at":"2026-10-25T08:00:00.000Z"}`)
		return tx.PutEntry(&chat.TimelineEntry{SessionID: id, Rev: w.rev, Type: chat.EventAITakeover, At: w.now, Data: data})
	case 3:
		s.Status = chat.StatusClosed
		entry := chat.TimelineEntry{SessionID: id, Rev: w.rev, Type: chat.EventSessionClosed, At: w.now, Data: chat.Raw("{}")}
		return errors.Join(tx.SaveSession(&s), tx.PutEntry(&entry))
	case 4:
		s.CSAT = chat.CSAT{AskedAt: w.now, Score: 1 + w.random.IntN(5), RespondedAt: w.now}
		s.LastActivity = w.now
		return tx.SaveSession(&s)
	}
	s.LastActivity = w.now
	return errors.Join(w.say(tx, id), tx.SaveSession(&s))
}

// TestFactsSince: digests of sessions to which nothing happened since a time are not read,
// those of a session that was closed since are.
func TestFactsSince(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		d, digests := digested(t, url)
		w := &world{random: rand.New(rand.NewPCG(1, 2))}
		apply(t, d, func(tx chat.Tx) error {
			for range 1100 {
				if err := w.begin(tx); err != nil {
					return err
				}
			}
			closed := chat.TimelineEntry{SessionID: "600", Rev: 1, Type: chat.EventSessionClosed, At: 9_000_000, Data: chat.Raw("{}")}
			return tx.PutEntry(&closed)
		})
		if err := digests.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []int64
		read(t, d, func(r chat.Reader) error {
			return r.Facts(8_000_000, func(s *chat.SessionFacts) error {
				got = append(got, s.Number)
				return nil
			})
		})
		slices.Sort(got)
		if len(got) != 1100-511 || got[0] != 512 || !slices.Contains(got, 601) {
			t.Errorf("%d sessions from %d on", len(got), got[0])
		}
	})
}

// TestDigestsBroken: statistics read the rows behind a digest that is broken.
func TestDigestsBroken(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		d, digests := digested(t, url)
		newSessions(t, d, 600)
		if err := digests.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := d.BreakDigests(t.Context()); err != nil {
			t.Fatal(err)
		}
		sameFacts(t, d, "broken")
	})
}

// TestSurvey: a reader keeps its usual number of pages after it has read many rows.
func TestSurvey(t *testing.T) {
	d := dbtest.Open(t, dbtest.FileURL(t))
	read(t, d, func(r chat.Reader) error { return r.Facts(0, func(*chat.SessionFacts) error { return nil }) })
	if kept, err := d.Reader(t.Context(), "PRAGMA cache_size"); kept != "-2000" || err != nil {
		t.Errorf("cache_size: %s, %v", kept, err)
	}
}
