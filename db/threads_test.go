package db_test

import (
	"reflect"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// withSessions makes two sessions.
func withSessions(t *testing.T, test func(t *testing.T, d *db.DB)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error { return tx.CreateSession(newSession("a", 1)) })
		apply(t, d, func(tx chat.Tx) error { return tx.CreateSession(newSession("b", 2)) })
		test(t, d)
	})
}

func saveThreads(t *testing.T, d *db.DB, list ...chat.Thread) {
	t.Helper()
	apply(t, d, func(tx chat.Tx) error {
		for _, th := range list {
			if err := tx.SaveThread(&th); err != nil {
				return err
			}
		}
		return nil
	})
}

func saveLinks(t *testing.T, d *db.DB, list ...chat.Link) {
	t.Helper()
	apply(t, d, func(tx chat.Tx) error {
		for _, l := range list {
			if err := tx.SaveLink(&l); err != nil {
				return err
			}
		}
		return nil
	})
}

func thread(sessionID, ref string, at chat.Time) chat.Thread {
	return chat.Thread{Bridge: "telegram", Channel: "-100", Ref: ref, SessionID: sessionID, CreatedAt: at, Anchor: "m" + ref}
}

func TestThread(t *testing.T) {
	withSessions(t, func(t *testing.T, d *db.DB) {
		first, second := thread("a", "7", 10), thread("a", "8", 20)
		elsewhere := thread("a", "9", 30)
		elsewhere.Channel = "-200"
		saveThreads(t, d, first, second, elsewhere, thread("b", "5", 40))
		same := func(name string, want chat.Thread, get func(chat.Reader) (chat.Thread, error)) {
			t.Helper()
			read(t, d, func(r chat.Reader) error {
				got, err := get(r)
				if got != want {
					t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
				}
				return err
			})
		}
		at := func(ref string) func(chat.Reader) (chat.Thread, error) {
			return func(r chat.Reader) (chat.Thread, error) { return r.Thread("telegram", "-100", ref) }
		}
		newest := func(r chat.Reader) (chat.Thread, error) { return r.ThreadOf("a", "telegram", "-100") }
		same("by its place", first, at("7"))
		same("the newest", second, newest)
		second.State = chat.ThreadClosed
		saveThreads(t, d, second)
		same("a closed one", second, newest)
		lost := func(want int) {
			t.Helper()
			read(t, d, func(r chat.Reader) error {
				n, err := r.LostThreads("a", "telegram", "-100")
				if n != want {
					t.Errorf("%d threads are lost, want %d", n, want)
				}
				return err
			})
		}
		lost(0)
		second.State = chat.ThreadGone
		saveThreads(t, d, second)
		lost(1)
		same("the newest that is not gone", first, newest)
		same("one that is gone", second, at("8"))
		missing := func(name string, get func(chat.Reader) (chat.Thread, error)) {
			t.Helper()
			read(t, d, func(r chat.Reader) error {
				_, err := get(r)
				want(t, err, chat.ErrThreadNotFound)
				return nil
			})
		}
		missing("unknown", at("77"))
		missing("other bridge", func(r chat.Reader) (chat.Thread, error) { return r.ThreadOf("a", "slack", "-100") })
		missing("other session", func(r chat.Reader) (chat.Thread, error) { return r.ThreadOf("c", "telegram", "-100") })
		th := thread("c", "1", 1)
		want(t, d.Apply(t.Context(), func(tx chat.Tx) error { return tx.SaveThread(&th) }), chat.ErrSessionNotFound)
		apply(t, d, func(tx chat.Tx) error { return tx.EraseSession("a") })
		missing("erased", at("7"))
	})
}

// TestChannelsInUse: a channel is in use while a conversation that is open has a thread there.
func TestChannelsInUse(t *testing.T) {
	withSessions(t, func(t *testing.T, d *db.DB) {
		in := func(channel, session string, state chat.ThreadState) chat.Thread {
			th := thread(session, channel+session, 10)
			th.Channel, th.State = channel, state
			return th
		}
		other := in("-900", "a", chat.ThreadLive)
		other.Bridge = "discord"
		saveThreads(t, d, other, in("-100", "a", chat.ThreadLive), in("-100", "b", chat.ThreadLive), in("-200", "a", chat.ThreadGone), in("-300", "b", chat.ThreadClosed), in("-400", "a", chat.ThreadLive))
		inUse := func(want ...string) {
			t.Helper()
			read(t, d, func(r chat.Reader) error {
				got, err := r.ChannelsInUse("telegram")
				if !reflect.DeepEqual(got, want) {
					t.Errorf("in use are %q, want %q", got, want)
				}
				return err
			})
		}
		inUse("-100", "-300", "-400")
		apply(t, d, func(tx chat.Tx) error {
			s, err := tx.Lock("a")
			if err != nil {
				return err
			}
			s.Status = chat.StatusClosed
			return tx.SaveSession(&s)
		})
		inUse("-100", "-300")
		apply(t, d, func(tx chat.Tx) error { return tx.EraseSession("b") })
		inUse()
	})
}

func TestLinks(t *testing.T) {
	withSessions(t, func(t *testing.T, d *db.DB) {
		link := func(messageID, remote string, part int) chat.Link {
			return chat.Link{Bridge: "telegram", Channel: "-100", Remote: remote, SessionID: "a", MessageID: messageID, Part: part, Rev: 3, CreatedAt: 9}
		}
		one, two := link("m1", "11", 0), link("m1", "12", 1)
		shared := link("m2", "11", 0)
		origin := link("m3", "13", 0)
		origin.Origin = true
		elsewhere := link("m1", "11", 0)
		elsewhere.Bridge = "slack"
		saveLinks(t, d, two, one, shared, origin, elsewhere)
		expect := func(name string, get func(chat.Reader) ([]chat.Link, error), want ...chat.Link) {
			t.Helper()
			read(t, d, func(r chat.Reader) error {
				got, err := get(r)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
				}
				return err
			})
		}
		of := func(messageID string) func(chat.Reader) ([]chat.Link, error) {
			return func(r chat.Reader) ([]chat.Link, error) { return r.Links("a", messageID, "telegram", "-100") }
		}
		at := func(remote string) func(chat.Reader) ([]chat.Link, error) {
			return func(r chat.Reader) ([]chat.Link, error) { return r.LinksAt("telegram", "-100", remote) }
		}
		expect("parts", of("m1"), one, two)
		expect("a shared copy", at("11"), one, shared)
		expect("an origin", at("13"), origin)
		expect("nothing", at("99"))
		one.Rev, one.State = 8, chat.LinkGone
		saveLinks(t, d, one)
		expect("changed", of("m1"), one, two)
		stranger := link("m1", "1", 0)
		stranger.SessionID = "c"
		want(t, d.Apply(t.Context(), func(tx chat.Tx) error { return tx.SaveLink(&stranger) }), chat.ErrSessionNotFound)
	})
}

func TestMoveChannel(t *testing.T) {
	withSessions(t, func(t *testing.T, d *db.DB) {
		moved, known := thread("a", "7", 10), thread("b", "8", 20)
		newer := known
		newer.Channel, newer.SessionID = "-200", "a"
		saveThreads(t, d, moved, known, newer)
		l := chat.Link{Bridge: "telegram", Channel: "-100", Remote: "11", SessionID: "a", MessageID: "m1"}
		saveLinks(t, d, l)
		apply(t, d, func(tx chat.Tx) error { return tx.MoveChannel("telegram", "-100", "-200") })
		read(t, d, func(r chat.Reader) error {
			_, err := r.Thread("telegram", "-100", "7")
			want(t, err, chat.ErrThreadNotFound)
			if th, err := r.Thread("telegram", "-200", "7"); err != nil || th.SessionID != "a" {
				t.Errorf("the thread is %+v, %v", th, err)
			}
			if th, err := r.Thread("telegram", "-200", "8"); err != nil || th.SessionID != "a" {
				t.Errorf("the newer thread is %+v, %v", th, err)
			}
			links, err := r.LinksAt("telegram", "-200", "11")
			if len(links) != 1 {
				t.Errorf("links are %+v", links)
			}
			return err
		})
	})
}

func TestWaiting(t *testing.T) {
	withSessions(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error {
			return tx.Append(newEvent("a", 4, ""), []chat.Destination{{Dest: "x"}, {Dest: "y"}})
		})
		apply(t, d, func(tx chat.Tx) error { return tx.Append(newEvent("b", 4, ""), []chat.Destination{{Dest: "x"}}) })
		read(t, d, func(r chat.Reader) error {
			n, err := r.Waiting("x")
			if n != 2 {
				t.Errorf("%d deliveries wait, want 2", n)
			}
			return err
		})
	})
}
