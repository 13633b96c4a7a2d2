package bench

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/db/dbtest"
)

const (
	stepTime    = 6 * time.Second // of one load
	stepLeast   = 5               // messages of one load
	tooLate     = 2 * time.Second // where 1 of 100 messages takes longer, the load is too much
	waitForLast = 90 * time.Second
)

// loads are messages a second.
var loads = []float64{0.25, 1, 5, 20, 50, 100, 200, 400}

// BenchmarkRelaying measures how long a message takes from its acceptance until a platform
// has it, at a load that rises until one in a hundred takes 2 s. The platforms' fakes run in
// this process, check what they receive, and have no limits of their own: what relay keeps to
// holds, Telegram's 20 messages a minute.
func BenchmarkRelaying(b *testing.B) {
	programs := os.Getenv("BENCH_PROGRAMS")
	if programs == "" {
		b.Skip("this needs the programs that make bench builds")
	}
	for b.Loop() {
		fmt.Println("\nAccepted → posted, p50 / p99 in ms, by messages a second; the knee is where one in a hundred takes 2 s")
		for _, nodes := range []int{1, 2} {
			for _, platform := range []func(*testing.B) *counted{onTelegram, onDiscord, onSlack} {
				p := platform(b)
				database := "sqlite://" + filepath.Join(b.TempDir(), "relay.db")
				if nodes > 1 {
					database = dbtest.PostgresURL(b)
				}
				steps, knee := p.rise(b, programs, database, nodes)
				fmt.Printf("%-9s %d node(s)  %s; knee: %s\n", p.name, nodes, strings.Join(steps, "; "), knee)
			}
		}
	}
}

// counted is a fake of a platform that notes when it has which message.
type counted struct {
	name    string
	environ []string
	talks   int // conversations: a new one costs a limit, too

	next http.Handler
	mu   sync.Mutex
	at   map[int]time.Time // by the message's number
}

func newCounted(name string, talks int) *counted {
	return &counted{name: name, talks: talks, at: map[int]time.Time{}}
}

func onTelegram(b *testing.B) *counted {
	f, c := telegramtest.NewInBubble(b), newCounted("Telegram", 3)
	c.next = f
	bridgetest.Serve(b, c, &f.URL, "", func() {})
	c.environ = []string{"TELEGRAM_API_URL=" + f.URL, "TELEGRAM_BOT_TOKEN=" + f.Token, fmt.Sprint("TELEGRAM_CHAT_ID=", f.Group)}
	return c
}

func onDiscord(b *testing.B) *counted {
	f, c := discordtest.NewInBubble(b), newCounted("Discord", 50)
	c.next = f
	bridgetest.Serve(b, c, &f.URL, "/api/v10", func() {})
	c.environ = []string{"DISCORD_API_URL=" + f.URL, "DISCORD_BOT_TOKEN=" + f.Token, "DISCORD_CHANNEL_ID=" + f.Channel, "ENABLE_DISCORD_GATEWAY=true"}
	return c
}

func onSlack(b *testing.B) *counted {
	f, c := slacktest.NewInBubble(b), newCounted("Slack", 10)
	c.next = f
	bridgetest.Serve(b, c, &f.URL, "/api", func() {})
	c.environ = []string{"SLACK_API_URL=" + f.URL, "SLACK_BOT_TOKEN=" + f.BotToken, "SLACK_APP_TOKEN=" + f.AppToken, "SLACK_CHANNEL_ID=" + f.Channel}
	return c
}

// number is in each message; several may come in one.
var number = regexp.MustCompile(`load-(\d{8})`)

const blankNumber = "load-00000000"

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	c.next.ServeHTTP(w, r)
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range number.FindAllSubmatch(body, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		if c.at[n].IsZero() {
			c.at[n] = now
		}
	}
}

// took returns how long after their acceptance messages came, once all have; ok is false if
// some are missing for too long.
func (c *counted) took(accepted map[int]time.Time) (all []time.Duration, ok bool) {
	for end := time.Now().Add(waitForLast); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		c.mu.Lock()
		all = all[:0]
		for n, since := range accepted {
			if at := c.at[n]; !at.IsZero() {
				all = append(all, max(0, at.Sub(since)))
			}
		}
		c.mu.Unlock()
		if len(all) == len(accepted) {
			slices.Sort(all)
			return all, true
		}
	}
	return nil, false
}

// talker is a conversation whose messages are numbered.
type talker struct {
	*client
	*requests
	number []byte // the part of the message
}

func newTalker(b *testing.B, address string, i int) talker {
	b.Helper()
	v, err := newVisitor(address, i)
	check(b, err)
	body := fmt.Sprintf(`{"sessionId":%q,"content":"%s where is my parcel?","clientId":%q}`, v.session, blankNumber, blankID)
	t := talker{requests: newRequests("", "/api/widget/messages", v.headers+"Content-Type: application/json\r\n", body)}
	at := bytes.Index(t.message, []byte(blankNumber))
	t.number = t.message[at+len("load-") : at+len(blankNumber)]
	t.client, err = connect(address)
	check(b, err)
	return t
}

func (t talker) say(n int) error {
	copy(t.number, fmt.Sprintf("%08d", n))
	_, err := t.do(t.post())
	return err
}

// rise starts relay and raises the load until it is too much.
func (c *counted) rise(b *testing.B, programs, database string, nodes int) (steps []string, knee string) {
	b.Helper()
	s := &nodeSite{name: c.name}
	for range nodes {
		node, err := start(func(port string) *exec.Cmd {
			cmd := nodeCommand(b, programs, port, database)
			cmd.Env = append(cmd.Env, c.environ...)
			return cmd
		})
		check(b, err)
		s.nodes = append(s.nodes, node)
	}
	defer s.stop(b)
	talkers := make([]talker, c.talks)
	for i := range talkers {
		talkers[i] = newTalker(b, s.nodes[i%nodes].address, i)
		defer talkers[i].Close()
	}
	sent := 0
	say := func(n int, every time.Duration) (all []time.Duration, ok bool) {
		accepted, err := speak(talkers, sent, n, every)
		check(b, err)
		sent += n
		return c.took(accepted)
	}
	if _, ok := say(c.talks, 0); !ok { // opens the threads
		b.Fatalf("%s did not get the first messages", c.name)
	}
	for _, load := range loads {
		n := max(stepLeast, int(load*stepTime.Seconds()))
		all, ok := say(n, time.Duration(float64(time.Second)/load))
		if !ok {
			return steps, fmt.Sprintf("%g a second: some took more than %s", load, waitForLast)
		}
		steps = append(steps, fmt.Sprintf("%g: %.0f / %.0f", load, ms(all[n/2]), ms(all[n*99/100])))
		if all[n*99/100] > tooLate {
			return steps, fmt.Sprintf("%g a second", load)
		}
	}
	return steps, "none"
}

// speak posts messages one after the other, every so often, each conversation in turn, and
// returns when which was accepted.
func speak(talkers []talker, from, n int, every time.Duration) (accepted map[int]time.Time, err error) {
	accepted = map[int]time.Time{}
	var mu sync.Mutex
	begin := time.Now()
	err = each(len(talkers), len(talkers), func(t int) error {
		for i := t; i < n; i += len(talkers) {
			time.Sleep(time.Duration(i)*every - time.Since(begin))
			if err := talkers[t].say(from + i + 1); err != nil {
				return err
			}
			now := time.Now()
			mu.Lock()
			accepted[from+i+1] = now
			mu.Unlock()
		}
		return nil
	})
	return accepted, err
}
