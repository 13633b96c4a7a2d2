package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/statistics"
	"github.com/relay-chat/relay/server/words"
)

// conversationsOfAll is how many there are, however many sites share them.
const conversationsOfAll = 50_000

// manySites is a relay with so many sites.
type manySites struct {
	*engine.Engine
	db    *db.DB
	sites int
	last  string // the id of the last site
	talk  string // a conversation there

	search  *db.Search
	counter *statistics.Counter
}

// BenchmarkSites measures what people wait for with 1, 100 and 1,000 sites among 50,000
// conversations, in turns: the medians of one operation, and how often that of 1,000 has room for
// that of one.
func BenchmarkSites(b *testing.B) {
	relays := []*manySites{newManySites(b, 1), newManySites(b, 100), newManySites(b, 1000)}
	list := func(of func(*manySites) chat.SiteSet) func(*manySites, int) error {
		return func(m *manySites, _ int) error {
			return m.db.Read(b.Context(), func(rd chat.Reader) error {
				_, err := rd.Sessions(chat.SessionQuery{Sites: of(m), Limit: 50})
				return err
			})
		}
	}
	for _, c := range []struct {
		name string
		do   func(m *manySites, i int) error
	}{
		{"open", func(m *manySites, _ int) error {
			openEngine(b, m.db, quiet)
			return nil
		}},
		{"init", func(m *manySites, i int) error {
			_, err := m.Init(b.Context(), engine.Visit{Site: m.last, VisitorID: "v" + strconv.Itoa(m.sites*(i%(conversationsOfAll/m.sites))+m.sites-1)})
			return err
		}},
		{"post", func(m *manySites, _ int) error {
			_, err := m.Send(b.Context(), chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget, Site: m.last}, engine.Post{SessionID: m.talk, Content: "hello"})
			return err
		}},
		{"history", func(m *manySites, _ int) error {
			return m.db.ReadOne(b.Context(), func(rd chat.Reader) error {
				_, err := rd.Messages(chat.MessageQuery{SessionID: m.talk, Limit: 50})
				return err
			})
		}},
		{"search", func(m *manySites, i int) error {
			_, err := m.search.Find(b.Context(), words.Terms("lamp "+strconv.Itoa(i%500)), nil, 0, 50)
			return err
		}},
		{"statistics", func(m *manySites, _ int) error {
			_, err := m.counter.Statistics(b.Context(), statistics.StatRange{})
			return err
		}},
		{"list all", list(func(*manySites) chat.SiteSet { return nil })},
		{"list one", list(func(m *manySites) chat.SiteSet { return chat.SiteSet{m.last} })},
		{"list first", list(func(*manySites) chat.SiteSet { return chat.SiteSet{""} })},
		{"setting", func(m *manySites, i int) error {
			return m.PatchSiteSettings(b.Context(), m.last, map[string]json.RawMessage{"aiName": json.RawMessage(strconv.Quote(fmt.Sprint("A", i)))})
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			took := make([][]time.Duration, len(relays))
			for i := 0; b.Loop(); i++ {
				for k := range relays {
					r := (k + i) % len(relays)
					begun := time.Now()
					if err := c.do(relays[r], i); err != nil {
						b.Fatal(err)
					}
					took[r] = append(took[r], time.Since(begun))
				}
			}
			for r, m := range relays {
				b.ReportMetric(median(took[r]), fmt.Sprint("us/", m.sites))
			}
			b.ReportMetric(median(took[2])/median(took[0]), "1000/1")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// median returns the middle one in microseconds.
func median(took []time.Duration) float64 {
	slices.Sort(took)
	return float64(took[len(took)/2].Nanoseconds()) / 1000
}

func newManySites(b *testing.B, sites int) *manySites {
	b.Helper()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	m := &manySites{db: dbtest.Open(b, dbtest.FileURL(b)), sites: sites}
	ids := []string{""}
	must(m.db.Apply(b.Context(), func(tx chat.Tx) error {
		for i := 1; i < sites; i++ {
			id := fmt.Sprint("site-", i)
			ids = append(ids, id)
			if err := tx.PutSite(&chat.Site{ID: id, Name: id, NameKey: id, Key: "pk_" + id + "_key"}); err != nil {
				return err
			}
			if err := tx.PutSiteSetting(id, "welcomeMessage", chat.MustJSON("Welcome to "+id)); err != nil {
				return err
			}
		}
		return nil
	}))
	begun := chat.Now().Add(-conversationsOfAll * time.Minute)
	for made := 0; made < conversationsOfAll; made += 1000 {
		must(m.db.Apply(b.Context(), func(tx chat.Tx) error {
			for n := made; n < made+1000; n++ {
				at := begun.Add(time.Duration(n) * time.Minute)
				s := chat.Session{ID: chat.NewID(), Site: ids[n%sites], VisitorID: "v" + strconv.Itoa(n), Resumable: true, Status: chat.StatusOpen, CreatedAt: at, StartedAt: at, LastActivity: at}
				m := chat.Message{ID: chat.NewID(), SessionID: s.ID, Seq: 1, Sender: chat.SenderVisitor, Content: "is lamp " + strconv.Itoa(n%500) + " in stock?", Timestamp: at}
				if err := errors.Join(tx.CreateSession(&s), tx.InsertMessage(&m)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	m.Engine, m.last = openEngine(b, m.db, quiet), ids[len(ids)-1]
	v, err := m.Init(b.Context(), engine.Visit{Site: m.last, VisitorID: "writer"})
	must(err)
	m.talk = v.Session.ID
	m.search = db.NewSearch(m.db, quiet)
	for more := true; more; {
		more, err = m.search.Step(b.Context())
		must(err)
	}
	m.counter = statistics.New(m.db, m.SettingsOf, quiet)
	return m
}
