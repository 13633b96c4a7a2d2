package engine_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// BenchmarkSites measures what people wait for with so many sites among 50,000
// conversations; the sites must not show in it: compare the numbers of one operation.
func BenchmarkSites(b *testing.B) {
	for _, sites := range []int{1, 100, 1000} {
		d := dbtest.Open(b, dbtest.FileURL(b))
		ids := []string{""}
		must := func(err error) {
			if err != nil {
				b.Fatal(err)
			}
		}
		must(d.Apply(b.Context(), func(tx chat.Tx) error {
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
		for made := 0; made < 50_000; made += 1000 {
			must(d.Apply(b.Context(), func(tx chat.Tx) error {
				for i := range 1000 {
					n := made + i
					at := chat.Time(n + 1)
					s := chat.Session{ID: chat.NewID(), Site: ids[n%sites], VisitorID: "v" + strconv.Itoa(n), Resumable: true, Status: chat.StatusOpen, CreatedAt: at, StartedAt: at, LastActivity: at}
					if err := tx.CreateSession(&s); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		e := openEngine(b, d, quiet)
		name := func(what string) string { return fmt.Sprint(what, "/", sites) }
		b.Run(name("open"), func(b *testing.B) {
			for b.Loop() {
				openEngine(b, d, quiet)
			}
		})
		site := ids[len(ids)-1]
		by := chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget, Site: site}
		b.Run(name("init"), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				_, err := e.Init(b.Context(), engine.Visit{Site: site, VisitorID: "v" + strconv.Itoa(sites*(i%(50_000/sites))+sites-1)})
				must(err)
			}
		})
		v, err := e.Init(b.Context(), engine.Visit{Site: site, VisitorID: "writer"})
		must(err)
		b.Run(name("post"), func(b *testing.B) {
			for b.Loop() {
				_, err := e.Send(b.Context(), by, engine.Post{SessionID: v.Session.ID, Content: "hello"})
				must(err)
			}
		})
		for what, of := range map[string]chat.SiteSet{"list all": nil, "list one": {site}, "list first": {""}} {
			b.Run(name(what), func(b *testing.B) {
				for b.Loop() {
					must(d.Read(b.Context(), func(rd chat.Reader) error {
						_, err := rd.Sessions(chat.SessionQuery{Sites: of, Limit: 50})
						return err
					}))
				}
			})
		}
		b.Run(name("setting"), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				must(e.PatchSiteSettings(b.Context(), site, map[string]json.RawMessage{"aiName": json.RawMessage(strconv.Quote(fmt.Sprint("A", i)))}))
			}
		})
	}
}
