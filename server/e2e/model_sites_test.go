package e2e

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/db/dbtest"
)

// mostSites is how many websites the model has at most, mostCrashes how often relay is killed
// without -long: another node waits some seconds before it takes over.
const (
	mostSites   = 20
	mostCrashes = 2
)

// siteOfModel is a website as the model has it.
type siteOfModel struct {
	id, name, key string
	archived      bool
	channels      map[string]string // by platform: of its own, if it has one
}

// siteTalk is one visitor's conversation at one site.
type siteTalk struct {
	at       *siteOfModel
	visitor  string
	session  string
	messages []string
	closed   bool
	channels map[string]string // by platform: in which its thread is
}

// platformOfModel is a platform on which the conversations stand.
type platformOfModel struct {
	bridgetest.Platform
	name, setting string
	channels      []string // the common one first
	patience      time.Duration
}

// agency is a relay with several websites, and its model.
type agency struct {
	*world
	nodes   []*instance
	turn    int // of the node that is asked next
	sites   []*siteOfModel
	places  []*platformOfModel
	talks   []*siteTalk
	written int
	crashes int
}

// TestSitesModel lets visitors with the same ids write at up to 20 websites and operators
// answer, while websites are added, renamed, archived, opened again and moved to channels of
// their own and relay is killed; on PostgreSQL there are two nodes, asked in turn. Who sees
// what is as the model says, on the platforms too: nothing crosses, nothing is lost, no key of
// another website learns of a conversation. Package bridges does this without kills, with operators
// who answer there.
func TestSitesModel(t *testing.T) {
	inBackground(t)
	drawAtRandom(t)
	for name, c := range map[string]struct {
		fresh func(testing.TB) string
		nodes int
	}{"sqlite": {dbtest.FileURL, 1}, "postgres": {dbtest.PostgresURL, 2}} {
		sites, messages, crashes := 0, 0, 0
		runs := 0
		rapid.Check(t, func(rt *rapid.T) {
			runs++ // with -long, of sixty
			a := newAgency(t, c.fresh(t), runs%25 == 0)
			for range c.nodes {
				a.nodes = append(a.nodes, a.start())
			}
			defer func() {
				for _, in := range a.nodes {
					in.stop()
				}
			}()
			for range 3 {
				a.addsSite(rt)
				a.visitorWrites(rt)
			}
			most := a.crashes + mostCrashes
			rt.Repeat(map[string]func(*rapid.T){
				"a visitor writes":    a.visitorWrites,
				"another one writes":  a.visitorWrites,
				"an operator answers": a.operatorAnswers,
				"a site is added":     a.addsSite,
				"a site is renamed":   a.renamesSite,
				"a site is archived":  a.archivesSite,
				"a foreign key asks":  a.foreignKeyAsks,
				"an operator closes":  a.closes,
				"a site is moved":     a.movesSite,
				"relay crashes": func(rt *rapid.T) {
					if a.crashes == most && !*long {
						rt.Skip("that was often enough")
					}
					a.crash()
				},
				"one site's list is so": a.compareList,
			})
			a.compare(rt)
			t.Logf("%s: %d sites on %d platforms, %d messages", name, len(a.sites), len(a.places), a.written)
			sites, messages, crashes = sites+len(a.sites), messages+a.written, crashes+a.crashes
		})
		t.Logf("%s: %d sites, %d messages, %d crashes", name, sites, messages, crashes)
	}
}

// newAgency is an agency on Discord and Slack, or on slow Telegram too, which takes twenty messages a
// minute: with three channels on each.
func newAgency(t *testing.T, database string, slow bool) *agency {
	slac := slacktest.New(t)
	a := &agency{world: newWorld(t, 0, "DATABASE_URL="+database, "SLACK_BOT_TOKEN="+slac.BotToken, "SLACK_APP_TOKEN="+slac.AppToken,
		"SLACK_CHANNEL_ID="+slac.Channel, "SLACK_API_URL="+slac.URL)}
	a.sites = []*siteOfModel{{id: "main", name: "First site", key: crashPublicKey, channels: map[string]string{}}}
	a.places = []*platformOfModel{{a.f, "discord", "discordChannelId", []string{a.f.Channel}, patience},
		{slac, "slack", "slackChannelId", []string{slac.Channel}, patience}}
	if slow {
		tele := telegramtest.New(t)
		group := strconv.FormatInt(tele.Group, 10)
		a.environ = append(a.environ, "TELEGRAM_BOT_TOKEN="+tele.Token, "TELEGRAM_CHAT_ID="+group, "TELEGRAM_API_URL="+tele.URL)
		a.places = append(a.places, &platformOfModel{tele, "telegram", "telegramChatId", []string{group}, 15 * time.Minute})
	}
	for _, p := range a.places {
		p.channels = append(p.channels, p.AddChannel(), p.AddChannel())
	}
	return a
}

// next is the node whose turn it is.
func (a *agency) next() *instance {
	a.turn++
	return a.nodes[a.turn%len(a.nodes)]
}

// crash kills a node and starts it again.
func (a *agency) crash() {
	a.crashes++
	i := a.crashes % len(a.nodes)
	a.nodes[i].kill()
	a.nodes[i] = a.start()
}

// agree waits until all nodes answer a request alike, and as wanted.
func (a *agency) agree(rt *rapid.T, path string, as func(text string) bool) {
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		alike := true
		for range a.nodes {
			status, text := a.ask(rt, "GET", path, crashSecretKey, nil)
			alike = alike && status == http.StatusOK && as(text)
		}
		if alike {
			return
		}
		if time.Now().After(deadline) {
			rt.Fatalf("not all nodes have the same of %s", path)
		}
	}
}

// changed waits until all nodes know a site as the one that was asked does.
func (a *agency) changed(rt *rapid.T, s *siteOfModel, field string, value any) {
	a.agree(rt, "/api/admin/sites/"+s.id, func(text string) bool {
		var site map[string]any
		return json.Unmarshal([]byte(text), &site) == nil && (site[field] == value || value == true && site[field] != nil)
	})
}

// ask makes a request with a key and returns what came back.
func (a *agency) ask(rt *rapid.T, method, path, key string, body any) (int, string) {
	reader := io.Reader(http.NoBody)
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			rt.Fatal(err)
		}
		reader = strings.NewReader(string(data))
	}
	req, err := http.NewRequestWithContext(a.t.Context(), method, a.next().base+path, reader)
	if err != nil {
		rt.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		rt.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		rt.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// must is ask for what has to be answered with 200.
func (a *agency) must(rt *rapid.T, method, path, key string, body, answer any) {
	status, text := a.ask(rt, method, path, key, body)
	err := error(nil)
	if answer != nil {
		err = json.Unmarshal([]byte(text), answer)
	}
	if status != http.StatusOK || err != nil {
		rt.Fatalf("%s %s answers %d %s (%v)", method, path, status, text, err)
	}
}

// site draws one that fits.
func (a *agency) site(rt *rapid.T, fits func(*siteOfModel) bool) *siteOfModel {
	list := []*siteOfModel{}
	for _, s := range a.sites {
		if fits(s) {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		rt.Skip("no such site")
	}
	return rapid.SampledFrom(list).Draw(rt, "site")
}

func (a *agency) addsSite(rt *rapid.T) {
	if len(a.sites) == mostSites {
		rt.Skip("there are enough")
	}
	name := fmt.Sprint("Shop ", len(a.sites))
	var made struct{ ID, PublicKey string }
	a.must(rt, "POST", "/api/admin/sites", crashSecretKey, map[string]any{"name": name}, &made)
	s := &siteOfModel{id: made.ID, name: name, key: made.PublicKey, channels: map[string]string{}}
	a.sites = append(a.sites, s)
	a.changed(rt, s, "name", s.name)
}

// movesSite lets a site's conversations begin in another channel, once what was said stands
// where it has to.
func (a *agency) movesSite(rt *rapid.T) {
	s := a.site(rt, func(*siteOfModel) bool { return true })
	p := rapid.SampledFrom(a.places).Draw(rt, "platform")
	to := rapid.IntRange(0, len(p.channels)-1).Draw(rt, "channel")
	a.settle(rt, p)
	var value any
	delete(s.channels, p.name)
	if to > 0 {
		value, s.channels[p.name] = p.channels[to], p.channels[to]
	}
	a.must(rt, "PATCH", "/api/admin/sites/"+s.id+"/settings", crashSecretKey, map[string]any{p.setting: value}, nil)
	a.agree(rt, "/api/admin/bridges", func(text string) bool {
		var answer struct {
			Bridges []struct {
				Name  string
				Sites []struct{ Site, Channel string }
			}
		}
		if json.Unmarshal([]byte(text), &answer) != nil {
			return false
		}
		channel := ""
		for _, b := range answer.Bridges {
			for _, own := range b.Sites {
				if b.Name == p.name && own.Site == s.id {
					channel = own.Channel
				}
			}
		}
		return channel == s.channels[p.name]
	})
}

func (a *agency) renamesSite(rt *rapid.T) {
	s := a.site(rt, func(s *siteOfModel) bool { return s.id != "main" })
	a.written++
	s.name = fmt.Sprint("Store ", a.written)
	a.must(rt, "PATCH", "/api/admin/sites/"+s.id, crashSecretKey, map[string]any{"name": s.name}, nil)
	a.changed(rt, s, "name", s.name)
}

// archivesSite closes a site's chat, or opens it again.
func (a *agency) archivesSite(rt *rapid.T) {
	s := a.site(rt, func(s *siteOfModel) bool { return s.id != "main" })
	s.archived = !s.archived
	a.must(rt, "PATCH", "/api/admin/sites/"+s.id, crashSecretKey, map[string]any{"archived": s.archived}, nil)
	if s.archived {
		a.changed(rt, s, "archivedAt", true)
	} else {
		a.changed(rt, s, "archivedAt", nil)
	}
}

// visitorWrites: one of three visitors, who have the same ids everywhere.
func (a *agency) visitorWrites(rt *rapid.T) {
	s := a.site(rt, func(*siteOfModel) bool { return true })
	visitor := rapid.SampledFrom([]string{"v1", "v2", "v3"}).Draw(rt, "visitor")
	init := map[string]any{"visitorId": visitor}
	if s.archived {
		if status, text := a.ask(rt, "POST", "/api/widget/init", s.key, init); status != http.StatusForbidden {
			rt.Fatalf("an archived site answers %d %s", status, text)
		}
		return
	}
	var opened struct{ SessionID string }
	a.must(rt, "POST", "/api/widget/init", s.key, init, &opened)
	i := slices.IndexFunc(a.talks, func(k *siteTalk) bool { return k.session == opened.SessionID })
	if i < 0 {
		k := &siteTalk{at: s, visitor: visitor, session: opened.SessionID, channels: map[string]string{}}
		for _, p := range a.places {
			k.channels[p.name] = cmp.Or(s.channels[p.name], p.channels[0])
		}
		i, a.talks = len(a.talks), append(a.talks, k)
	}
	k := a.talks[i]
	if k.at != s || k.visitor != visitor {
		rt.Fatalf("%s at %s is given the session of %s at %s", visitor, s.id, k.visitor, k.at.id)
	}
	text := a.text()
	a.must(rt, "POST", "/api/widget/messages", s.key, map[string]any{"sessionId": k.session, "content": text}, nil)
	k.messages, k.closed = append(k.messages, text), false
}

// text is one that no other begins with.
func (a *agency) text() string {
	a.written++
	return fmt.Sprintf("m%dx0", a.written)
}

func (a *agency) talk(rt *rapid.T) *siteTalk {
	if len(a.talks) == 0 {
		rt.Skip("nobody has written")
	}
	return rapid.SampledFrom(a.talks).Draw(rt, "talk")
}

func (a *agency) operatorAnswers(rt *rapid.T) {
	k := a.talk(rt)
	text := a.text()
	a.must(rt, "POST", "/api/admin/sessions/"+k.session+"/messages", crashSecretKey, map[string]any{"content": text}, nil)
	k.messages, k.closed = append(k.messages, text), false
}

func (a *agency) closes(rt *rapid.T) {
	k := a.talk(rt)
	a.must(rt, "POST", "/api/admin/sessions/"+k.session+"/close", crashSecretKey, nil, nil)
	k.closed = true
}

// foreignKeyAsks: with another site's key a conversation is like one that never was.
func (a *agency) foreignKeyAsks(rt *rapid.T) {
	k := a.talk(rt)
	s := a.site(rt, func(s *siteOfModel) bool { return s != k.at && !s.archived })
	say := func(session string) (int, string) {
		return a.ask(rt, "POST", "/api/widget/messages", s.key, map[string]any{"sessionId": session, "content": "x"})
	}
	read := func(session string) (int, string) {
		return a.ask(rt, "GET", "/api/widget/messages?sessionId="+session, s.key, nil)
	}
	for _, request := range []func(string) (int, string){say, read} {
		status, text := request(k.session)
		never, of := request("AAAAAAAAAAAAAAAAAAAAAAAAAA")
		if status != http.StatusNotFound || status != never || text != of {
			rt.Fatalf("the key of %s gets %d %s of a session of %s, and %d %s of one that never was", s.id, status, text, k.at.id, never, of)
		}
	}
}

// compareList: a site's list has its conversations, and no others.
func (a *agency) compareList(rt *rapid.T) {
	s := a.site(rt, func(*siteOfModel) bool { return true })
	want := []string{}
	for _, k := range a.talks {
		if k.at == s {
			want = append(want, k.session)
		}
	}
	if got := a.listed(rt, "site="+url.QueryEscape(s.id)); !sameSet(got, want) {
		rt.Fatalf("%s lists %v, want %v", s.id, got, want)
	}
}

func (a *agency) listed(rt *rapid.T, query string) (ids []string) {
	for cursor := ""; ; {
		var page struct {
			Sessions   []struct{ ID string }
			NextCursor string
		}
		a.must(rt, "GET", "/api/admin/sessions?limit=100&cursor="+cursor+"&"+query, crashSecretKey, nil, &page)
		for _, s := range page.Sessions {
			ids = append(ids, s.ID)
		}
		if cursor = page.NextCursor; cursor == "" {
			return ids
		}
	}
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// compare holds relay and the platforms to the model.
func (a *agency) compare(rt *rapid.T) {
	all := []string{}
	for _, k := range a.talks {
		all = append(all, k.session)
		if got := ofModel.FindAllString(a.stored(a.next(), k.session), -1); !slices.Equal(got, k.messages) {
			rt.Fatalf("the history at %s has %v, the model %v", k.at.id, got, k.messages)
		}
	}
	if got := a.listed(rt, ""); !sameSet(got, all) {
		rt.Fatalf("all sites list %d conversations, the model has %d", len(got), len(all))
	}
	for _, p := range a.places {
		a.settle(rt, p)
		for _, v := range p.Violations() {
			rt.Errorf("%s: %s", p.name, v)
		}
	}
}

// settle waits until a platform shows what the model has.
func (a *agency) settle(rt *rapid.T, p *platformOfModel) {
	problem := errors.New("nothing is there")
	for deadline := time.Now().Add(p.patience); problem != nil; time.Sleep(10 * time.Millisecond) {
		if problem = a.shown(p); problem != nil && time.Now().After(deadline) {
			rt.Fatalf("%s, not within %s: %v", p.name, p.patience, problem)
		}
	}
}

// shown compares the threads: each has the messages of one conversation.
func (a *agency) shown(p *platformOfModel) error {
	threads, channels := map[string][]string{}, map[string]string{} // by the first message
	for _, th := range p.Threads() {
		if list := ofModel.FindAllString(texts(th), -1); len(list) > 0 {
			threads[list[0]], channels[list[0]] = list, th.Channel
		}
	}
	for _, k := range a.talks {
		if len(k.messages) == 0 {
			continue
		}
		first := k.messages[0]
		if !slices.Equal(threads[first], k.messages) || channels[first] != k.channels[p.name] {
			return fmt.Errorf("a thread of %s in %s has %v, the model, in %s, %v", k.at.id, channels[first], threads[first], k.channels[p.name], k.messages)
		}
	}
	return nil
}
