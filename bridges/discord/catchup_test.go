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

// A thread whose messages cannot be read keeps no other waiting. What it is told
// waits behind what was missed, and the state says so.
func TestOneThreadCannotBeRead(t *testing.T) {
	missing(t, func(t *testing.T, l *listening, api *unread, second string) {
		l.write("after")
		l.CloseThread(l.thread.Ref)
		l.Write(second, "Ada", "elsewhere", "")
		bridgetest.Settled(6 * time.Hour)
		if got := heardIn(t, l.in, l.bridge, second); !slices.Equal(got, []string{"elsewhere"}) {
			t.Errorf("of the other thread relay heard %q", got)
		}
		if got := heardIn(t, l.in, l.bridge, l.thread.Ref); !slices.Equal(got, []string{"before"}) {
			t.Errorf("relay heard %q before it could read", got)
		}
		if way, problem := l.bridge.Receiving(); way != "gateway" || problem == nil || !strings.Contains(problem.Error(), "1 of Discord's threads") {
			t.Errorf("reception is %s: %v", way, problem)
		}
		if found := l.bridge.Check(t.Context()); !slices.ContainsFunc(found, func(f chat.Finding) bool { return f.Level == chat.FindingWarn && f.Subject == "reception" }) {
			t.Errorf("who looks is told %v", found)
		}
		if n := strings.Count(l.log.String(), "is delayed; retrying"); n != 1 {
			t.Errorf("it is logged %d times", n)
		}
		api.ref.Store("")
		bridgetest.Settled(time.Minute)
		if got := heardIn(t, l.in, l.bridge, l.thread.Ref); !slices.Equal(got, []string{"before", "meanwhile", "after", "closed"}) {
			t.Errorf("relay heard %q", got)
		}
		if _, problem := l.bridge.Receiving(); problem != nil {
			t.Errorf("reception still fails: %v", problem)
		}
	})
}

// However much is told of a thread that cannot be read, the others go on, and
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
			t.Errorf("of the other thread relay heard %q", got)
		}
		api.ref.Store("")
		bridgetest.Settled(time.Minute)
		if got := heardIn(t, l.in, l.bridge, l.thread.Ref); !slices.Equal(got, want) {
			t.Errorf("relay heard %d of %d", len(got), len(want))
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
		if got := heard(t, in, b); !slices.Equal(got, want) {
			t.Errorf("relay heard %q\n%s", got, log)
		}
	})
}
