package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
)

// world is everything around a relay that is killed and started again: visitors,
// operators on Discord, and a webhook's receiver. What they say are numbers, so
// that it shows what got lost, was doubled or came in another order.
type world struct {
	t        *testing.T
	f        *discordtest.Platform
	hook     *received
	binary   string
	environ  []string
	visitors []*visitor
	answered map[string]int // by thread: how much operators wrote there

	spoken, replied atomic.Int64 // messages so far, of visitors at any node and of operators
	mu              sync.Mutex
	slowest         time.Duration // start
}

// visitor writes 0, 1, 2, … as the widget does: what is not acknowledged is sent
// again with the same clientId.
type visitor struct {
	name, session string
	acknowledged  int
}

// received is what a receiver of webhooks took, once for each id.
type received struct {
	*httptest.Server
	mu    sync.Mutex
	ids   map[string]bool
	texts map[string][]string // by session
	again int
}

func newReceived(t *testing.T) *received {
	r := &received{ids: map[string]bool{}, texts: map[string][]string{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		var event struct{ Data struct{ SessionID string } }
		_ = json.Unmarshal(body, &event)
		r.mu.Lock()
		defer r.mu.Unlock()
		if id := req.Header.Get("webhook-id"); r.ids[id] {
			r.again++
		} else {
			r.ids[id] = true
			r.texts[event.Data.SessionID] = append(r.texts[event.Data.SessionID], string(body))
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// newWorld makes a world with visitors that have not said anything yet.
func newWorld(t *testing.T, visitors int, environ ...string) *world {
	t.Helper()
	w := &world{t: t, f: discordtest.New(t), hook: newReceived(t), binary: binary, answered: map[string]int{}}
	w.environ = append([]string{"HOST=127.0.0.1", "RELAY_PUBLIC_KEY=" + crashPublicKey, "RELAY_SECRET_KEY=" + crashSecretKey, "METRICS_ADDR=127.0.0.1:0",
		"DATABASE_URL=sqlite://" + t.TempDir() + "/relay.db", "DISCORD_BOT_TOKEN=" + w.f.Token, "DISCORD_CHANNEL_ID=" + w.f.Channel,
		"ENABLE_DISCORD_GATEWAY=true", "DISCORD_API_URL=" + w.f.URL, "EVENTS_WEBHOOK_URL=" + w.hook.URL, "RATE_LIMIT=false"}, environ...)
	for i := range visitors {
		w.visitors = append(w.visitors, &visitor{name: fmt.Sprint("v", i)})
	}
	return w
}

// start starts relay.
func (w *world) start(environ ...string) *instance {
	w.t.Helper()
	begun := time.Now()
	in := launchProgram(w.t, "", w.binary, startLines, []string{"serve"}, slices.Concat(w.environ, environ))
	w.mu.Lock()
	w.slowest = max(w.slowest, time.Since(begun))
	w.mu.Unlock()
	in.public, in.secret = crashPublicKey, crashSecretKey
	return in
}

// live lets visitors and operators write until end returns, and then until relay
// has noticed or is gone.
func (w *world) live(in *instance, end func()) {
	w.t.Helper()
	stop := make(chan struct{})
	var all sync.WaitGroup
	for _, v := range w.visitors {
		all.Go(func() { v.write(in.base, stop) })
	}
	all.Go(func() { w.answer(stop) })
	end()
	close(stop)
	all.Wait()
}

// speakEvery is how long visitors and operators think.
const speakEvery = 15 * time.Millisecond

// write writes until it is told to stop; a relay that is gone is asked again.
func (v *visitor) write(url string, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(speakEvery):
		}
		v.say(url)
	}
}

// say writes the next message, or the last one again, and reports whether it was
// acknowledged.
func (v *visitor) say(url string) bool {
	if v.session == "" {
		var answer struct{ SessionID string }
		if call("POST", url+"/api/widget/init", crashPublicKey, map[string]any{"visitorId": v.name}, &answer) != nil {
			return false
		}
		v.session = answer.SessionID
	}
	n := fmt.Sprintf("%s-%d", v.name, v.acknowledged)
	if call("POST", url+"/api/widget/messages", crashPublicKey, map[string]any{"sessionId": v.session, "content": n, "clientId": n}, nil) != nil {
		return false
	}
	v.acknowledged++
	return true
}

// answer writes in every thread until it is told to stop, whether relay runs or not.
func (w *world) answer(stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(10 * speakEvery):
		}
		for _, th := range w.f.Threads() {
			w.operatorSays(th)
		}
	}
}

// operatorSays writes the next number in a thread that a visitor has written in.
func (w *world) operatorSays(th bridgetest.Thread) {
	found := tokens.FindStringSubmatch(texts(th))
	if found == nil {
		return
	}
	w.f.Write(th.Ref, "Ada", fmt.Sprintf("o%s-%d", found[1][1:], w.answered[th.Ref]), "")
	w.answered[th.Ref]++
	w.replied.Add(1)
}

// tokens find what visitors and operators said, with the speaker and the number.
var tokens = regexp.MustCompile(`\b([vo]\d+)-(\d+)\b`)

// texts are the texts of a thread.
func texts(th bridgetest.Thread) string {
	var all []string
	for _, m := range th.Messages {
		all = append(all, m.Text)
	}
	return strings.Join(all, "\n")
}

// spoken are the numbers of one speaker in a text, in order.
func spoken(text, speaker string) (list []int) {
	for _, found := range tokens.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(found[2]); err == nil && found[1] == speaker {
			list = append(list, n)
		}
	}
	return list
}

// verdict is what became of numbers on their way.
type verdict struct{ lost, doubled, disordered int }

func (v *verdict) add(o verdict) {
	v.lost, v.doubled, v.disordered = v.lost+o.lost, v.doubled+o.doubled, v.disordered+o.disordered
}

// judged compares what arrived with what was said: 0, 1, … want-1.
func judged(seen []int, want int) (v verdict) {
	last, times := -1, map[int]int{}
	for _, n := range seen {
		if times[n]++; times[n] > 1 {
			v.doubled++
			continue
		}
		if n < last {
			v.disordered++
		}
		last = max(last, n)
	}
	for n := range want {
		if times[n] == 0 {
			v.lost++
		}
	}
	return v
}

// settle waits until everything has arrived everywhere, for a while, and returns
// what did not, came twice or in another order.
func (w *world) settle(in *instance, patience time.Duration) (v verdict) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		places := w.look(in)
		v = verdict{}
		for _, at := range places {
			v.add(at)
		}
		late := time.Now().After(deadline)
		if v != (verdict{}) && (late || v.lost == 0) {
			w.t.Logf("%+v", places)
		}
		if late || v.lost == 0 {
			return v
		}
	}
}

// look compares the history, Discord and the webhook with what was said.
func (w *world) look(in *instance) map[string]verdict {
	w.t.Helper()
	threads := map[string]bridgetest.Thread{}
	for _, th := range w.f.Threads() {
		if found := tokens.FindStringSubmatch(texts(th)); found != nil {
			threads["v"+found[1][1:]] = th
		}
	}
	places := map[string]verdict{}
	note := func(place, text, speaker string, want int) {
		v := places[place]
		v.add(judged(spoken(text, speaker), want))
		places[place] = v
	}
	for _, v := range w.visitors {
		if v.session == "" {
			continue
		}
		history, th := w.stored(in, v.session), threads[v.name]
		note("visitors in the history", history, v.name, v.acknowledged)
		note("visitors on Discord", texts(th), v.name, v.acknowledged)
		note("operators in the history", history, "o"+v.name[1:], w.answered[th.Ref])
		w.hook.mu.Lock()
		note("visitors at the webhook", strings.Join(w.hook.texts[v.session], "\n"), v.name, v.acknowledged)
		w.hook.mu.Unlock()
	}
	return places
}

// stored is the whole history of a session, oldest first.
func (w *world) stored(in *instance, session string) string {
	w.t.Helper()
	return historyOf(w.t, in, session)
}

func historyOf(t *testing.T, in *instance, session string) string {
	t.Helper()
	var contents []string
	before := ""
	for more := true; more; {
		var page struct {
			Messages []struct{ ID, Content string }
			HasMore  bool
		}
		if err := call("GET", in.base+"/api/admin/sessions/"+session+"/messages?limit=100&before="+before, in.secret, nil, &page); err != nil {
			t.Fatal(err)
		}
		for _, m := range slices.Backward(page.Messages) {
			contents, before = append(contents, m.Content), m.ID
		}
		more = page.HasMore
	}
	slices.Reverse(contents)
	return strings.Join(contents, "\n")
}

// said counts what visitors had acknowledged and what operators wrote.
func (w *world) said() (visitors, operators int) {
	for _, v := range w.visitors {
		visitors += v.acknowledged
	}
	for _, n := range w.answered {
		operators += n
	}
	return visitors, operators
}
