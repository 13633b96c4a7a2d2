package bridges_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// lamps is a relay with the site Lamps, whose Telegram is a fake.
type lamps struct {
	*testing.T
	*engine.Engine
	f   *telegramtest.Platform
	set *bridges.Set
}

// withLamps runs a test in a bubble.
func withLamps(t *testing.T, test func(*lamps)) { withRelay(t, []string{"Lamps"}, test) }

// withRelay runs a test in a bubble, with a relay that has these sites beside the first.
func withRelay(t *testing.T, names []string, test func(*lamps)) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		store, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		kinds, log := bridges.Kinds(bridges.Env{}), quiet()
		kinds[0].New = func(s *chat.Settings) (chat.Bridge, error) { return telegram.New(overFake(f, s)) }
		kinds[0].Setup = func(s *chat.Settings) (bridges.Setup, error) { return telegram.NewSetup(overFake(f, s)) }
		l := &lamps{T: t, f: f}
		l.Engine, err = engine.Open(t.Context(), engine.Config{Store: store, Log: log, Declared: bridges.Settings(), Targets: bridges.Targets(kinds)})
		if err != nil {
			t.Fatal(err)
		}
		l.set = bridges.New(l.Engine, bridges.Options{Kinds: kinds, Log: log})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.set.Run(ctx) }()
		for _, name := range names {
			if _, err := l.AddSite(t.Context(), engine.SiteChange{Wanted: strings.ToLower(name), Name: &name}); err != nil {
				t.Fatal(err)
			}
		}
		test(l)
		cancel()
		<-ended
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		if faults := f.Violations(); len(faults) > 0 {
			t.Error(faults)
		}
	})
}

func overFake(f *telegramtest.Platform, s *chat.Settings) telegram.Config {
	return telegram.Config{Token: s.Text("telegramBotToken"), ChatID: s.Text("telegramChatId"), Budget: 6000, Transport: f.Transport(), APIURL: "http://telegram.test"}
}

// settle gives the bridges time.
func (l *lamps) settle() { time.Sleep(time.Minute) }

// patch sets the group of a site, "" being the first; null takes it back.
func (l *lamps) patch(site, group string) {
	l.Helper()
	raw := json.RawMessage("null")
	if group != "" {
		raw, _ = json.Marshal(group)
	}
	if err := l.PatchSiteSettings(l.Context(), site, map[string]json.RawMessage{"telegramChatId": raw}); err != nil {
		l.Fatal(err)
	}
	l.settle()
}

// say lets a new visitor of a site say something and returns the group in which it stands.
func (l *lamps) say(site, text string) (sessionID, group, title string) {
	l.Helper()
	v, err := l.Init(l.Context(), engine.Visit{Site: site, VisitorID: text})
	if err != nil {
		l.Fatal(err)
	}
	by := chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget, AnySite: true}
	if _, err := l.Send(l.Context(), by, engine.Post{SessionID: v.Session.ID, Content: text}); err != nil {
		l.Fatal(err)
	}
	l.settle()
	group, title = l.where(text)
	return v.Session.ID, group, title
}

// where is the group whose newest thread shows a text.
func (l *lamps) where(text string) (group, title string) {
	for _, th := range l.f.Threads() {
		for _, m := range th.Messages {
			if strings.HasSuffix(m.Text, text) {
				group, title = th.Channel, th.Title
			}
		}
	}
	return group, title
}

// told are the texts in the topic General of a group.
func (l *lamps) told(group string) (texts []string) {
	for _, r := range l.f.Requests("sendMessage") {
		if id, _ := json.Marshal(r.Params["chat_id"]); string(id) == group && r.Params["message_thread_id"] == nil {
			texts = append(texts, r.Params["text"].(string))
		}
	}
	return texts
}

func (l *lamps) state() chat.BridgeState {
	l.Helper()
	states, err := l.set.States(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	return states[0]
}

// TestSiteChannel: a site gets a group of its own by adding the bot to it, its conversations
// begin there, and moving it back leaves the open one where it is. Both groups are told.
func TestSiteChannel(t *testing.T) {
	withLamps(t, func(l *lamps) {
		if _, err := l.set.Connect(l.Context(), "telegram", "lamps", chat.BridgeStep{}); err == nil || !strings.Contains(err.Error(), "Connect it for all sites first") {
			t.Errorf("without a token it says %v", err)
		}
		home := json.RawMessage(`"-1001234567890"`)
		token, _ := json.Marshal(l.f.Token)
		if err := l.PatchSiteSettings(l.Context(), chat.AllSites, map[string]json.RawMessage{"telegramBotToken": token, "telegramChatId": home}); err != nil {
			t.Fatal(err)
		}
		l.settle()
		if _, err := l.set.Connect(l.Context(), "telegram", "lamps", chat.BridgeStep{Token: "1:other"}); err == nil || !strings.Contains(err.Error(), "leave token and appToken out") {
			t.Errorf("a token of a site says %v", err)
		}
		state, err := l.set.Connect(l.Context(), "telegram", "lamps", chat.BridgeStep{})
		if err != nil || state.Step != chat.StepPlace || !strings.Contains(state.Link, "startgroup=relay") || len(state.Places) != 0 {
			t.Fatalf("the first step is %+v, %v", state, err)
		}
		group := l.f.AddChannel()
		l.settle()
		state, err = l.set.Connect(l.Context(), "telegram", "lamps", chat.BridgeStep{})
		if err != nil || state.Step != chat.StepPlace || len(state.Places) != 1 || state.Places[0].ID != group {
			t.Fatalf("with the group it is %+v, %v", state, err)
		}
		state, err = l.set.Connect(l.Context(), "telegram", "lamps", chat.BridgeStep{Place: group})
		if err != nil || state.Step != chat.StepDone || !state.Stored {
			t.Fatalf("with the group it is %+v, %v", state, err)
		}
		l.settle()
		if st := l.state(); len(st.Sites) != 1 || st.Sites[0] != (chat.SiteChannel{Site: "lamps", Channel: group, State: "running"}) {
			t.Errorf("the state is %+v", st)
		}
		bob, at, title := l.say("lamps", "a lamp, please")
		_, home1, _ := l.say("", "hello")
		if at != group || title != "Visitor" && strings.Contains(title, "Lamps") || home1 != "-1001234567890" {
			t.Errorf("the lamp stands in %s as %q, want %s; the first site's in %s", at, title, group, home1)
		}
		if err := l.set.Disconnect(l.Context(), "telegram", "lamps"); err != nil {
			t.Fatal(err)
		}
		l.settle()
		if there, here := l.told(group), l.told("-1001234567890"); !slices.Equal(there, []string{
			"New conversations of “Lamps” begin here from now on. Those that are open elsewhere stay there.",
			"New conversations of “Lamps” begin in another channel from now on. Those that are open here stay here."}) || len(here) != 2 {
			t.Errorf("the groups were told %q and %q", there, here)
		}
		by := chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget, AnySite: true}
		if _, err := l.Send(l.Context(), by, engine.Post{SessionID: bob, Content: "still me"}); err != nil {
			t.Fatal(err)
		}
		l.settle()
		if at, _ := l.where("still me"); at != group {
			t.Errorf("an open conversation went to %s", at)
		}
		if _, at, title := l.say("lamps", "another lamp"); at != "-1001234567890" || !strings.HasPrefix(title, "Lamps · ") {
			t.Errorf("a new one stands in %s as %q", at, title)
		}
		l.patch("", l.f.AddChannel()) // the first site moves, too
		if _, at, title := l.say("", "goodbye"); at == "-1001234567890" || strings.Contains(title, "Lamps") || len(l.state().Sites) != 1 {
			t.Errorf("the first site's stands in %s as %q", at, title)
		}
		if polls := l.f.Requests("getUpdates"); len(polls) > 40 {
			t.Errorf("%d polls: two connections fight for the token", len(polls))
		}
	})
}

// TestSiteChannelFails: a site whose group cannot be used waits alone, and says so.
func TestSiteChannelFails(t *testing.T) {
	withLamps(t, func(l *lamps) {
		token, _ := json.Marshal(l.f.Token)
		if err := l.PatchSiteSettings(l.Context(), chat.AllSites, map[string]json.RawMessage{"telegramBotToken": token, "telegramChatId": json.RawMessage(`"-1001234567890"`)}); err != nil {
			t.Fatal(err)
		}
		l.patch("lamps", "-100777")
		_, at, _ := l.say("lamps", "into the void")
		_, home, _ := l.say("", "hello")
		if at != "" || home != "-1001234567890" {
			t.Errorf("the site's stands in %q, the first one's in %q", at, home)
		}
		st := l.state()
		if st.State != "running" || st.LastError != "" || len(st.Sites) != 1 || st.Sites[0].State != "misconfigured" || !strings.Contains(st.Sites[0].LastError, "no such group") {
			t.Errorf("the state is %+v", st)
		}
		found, err := l.set.Check(l.Context(), "telegram", "lamps")
		if err != nil || !chat.Failed(found) {
			t.Errorf("the check of the site finds %+v, %v", found, err)
		}
		if found, err := l.set.Check(l.Context(), "telegram", ""); err != nil || chat.Failed(found) {
			t.Errorf("the check of the first finds %+v, %v", found, err)
		}
		group := l.f.AddChannel()
		l.patch("lamps", group)
		if at, _ := l.where("into the void"); at != group {
			t.Errorf("what waited stands in %q, want %s", at, group)
		}
	})
}

// TestMovesAreTold: sites that move together are told together, and with one site nobody is
// told anything.
func TestMovesAreTold(t *testing.T) {
	withLamps(t, func(l *lamps) {
		token, _ := json.Marshal(l.f.Token)
		for n := range 6 {
			name := fmt.Sprint("Shop ", n)
			if _, err := l.AddSite(l.Context(), engine.SiteChange{Wanted: fmt.Sprint("shop-", n), Name: &name}); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.PatchSiteSettings(l.Context(), chat.AllSites, map[string]json.RawMessage{"telegramBotToken": token, "telegramChatId": json.RawMessage(`"-1001234567890"`)}); err != nil {
			t.Fatal(err)
		}
		l.settle()
		group := l.f.AddChannel()
		l.patch(chat.AllSites, group)
		if told := l.told(group); len(told) != 1 || !strings.HasPrefix(told[0], "New conversations of “First site”, “Lamps”, “Shop 0”, “Shop 1”, “Shop 2” and 3 other sites begin here") {
			t.Errorf("the group was told %q", told)
		}
	})
}

// TestOneSiteIsToldNothing: who has one site and chooses another group never reads of sites.
func TestOneSiteIsToldNothing(t *testing.T) {
	withRelay(t, nil, func(l *lamps) {
		token, _ := json.Marshal(l.f.Token)
		group := l.f.AddChannel()
		for _, id := range []string{"-1001234567890", group} {
			value, _ := json.Marshal(id)
			if err := l.PatchSettings(l.Context(), map[string]json.RawMessage{"telegramBotToken": token, "telegramChatId": value}); err != nil {
				t.Fatal(err)
			}
			l.settle()
		}
		if _, at, _ := l.say("", "hello"); at != group || len(l.told(group)) > 0 || len(l.told("-1001234567890")) > 0 {
			t.Errorf("it stands in %s, and the groups were told %q and %q", at, l.told("-1001234567890"), l.told(group))
		}
	})
}
