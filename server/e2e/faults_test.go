package e2e

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

// long runs the long forms of TestFaults and TestSoak, for make faults and make
// soak. They write pictures for the README.
var long = flag.Bool("long", false, "run the long forms and write .github/*.svg")

// inBackground lets a short form run beside others of its kind.
func inBackground(t *testing.T) {
	if !*long {
		t.Parallel()
	}
}

// crashPoints are the names in chat.CrashPoint.
var crashPoints = []string{"before commit", "after commit", "delivery claimed", "delivery answered", "update stored", "update handled"}

// outcome is what came of one kind of fault.
type outcome struct {
	verdict
	rounds              int
	visitors, operators int
	note                string
}

// scenario is one kind of fault, with its rounds in the short and the long form.
type scenario struct {
	name        string
	short, long int
	run         func(t *testing.T, rounds int) outcome
}

// run lets relay meet each fault and prints the table. After a long form without a
// failure it draws it, too.
func (r *report) run(t *testing.T, picture string, all []scenario) {
	for _, s := range all {
		rounds := s.short
		if *long {
			rounds = s.long
		}
		if rounds == 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			o := s.run(t, rounds)
			r.add(s.name, o.rounds, o.visitors, o.operators, o.lost, o.doubled, o.disordered, o.note)
			if o.verdict != (verdict{}) {
				t.Errorf("%+v", o)
			}
		})
	}
	r.print(t)
	if *long && !t.Failed() && len(r.rows) == len(all) {
		r.picture(t, "../../.github", picture)
	}
}

// TestFaults lets relay meet every kind of fault while people talk, and looks for
// what got lost, was doubled or came in another order: nothing may.
func TestFaults(t *testing.T) {
	inBackground(t)
	r := &report{title: "Messages through faults: make faults", head: []string{"fault", "rounds", "from visitors", "from operators", "lost", "doubled", "out of order", ""}}
	r.run(t, "faults.svg", []scenario{
		{"killed at a random moment", 2, 60, killed},
		{"killed at a named point", 0, 10 * len(crashPoints), crashed},
		{"killed in a checkpoint, backup, upload", 0, 6 * len(innerPoints), inside},
		{"killed in each migration", 0, 4, migrating},
		{"Discord is away, relay is killed", 1, 6, outage},
		{"Discord fails at random", 1, 6, storm},
		{"updates 5 times each, shuffled", 1, 10, shuffled},
		{"the disk is full", 0, 4, diskFull},
		{"the clock is wrong by hours and days", 0, 12, skewed},
		{"readers that never read", 0, 1, stuckReaders},
	})
}

// conclude starts relay once more and waits until everything has arrived.
func (w *world) conclude(rounds int) (o outcome) {
	w.t.Helper()
	in := w.start()
	defer in.stop()
	o.rounds = rounds
	o.verdict = w.settle(in, 90*time.Second)
	o.visitors, o.operators = w.said()
	if o.visitors < rounds || o.operators == 0 {
		w.t.Errorf("only %d and %d messages in %d rounds: this proves nothing", o.visitors, o.operators, rounds)
	}
	for _, v := range w.f.Violations() {
		w.t.Error(v)
	}
	if o.note == "" {
		o.note = fmt.Sprintf("slowest start %d ms", w.slowest.Milliseconds())
	}
	return o
}

// killed kills relay at random moments.
func killed(t *testing.T, rounds int) outcome {
	w := newWorld(t, 3)
	for range rounds {
		in := w.start()
		w.live(in, func() {
			time.Sleep(time.Duration(200+rand.IntN(600)) * time.Millisecond) // the moment of the kill is the test's input
			in.kill()
		})
	}
	return w.conclude(rounds)
}

// faultsBinary is a program that dies at crash points and whose clock can be wrong.
var faultsBinary = sync.OnceValues(func() (string, error) {
	path := binary + "-faults"
	out, err := exec.Command("go", "build", "-tags", "faults", "-o", path, "github.com/relay-chat/relay").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// withFaults makes a world in which relay is the program with crash points.
func withFaults(t *testing.T, visitors int) *world {
	t.Helper()
	w := newWorld(t, visitors)
	var err error
	if w.binary, err = faultsBinary(); err != nil {
		t.Fatal(err)
	}
	return w
}

// crashed lets relay die at each crash point in turn.
func crashed(t *testing.T, rounds int) outcome {
	w := withFaults(t, 2)
	in := w.start() // so that there are threads
	w.live(in, func() { eventually(t, "operators can answer", func() bool { return len(w.f.Threads()) == 2 }) })
	in.stop()
	died := map[string]int{}
	for i := range rounds {
		point := crashPoints[i%len(crashPoints)]
		passes := 1 + rand.IntN(8)
		if strings.HasSuffix(point, "commit") {
			passes += 20 // relay commits while it starts, too
		}
		in := w.start("RELAY_CRASH=" + point + ":" + strconv.Itoa(passes))
		w.live(in, func() {
			select {
			case <-in.exited:
				died[point]++
			case <-time.After(5 * time.Second):
				in.kill()
			}
		})
	}
	o := w.conclude(rounds)
	for _, point := range crashPoints {
		if died[point] == 0 {
			t.Errorf("relay never died at %q", point)
		}
	}
	o.note = fmt.Sprintf("%d points", len(died))
	return o
}

// outage kills relay while Discord is away.
func outage(t *testing.T, rounds int) outcome {
	w := newWorld(t, 2)
	for range rounds {
		for _, away := range []bool{false, true} {
			in := w.start()
			if away {
				w.f.Storm(bridgetest.Storm{All: 1})
			}
			w.live(in, func() {
				time.Sleep(time.Second)
				in.kill()
			})
			w.f.Storm(bridgetest.Storm{})
		}
	}
	return w.conclude(rounds)
}

// storm lets Discord fail in every way while people talk.
func storm(t *testing.T, rounds int) outcome {
	w := newWorld(t, 2)
	for i := range rounds {
		in := w.start()
		w.live(in, func() {
			time.Sleep(500 * time.Millisecond)
			w.f.Storm(bridgetest.Storm{Seed: int64(i), RateLimited: .1, Server: .1, AnswerLost: .1, RetryAfter: 50 * time.Millisecond})
			time.Sleep(2 * time.Second)
			w.f.Redeliver()
			w.f.Storm(bridgetest.Storm{})
		})
		in.kill()
	}
	return w.conclude(rounds)
}

// shuffled pushes what operators write on Telegram five times each, in any order
// and at once. Order is not the question here, each number is.
func shuffled(t *testing.T, rounds int) outcome {
	const each, times = 40, 5
	f := telegramtest.New(t)
	f.SetWebhook("https://chat.example.com/api/webhooks/telegram", "a-long-random-text")
	in := boot(t, "DATABASE_URL=sqlite://"+t.TempDir()+"/relay.db", "TELEGRAM_BOT_TOKEN="+f.Token, "TELEGRAM_API_URL="+f.URL,
		fmt.Sprint("TELEGRAM_CHAT_ID=", f.Group), "TELEGRAM_WEBHOOK_SECRET=a-long-random-text", "RATE_LIMIT=false")
	session := in.say(t, "Is it free?")
	eventually(t, "the visitor's message is in a topic", func() bool { return len(f.Threads()) == 1 })
	topic := f.Threads()[0].Ref
	push := func(n int) error {
		body := fmt.Sprintf(`{"update_id":%d,"message":{"message_id":%d,"message_thread_id":%s,"is_topic_message":true,"date":%d,"text":"o0-%d",
			"chat":{"id":%d,"type":"supergroup","title":"x","is_forum":true},"from":{"id":77,"is_bot":false,"first_name":"Ada"}}}`,
			700_000+n, 500_000+n, topic, time.Now().Unix(), n, f.Group)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, in.base+"/api/webhooks/telegram", strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", "a-long-random-text")
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				err = fmt.Errorf("a push is answered %d", resp.StatusCode)
			}
		}
		return err
	}
	for round := range rounds {
		var all sync.WaitGroup
		gate := make(chan struct{}, 16)
		for _, n := range rand.Perm(each * times) {
			gate <- struct{}{}
			all.Go(func() {
				if err := push(round*each + n%each); err != nil {
					t.Error(err)
				}
				<-gate
			})
		}
		all.Wait()
	}
	o := outcome{rounds: rounds, operators: rounds * each, visitors: 1, note: fmt.Sprintf("%d pushes", rounds*each*times)}
	count := func() verdict { return judged(spoken(historyOf(t, in, session), "o0"), rounds*each) }
	eventually(t, "every update has arrived", func() bool { return count().lost == 0 })
	o.verdict = count()
	o.disordered = 0 // it was pushed so
	return o
}

// diskFull fills the disk while people talk, and makes room again.
func diskFull(t *testing.T, rounds int) outcome {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m"); err != nil {
		return outcome{note: "not tried: mounting needs root"}
	}
	defer func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	w := newWorld(t, 2, "DATABASE_URL=sqlite://"+dir+"/relay.db")
	ballast := filepath.Join(dir, "ballast")
	in := w.start()
	refused := 0
	for range rounds {
		w.live(in, func() {
			time.Sleep(500 * time.Millisecond)
			fill(t, ballast)
			eventually(t, "relay refuses what it cannot store", func() bool {
				status, _ := request(t.Context(), "GET", in.base+"/ready", "", nil, nil)
				return status == http.StatusServiceUnavailable
			})
			refused++
			time.Sleep(500 * time.Millisecond)
			if err := os.Remove(ballast); err != nil {
				t.Error(err)
			}
			eventually(t, "relay goes on without a restart", func() bool {
				status, _ := request(t.Context(), "GET", in.base+"/ready", "", nil, nil)
				return status == http.StatusOK
			})
			time.Sleep(500 * time.Millisecond)
		})
	}
	in.kill()
	o := w.conclude(rounds)
	o.note = fmt.Sprintf("full %d times, 503 meanwhile", refused)
	return o
}

// fill writes a file until the disk takes no more.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// skewed sets the clock wrong at each start, forward and back.
func skewed(t *testing.T, rounds int) outcome {
	w := withFaults(t, 2)
	for i := range rounds {
		in := w.start("RELAY_SKEW=" + []string{"0s", "1h", "-1h", "24h", "-24h", "5m"}[i%6])
		w.live(in, func() { time.Sleep(700 * time.Millisecond) })
		in.kill()
	}
	o := w.conclude(rounds)
	o.note = "-24 h to +24 h"
	return o
}

var openStreams = regexp.MustCompile(`relay_streams\{reader="visitor"\} (\d+)`)

// stuckReaders opens streams that are never read, and talks on.
func stuckReaders(t *testing.T, rounds int) outcome {
	const readers = 50
	w := newWorld(t, 2)
	in := w.start()
	defer in.stop()
	v := w.visitors[0]
	if !v.say(in.base) {
		t.Fatal("the first message is not acknowledged")
	}
	for range readers {
		conn, err := net.Dial("tcp", strings.TrimPrefix(strings.Replace(in.base, "localhost", "127.0.0.1", 1), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		fmt.Fprintf(conn, "GET /api/widget/stream?sessionId=%s&apiKey=%s HTTP/1.1\r\nHost: localhost\r\n\r\n", v.session, crashPublicKey)
		if line, err := bufio.NewReaderSize(conn, 16).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Fatalf("%q, %v", line, err)
		}
	}
	big := strings.Repeat("x", 4000)
	cut := func() bool {
		_, scrape := fetch(t, in.metricsURL(t)+"/metrics")
		found := openStreams.FindStringSubmatch(scrape)
		return found != nil && found[1] == "0"
	}
	most, posted := time.Duration(0), 0
	for deadline := time.Now().Add(60 * time.Second); !cut() && time.Now().Before(deadline); {
		for range 200 {
			begun := time.Now()
			if err := call("POST", in.base+"/api/widget/messages", crashPublicKey, map[string]any{"sessionId": v.session, "content": big}, nil); err != nil {
				t.Fatal(err)
			}
			most, posted = max(most, time.Since(begun)), posted+1
		}
	}
	if !cut() {
		t.Error("the readers are not cut")
	}
	w.f.Storm(bridgetest.Storm{}) // whatever Discord thinks of so much text is not the question
	o := outcome{rounds: rounds, visitors: posted + v.acknowledged, note: fmt.Sprintf("%d streams cut, slowest post %d ms", readers, most.Milliseconds())}
	o.add(judged(spoken(w.stored(in, v.session), v.name), v.acknowledged))
	if n := bytes.Count([]byte(w.stored(in, v.session)), []byte(big)); n != posted {
		o.lost += posted - n
	}
	return o
}
