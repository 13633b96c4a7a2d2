package mirror_test

import (
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// besides are a platform with the channels C1 and C2, which number threads and messages each
// for itself, as Telegram's groups do. The site Shop is in C2.
func besides() (home, shop *fakeBridge) {
	home, shop = newFake("telegram"), newFake("telegram")
	shop.channel = "C2"
	home.own = map[string]chat.Bridge{"shop": shop}
	return home, shop
}

// visitShop opens a session of the site Shop and says something there.
func (o *harness) visitShop(t *testing.T, text string) (id string) {
	t.Helper()
	name := "Shop"
	_, err := o.AddSite(t.Context(), engine.SiteChange{Wanted: "shop", Name: &name})
	o.must(err)
	v, err := o.Init(t.Context(), engine.Visit{Site: "shop", VisitorID: "bob"})
	o.must(err)
	o.sayThere(t, v.Session.ID, text)
	return v.Session.ID
}

func (o *harness) sayThere(t *testing.T, id, text string) {
	t.Helper()
	_, err := o.Send(t.Context(), chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget, Site: "shop"}, engine.Post{SessionID: id, Content: text})
	o.must(err)
	o.soon()
}

// TestEqualNumbers: threads and messages of two channels have the same numbers, and nothing
// of one concerns the other.
func TestEqualNumbers(t *testing.T) {
	home, shop := besides()
	withMirrors(t, false, func(t *testing.T, o *harness) {
		ann := o.greeted(t)
		bob := o.visitShop(t, "from the shop")
		ref := home.state(0).ref
		if in := shop.state(0).ref; in != ref {
			t.Fatalf("the threads are %s and %s", ref, in)
		}
		o.receive(home, chat.Inbound{Kind: chat.InboundMessage, Thread: chat.Thread{Ref: ref}, Remote: "100", Operator: "Ada", Text: "for ann"})
		o.receive(shop, chat.Inbound{Kind: chat.InboundMessage, Thread: chat.Thread{Ref: ref}, Remote: "100", Operator: "Ada", Text: "for bob"})
		o.soon()
		o.receive(shop, chat.Inbound{Kind: chat.InboundEdited, Thread: chat.Thread{Ref: ref}, Remote: "100", Operator: "Ada", Text: "for bob alone"})
		o.receive(shop, chat.Inbound{Kind: chat.InboundThreadClosed, Thread: chat.Thread{Ref: ref}, Operator: "Ada", At: chat.Now()})
		o.soon()
		expectTexts(t, "ann has", o.messages(ann), "visitor: hello", "operator: for ann")
		expectTexts(t, "bob has", o.messages(bob), "visitor: from the shop", "operator: for bob alone")
		expectTexts(t, "C1 shows", home.shown(0), "hello")
		expectTexts(t, "C2 shows", shop.shown(0), "from the shop")
		o.say(t, ann, "thanks")
		o.soon()
		expectTexts(t, "C1 shows then", home.shown(0), "hello", "thanks")
	}, home)
}

// TestOneChannelFails: what somebody has to mend in one channel holds up nothing in another.
func TestOneChannelFails(t *testing.T) {
	home, shop := besides()
	wrong := &chat.Misconfigured{Problem: "the bot was removed", Fix: "add it"}
	shop.before = func(chat.Op) error { return wrong }
	withMirrors(t, false, func(t *testing.T, o *harness) {
		bob := o.visitShop(t, "waits")
		o.greeted(t)
		expectTexts(t, "C1 shows", home.shown(0), "hello")
		m := o.mirrors[0]
		if m.Trouble() != nil || m.TroubleAt("C2") == nil {
			t.Errorf("the common channel has %v, the shop's %v", m.Trouble(), m.TroubleAt("C2"))
		}
		shop.mu.Lock()
		calls := len(shop.calls)
		shop.before = nil
		shop.mu.Unlock()
		if calls > 2 {
			t.Errorf("a channel that does not work was called %d times", calls)
		}
		time.Sleep(2 * time.Minute)
		o.sayThere(t, bob, "and more")
		expectTexts(t, "C2 shows", shop.shown(0), "waits", "and more")
		if m.TroubleAt("C2") != nil {
			t.Errorf("the shop's channel still has %v", m.TroubleAt("C2"))
		}
	}, home)
}

// TestNowhere: what waits of a site that was taken from the platform stands in nobody else's
// channel, and is given up where people see it.
func TestNowhere(t *testing.T) {
	home := newFake("telegram")
	home.own = map[string]chat.Bridge{"shop": nil}
	withMirrors(t, false, func(t *testing.T, o *harness) {
		o.visitShop(t, "for nobody else")
		o.greeted(t)
		expectTexts(t, "C1 shows", home.shown(0), "hello")
		if n := home.count(); n != 1 {
			t.Errorf("there are %d threads", n)
		}
		var failed []chat.Delivery
		o.must(o.store.ReadOne(t.Context(), func(r chat.Reader) (err error) {
			failed, err = r.Deliveries(chat.DeliveryQuery{Dest: "telegram", State: new(chat.DeliveryFailed), Limit: 10})
			return err
		}))
		if len(failed) == 0 {
			t.Error("nothing is given up")
		}
	}, home)
}
