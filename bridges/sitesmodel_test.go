package bridges_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// agency is a relay with up to 20 sites on three platforms, and its model.
type agency struct {
	*testing.T
	*engine.Engine
	random    *rand.Rand
	store     chat.Store
	kinds     []bridges.Kind
	platforms []*modelPlatform
	stop      func()

	sites   []*modelSite
	talks   []*modelTalk
	written int
}

type modelPlatform struct {
	bridgetest.Platform
	name, setting string
	channels      []string // the common one first
}

type modelSite struct {
	id       string
	archived bool
	homes    map[string]string // by platform, where it has a channel of its own
}

type modelTalk struct {
	site     *modelSite
	visitor  string
	session  string
	messages []string
	at       map[string]string // by platform: the channel of its thread
}

const (
	mostSites    = 20
	mostChannels = 5 // of a platform
	modelSteps   = 120
)

// TestSitesOnPlatforms: visitors write at up to 20 sites and operators answer on three
// platforms, while sites are added, archived and moved from channel to channel and relay is
// started again. Each conversation stands once on each platform, whole and in order, in the
// channel in which it began, and nowhere else.
func TestSitesOnPlatforms(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAgency(t, seed)
				defer func() { a.stop() }() // of the last start
				steps := []func(){a.visitorWrites, a.visitorWrites, a.visitorWrites, a.operatorWrites, a.operatorWrites, a.addsSite, a.movesSite, a.movesSite, a.archives, a.restarts}
				for n := range modelSteps {
					steps[a.random.IntN(len(steps))]()
					if n%10 == 9 {
						a.compare()
					}
				}
				a.compare()
				for _, p := range a.platforms {
					for _, v := range p.Violations() {
						t.Errorf("%s: %s", p.name, v)
					}
				}
				t.Logf("%d sites, %d conversations, %d messages", len(a.sites), len(a.talks), a.written)
			})
		})
	}
}

func newAgency(t *testing.T, seed uint64) *agency {
	tele, disc, slac := telegramtest.NewInBubble(t), discordtest.NewInBubble(t), slacktest.NewInBubble(t)
	tele.Budget, disc.PerChannel, slac.Paced = 20, 5, true
	store, err := db.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	a := &agency{T: t, random: rand.New(rand.NewPCG(seed, 1)), store: store, kinds: bridges.Kinds(bridges.Env{}), sites: []*modelSite{{homes: map[string]string{}}}}
	group, _ := json.Marshal(tele.Group)
	a.platforms = []*modelPlatform{{tele, "telegram", "telegramChatId", []string{string(group)}}, {disc, "discord", "discordChannelId", []string{disc.Channel}},
		{slac, "slack", "slackChannelId", []string{slac.Channel}}}
	a.kinds[0].New = func(s *chat.Settings) (chat.Bridge, error) {
		return telegram.New(telegram.Config{Token: tele.Token, ChatID: s.Text("telegramChatId"), Transport: tele.Transport(), APIURL: "http://telegram.test"})
	}
	a.kinds[1].New = func(s *chat.Settings) (chat.Bridge, error) {
		return discord.New(discord.Config{Token: disc.Token, ChannelID: s.Text("discordChannelId"), Gateway: true, Transport: disc.Transport(), Dial: disc.Dial,
			APIURL: "http://discord.test/api/v10", CatchUp: 24 * time.Hour})
	}
	a.kinds[2].New = func(s *chat.Settings) (chat.Bridge, error) {
		return slack.New(slack.Config{BotToken: slac.BotToken, AppToken: slac.AppToken, ChannelID: s.Text("slackChannelId"), Transport: slac.Transport(), Dial: slac.Dial,
			APIURL: slac.URL, Back: 24 * time.Hour})
	}
	a.start()
	a.must(a.PatchSettings(t.Context(), map[string]json.RawMessage{"telegramBotToken": quoted(tele.Token), "telegramChatId": quoted(string(group)),
		"discordBotToken": quoted(disc.Token), "discordChannelId": quoted(disc.Channel), "enableDiscordGateway": json.RawMessage("true"),
		"slackBotToken": quoted(slac.BotToken), "slackAppToken": quoted(slac.AppToken), "slackChannelId": quoted(slac.Channel)}))
	a.addsSite()
	a.settle()
	return a
}

func quoted(text string) json.RawMessage {
	raw, _ := json.Marshal(text)
	return raw
}

func (a *agency) must(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

// start starts relay on the store.
func (a *agency) start() {
	log := quiet()
	var err error
	a.Engine, err = engine.Open(a.Context(), engine.Config{Store: a.store, Log: log, Declared: bridges.Settings(), Targets: bridges.Targets(a.kinds)})
	a.must(err)
	set := bridges.New(a.Engine, bridges.Options{Kinds: a.kinds, Log: log})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- set.Run(ctx) }()
	a.stop = func() {
		time.Sleep(time.Millisecond) // a library holds a lock for a second when a connection ends as it begins
		cancel()
		<-ended
	}
}

// settle lets all platforms take what waits, at their pace.
func (a *agency) settle() { time.Sleep(3 * time.Minute) }

func (a *agency) restarts() {
	a.stop()
	a.start()
	a.settle()
}

func (a *agency) addsSite() {
	if len(a.sites) == mostSites {
		return
	}
	name := fmt.Sprint("Shop ", len(a.sites))
	site, err := a.AddSite(a.Context(), engine.SiteChange{Wanted: fmt.Sprint("shop-", len(a.sites)), Name: &name})
	a.must(err)
	a.sites = append(a.sites, &modelSite{id: site.ID, homes: map[string]string{}})
}

func (a *agency) archives() {
	s := a.sites[a.random.IntN(len(a.sites))]
	if s.id == "" {
		return
	}
	s.archived = !s.archived
	_, err := a.ChangeSite(a.Context(), s.id, engine.SiteChange{Archived: &s.archived})
	a.must(err)
}

// movesSite lets a site's conversations begin in another channel of a platform, or in the
// common one.
func (a *agency) movesSite() {
	s, p := a.sites[a.random.IntN(len(a.sites))], a.platforms[a.random.IntN(len(a.platforms))]
	if len(p.channels) < mostChannels && a.random.IntN(3) == 0 {
		p.channels = append(p.channels, p.AddChannel())
	}
	value, to := json.RawMessage("null"), a.random.IntN(len(p.channels))
	delete(s.homes, p.name)
	if to > 0 {
		s.homes[p.name] = p.channels[to]
		value = quoted(p.channels[to])
	}
	a.must(a.PatchSiteSettings(a.Context(), s.id, map[string]json.RawMessage{p.setting: value}))
	a.settle()
}

// visitorWrites: one of three visitors, who have the same ids at all sites.
func (a *agency) visitorWrites() {
	s, visitor := a.sites[a.random.IntN(len(a.sites))], fmt.Sprint("v", a.random.IntN(3))
	if s.archived {
		return
	}
	v, err := a.Init(a.Context(), engine.Visit{Site: s.id, VisitorID: visitor})
	a.must(err)
	i := slices.IndexFunc(a.talks, func(k *modelTalk) bool { return k.session == v.Session.ID })
	if i < 0 {
		k := &modelTalk{site: s, visitor: visitor, session: v.Session.ID, at: map[string]string{}}
		for _, p := range a.platforms {
			k.at[p.name] = p.channels[0]
		}
		maps.Copy(k.at, s.homes)
		i, a.talks = len(a.talks), append(a.talks, k)
	}
	k := a.talks[i]
	if k.site != s || k.visitor != visitor {
		a.Fatalf("%s at %s is given the session of %s at %s", visitor, s.id, k.visitor, k.site.id)
	}
	for range 1 + a.random.IntN(3) {
		text := a.text(k)
		_, err := a.Send(a.Context(), chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget, Site: s.id}, engine.Post{SessionID: k.session, Content: text})
		a.must(err)
	}
	a.settle()
}

// text is one that no other begins with.
func (a *agency) text(k *modelTalk) string {
	a.written++
	text := fmt.Sprintf("m%dx", a.written)
	k.messages = append(k.messages, text)
	return text
}

func (a *agency) operatorWrites() {
	if len(a.talks) == 0 {
		return
	}
	k, p := a.talks[a.random.IntN(len(a.talks))], a.platforms[a.random.IntN(len(a.platforms))]
	for _, th := range p.Threads() {
		if list := marksOf(th); len(list) > 0 && list[0] == k.messages[0] {
			p.Write(th.Ref, "Ada", a.text(k), "")
			a.settle()
			return
		}
	}
	a.Fatalf("%s: a conversation of %q has no thread", p.name, k.site.id)
}

var isMark = regexp.MustCompile(`m\d+x`)

func marksOf(th bridgetest.Thread) (list []string) {
	for _, m := range th.Messages {
		list = append(list, isMark.FindAllString(m.Text, -1)...)
	}
	return list
}

// compare holds the conversations and the platforms to the model.
func (a *agency) compare() {
	a.Helper()
	for _, k := range a.talks {
		var list []chat.Message
		a.must(a.store.ReadOne(a.Context(), func(r chat.Reader) (err error) {
			list, err = r.Messages(chat.MessageQuery{SessionID: k.session, Limit: 1000})
			return err
		}))
		texts := []string{}
		for i := range list {
			texts = append(texts, list[i].Content)
		}
		if !slices.Equal(texts, k.messages) {
			a.Fatalf("a conversation of %q has %v, the model %v", k.site.id, texts, k.messages)
		}
	}
	for _, p := range a.platforms {
		threads := map[string]bridgetest.Thread{} // by the first message
		for _, th := range p.Threads() {
			if list := marksOf(th); len(list) > 0 {
				if _, twice := threads[list[0]]; twice {
					a.Fatalf("%s has two threads of one conversation", p.name)
				}
				threads[list[0]] = th
			}
		}
		for _, k := range a.talks {
			th := threads[k.messages[0]]
			if list := marksOf(th); th.Channel != k.at[p.name] || !slices.Equal(list, k.messages) {
				a.Fatalf("%s: a thread of %q in %q has %v; the model, in %q, %v", p.name, k.site.id, th.Channel, list, k.at[p.name], k.messages)
			}
		}
		if len(threads) != len(a.talks) {
			a.Fatalf("%s has %d threads of %d conversations", p.name, len(threads), len(a.talks))
		}
	}
}
