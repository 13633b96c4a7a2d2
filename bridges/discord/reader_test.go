package discord_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/server/chat"
)

// unread is an API that fails for the messages of one thread.
type unread struct {
	http.RoundTripper
	ref atomic.Value
}

func (u *unread) RoundTrip(r *http.Request) (*http.Response, error) {
	if ref, _ := u.ref.Load().(string); ref != "" && r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/channels/"+ref+"/messages") {
		return answer(http.StatusInternalServerError, `{"message":"500: Internal Server Error","code":0}`, nil, r), nil
	}
	return u.RoundTripper.RoundTrip(r)
}

// missing runs a test after a minute without a gateway, in which something was
// written in the first of two threads; its messages cannot be read.
func missing(t *testing.T, test func(t *testing.T, l *listening, api *unread, second string)) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		api := &unread{RoundTripper: f.Transport()}
		b, log := makeBridge(t, f, func(c *discord.Config) { c.Transport = api })
		l := &listening{Platform: f, bridge: b, log: log, in: new(bridgetest.Receiver)}
		l.stop = bridgetest.Receiving(t, b, l.in)
		bridgetest.Settled(time.Second)
		l.thread = open(t, b, "Grace", "")
		second := open(t, b, "Ben", "").Ref
		l.write("before")
		bridgetest.Settled(time.Minute)
		f.Forget()
		f.Down(true)
		f.Cut()
		l.write("meanwhile")
		bridgetest.Settled(time.Minute)
		api.ref.Store(l.thread.Ref)
		f.Down(false)
		bridgetest.Settled(5 * time.Minute)
		test(t, l, api, second)
		if err := l.stop(); err != nil {
			t.Error(err)
		}
		bridgetest.Clean(t, f, log)
	})
}

// A thread whose messages cannot be read delays no other. What it receives
// waits behind what was missed, and the state says so.
func TestOneThreadCannotBeRead(t *testing.T) {
	missing(t, func(t *testing.T, l *listening, api *unread, second string) {
		l.write("after")
		l.CloseThread(l.thread.Ref)
		l.Write(second, "Ada", "elsewhere", "")
		bridgetest.Settled(6 * time.Hour)
		if got := heardIn(t, l.in, l.bridge, second); !slices.Equal(got, []string{"elsewhere"}) {
			t.Errorf("of the other thread relay received %q", got)
		}
		if got := heardIn(t, l.in, l.bridge, l.thread.Ref); !slices.Equal(got, []string{"before"}) {
			t.Errorf("relay received %q before it could read", got)
		}
		if way, problem := l.bridge.Receiving(); way != "gateway" || problem == nil || !strings.Contains(problem.Error(), "1 of Discord's threads") {
			t.Errorf("reception is %s: %v", way, problem)
		}
		if found := l.bridge.Check(t.Context()); !slices.ContainsFunc(found, func(f chat.Finding) bool { return f.Level == chat.FindingWarn && f.Subject == "reception" }) {
			t.Errorf("the check reports %v", found)
		}
		if n := strings.Count(l.log.String(), "is delayed; retrying"); n != 1 {
			t.Errorf("it is logged %d times", n)
		}
		api.ref.Store("")
		bridgetest.Settled(time.Minute)
		if got := heardIn(t, l.in, l.bridge, l.thread.Ref); !slices.Equal(got, []string{"before", "meanwhile", "after", "closed"}) {
			t.Errorf("relay received %q", got)
		}
		if _, problem := l.bridge.Receiving(); problem != nil {
			t.Errorf("reception still fails: %v", problem)
		}
	})
}

// However many events come of a thread that cannot be read, the others go on, and
// nothing is lost.
func TestOneThreadCannotBeReadForLong(t *testing.T) {
	missing(t, func(t *testing.T, l *listening, api *unread, second string) {
		want := []string{"before", "meanwhile"}
		for i := range 2500 {
			want = append(want, "line "+jsonOf(i))
			l.write(want[i+2])
		}
		l.Write(second, "Ada", "elsewhere", "")
		bridgetest.Settled(time.Minute)
		if got := heardIn(t, l.in, l.bridge, second); !slices.Equal(got, []string{"elsewhere"}) {
			t.Errorf("of the other thread relay received %q", got)
		}
		api.ref.Store("")
		bridgetest.Settled(time.Minute)
		if got := heardIn(t, l.in, l.bridge, l.thread.Ref); !slices.Equal(got, want) {
			t.Errorf("relay received %d of %d", len(got), len(want))
		}
	})
}

// A thread that cannot be read does not hold up the end of relay.
func TestEndWhileAThreadCannotBeRead(t *testing.T) {
	missing(t, func(t *testing.T, l *listening, _ *unread, _ string) {
		begun := time.Now()
		if err := l.stop(); err != nil || time.Since(begun) > 3*time.Second { // discordgo takes one to close
			t.Errorf("it took %s: %v", time.Since(begun), err)
		}
	})
}

// Posts of relay while nothing is received do not move the mark of what was read.
func TestCatchUpBehindOwnPosts(t *testing.T) {
	listen(t, func(t *testing.T, l *listening) {
		l.write("before")
		bridgetest.Settled(time.Minute)
		l.Forget()
		l.Down(true)
		l.Cut()
		l.write("an answer")
		time.Sleep(3 * time.Hour)
		bridgetest.Must(t, l.bridge, l.thread, post("anybody?"))
		l.Down(false)
		l.expect(t, "before", "an answer")
	})
}

// Messages that a server lists in another order are handled as they were written.
func TestCatchUpInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		f.OldestFirst = true
		b, _ := makeBridge(t, f)
		th := open(t, b, "Grace", "")
		var want []string
		for i := range 150 {
			want = append(want, "line "+jsonOf(i))
			f.Write(th.Ref, "Ada", want[i], "")
		}
		time.Sleep(time.Hour)
		b, log := makeBridge(t, f, func(c *discord.Config) { c.CatchUp = 24 * time.Hour })
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Minute)
		if got := received(t, in, b); !slices.Equal(got, want) {
			t.Errorf("relay received %q\n%s", got, log)
		}
	})
}

// A long time without a gateway: what was written, closed and deleted meanwhile
// is asked for.
func TestGatewayCatchesUp(t *testing.T) {
	listen(t, func(t *testing.T, l *listening) {
		second := open(t, l.bridge, "Ben", "session-2")
		third := open(t, l.bridge, "Cleo", "session-3")
		l.write("before")
		bridgetest.Settled(time.Second)
		l.Forget()
		l.Down(true)
		l.Cut()
		bridgetest.Settled(time.Minute)
		if _, problem := l.bridge.Receiving(); problem == nil {
			t.Error("nothing reports that nothing is received")
		}
		var want []string
		for i := range 150 { // more than a page
			text := "line " + jsonOf(i)
			l.write(text)
			want = append(want, text)
		}
		l.Write(second.Ref, "Ada", "bye", "")
		l.CloseThread(second.Ref)
		l.DeleteThread(third.Ref)
		l.Down(false)
		bridgetest.Settled(5 * time.Minute)
		for ref, want := range map[string][]string{l.thread.Ref: append([]string{"before"}, want...), second.Ref: {"bye", "closed"}, third.Ref: {"thread deleted"}} {
			if got := heardIn(t, l.in, l.bridge, ref); !slices.Equal(got, want) {
				t.Errorf("of thread %s relay received %d: %q", ref, len(got), got)
			}
		}
	})
}

// Fetched messages are handled like live ones: with the operator's name on
// the server, and edits of what was received before.
func TestGatewayCatchesUpWhole(t *testing.T) {
	listen(t, func(t *testing.T, l *listening) {
		l.Nick("Ada", "Dr. Ada")
		before := l.write("before")
		bridgetest.Settled(time.Second)
		l.Forget()
		l.Down(true)
		l.Cut()
		bridgetest.Settled(time.Minute)
		l.Edit(l.thread.Ref, before, "before, but better")
		l.write("meanwhile")
		l.Down(false)
		l.expect(t, "before", "edited before, but better", "meanwhile")
		for _, in := range l.in.Inbounds(t, l.bridge) {
			if in.Operator != "Dr. Ada" {
				t.Errorf("%q is said by %q", in.Text, in.Operator)
			}
		}
	})
}

// The first connection asks for what was written while relay was away, as far
// back as it may, also in threads that were archived afterwards.
func TestCatchUpAtStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		b, _ := makeBridge(t, f)
		th := open(t, b, "Grace", "")
		f.Write(th.Ref, "Ada", "long ago", "")
		time.Sleep(25 * time.Hour)
		f.Write(th.Ref, "Ada", "just now", "")
		done := open(t, b, "Edsger", "")
		f.Write(done.Ref, "Ada", "and goodbye", "")
		f.CloseThread(done.Ref)
		again := open(t, b, "Barbara", "")
		f.Write(again.Ref, "Ada", "to be continued", "")
		f.CloseThread(again.Ref)
		time.Sleep(time.Hour)
		b, log := makeBridge(t, f, func(c *discord.Config) { c.CatchUp = 24 * time.Hour })
		log.On("receiving updates", func() { f.ReopenThread(again.Ref) }) // the gateway has listed the open threads
		in := new(bridgetest.Receiver)
		stop := bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Minute)
		for ref, want := range map[string][]string{th.Ref: {"just now"}, done.Ref: {"and goodbye"}, again.Ref: {"to be continued", "reopened"}} {
			if got := heardIn(t, in, b, ref); !slices.Equal(got, want) {
				t.Errorf("of thread %s relay received %q", ref, got)
			}
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		bridgetest.Clean(t, f, log)
	})
}

// A thread that was archived before relay looks back is unknown to it; reopening it counts.
func TestReopenUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		b, _ := makeBridge(t, f)
		th := open(t, b, "Grace", "")
		f.Write(th.Ref, "Ada", "long ago", "")
		f.CloseThread(th.Ref)
		time.Sleep(48 * time.Hour)
		b, log := makeBridge(t, f, func(c *discord.Config) { c.CatchUp = 24 * time.Hour })
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Minute)
		f.ReopenThread(th.Ref)
		bridgetest.Settled(time.Minute)
		if got := heardIn(t, in, b, th.Ref); !slices.Equal(got, []string{"reopened"}) {
			t.Errorf("relay received %q\n%s", got, log)
		}
	})
}

// stumbling is an API that fails at first where threads' messages are asked for.
type stumbling struct {
	http.RoundTripper
	left *atomic.Int32
}

func (s stumbling) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/messages") && s.left.Add(-1) >= 0 {
		return answer(http.StatusBadGateway, "502: Bad Gateway", nil, r), nil
	}
	return s.RoundTripper.RoundTrip(r)
}

// A failure while the first connection asks for what was missed loses nothing.
func TestCatchUpAtStartContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		b, _ := makeBridge(t, f)
		th, done := open(t, b, "Grace", ""), open(t, b, "Edsger", "")
		f.Write(th.Ref, "Ada", "an answer", "")
		f.Write(done.Ref, "Ada", "and goodbye", "")
		f.CloseThread(done.Ref)
		late := open(t, b, "Barbara", "")
		f.Write(late.Ref, "Ada", "until tomorrow", "")
		time.Sleep(time.Hour)
		f.CloseThread(late.Ref)
		time.Sleep(2 * time.Hour)
		var left atomic.Int32
		left.Store(12)
		b, log := makeBridge(t, f, func(c *discord.Config) {
			c.CatchUp, c.Transport = 24*time.Hour, stumbling{c.Transport, &left}
		})
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(10 * time.Minute)
		for ref, want := range map[string][]string{th.Ref: {"an answer"}, done.Ref: {"and goodbye"}, late.Ref: {"until tomorrow", "closed"}} {
			if got := heardIn(t, in, b, ref); !slices.Equal(got, want) {
				t.Errorf("of thread %s relay received %q\n%s", ref, got, log)
			}
		}
	})
}
