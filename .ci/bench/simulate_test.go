package bench

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
)

var (
	sample     = flag.Int("sample", 400, "how many conversations are measured")
	peakTime   = flag.Duration("peak", 20*time.Second, "how long the busiest second is kept up")
	simStreams = flag.Int("held", 2000, "how many streams are held to measure one")
)

// BenchmarkSimulate measures what a conversation costs and estimates what so many
// visitors a day need; then it lets as much happen as in the busiest hour. It is run
// by make simulate.
func BenchmarkSimulate(b *testing.B) {
	programs := os.Getenv("BENCH_PROGRAMS")
	if programs == "" {
		b.Skip("this needs the programs that make simulate builds")
	}
	for b.Loop() {
		assumed.print(os.Stdout)
		for _, s := range []struct {
			name, database string
			nodes          int
		}{
			{"One relay on SQLite", "sqlite://" + filepath.Join(b.TempDir(), "relay.db"), 1},
			{"Two relays on PostgreSQL", dbtest.PostgresURL(b), 2},
		} {
			newSimulation(b, programs, s.name, s.database, s.nodes).run(b)
		}
	}
}

// simulation is an installation under measurement.
type simulation struct {
	*nodeSite
	gauge *gauge
	m     model

	view, opening, talk usage // of one
	stream              usage // of one that is held
	idle                usage
	capacity            float64 // messages a second
	capacityCost        usage   // of one message then
	peak                usage   // of a second of the busiest hour
	p50, p99, most      time.Duration
}

func newSimulation(b *testing.B, programs, name, database string, nodes int) *simulation {
	b.Helper()
	s := &simulation{nodeSite: startSite(b, programs, name, database, nodes), m: assumed}
	var err error
	s.gauge, err = newGauge(database, s.nodes)
	check(b, err)
	return s
}

func (s *simulation) run(b *testing.B) {
	fmt.Printf("\n%s\n", s.name)
	s.idle = s.use(b)
	s.view = s.cost(b, 4000, s.download)
	s.opening = s.cost(b, 500, func(c *client, i int) error { _, err := s.init(c, i); return err })
	s.talk = s.cost(b, *sample, s.converse)
	s.hold(b)
	s.saturate(b)
	s.busiest(b)
	s.print()
	check(b, s.gauge.close())
	s.stop(b)
}

func (s *simulation) use(b *testing.B) usage {
	b.Helper()
	u, err := s.gauge.read()
	check(b, err)
	return u
}

// node is the address that serves the ith visitor.
func (s *simulation) node(i int) string { return s.nodes[i%len(s.nodes)].address }

// cost runs work n times, on 16 connections to each relay, and returns what one of
// them used.
func (s *simulation) cost(b *testing.B, n int, work func(c *client, i int) error) usage {
	b.Helper()
	runtime.GC()
	before := s.use(b)
	clients := make(chan *client, 16*len(s.nodes))
	for i := range cap(clients) {
		c, err := connect(s.node(i))
		check(b, err)
		defer c.Close()
		clients <- c
	}
	check(b, each(n, cap(clients), func(i int) error {
		c := <-clients
		defer func() { clients <- c }()
		return work(c, i)
	}))
	u := s.use(b).since(before)
	d := time.Duration(n)
	return usage{u.relay / d, u.database / d, u.memory / float64(n), u.rows, u.size, u.written}.perRow(int64(n))
}

// perRow divides what is counted in wholes, rounding up.
func (u usage) perRow(n int64) usage {
	u.rows, u.size, u.written = (u.rows+n/2)/n, u.size/n, u.written/n
	return u
}

var widgetRequest = request("GET", "/widget.js", "Accept-Encoding: gzip\r\n", "")

func (s *simulation) download(c *client, _ int) error {
	_, err := c.do(widgetRequest)
	return err
}

const (
	asJSON   = "Content-Type: application/json\r\n"
	asPage   = "Authorization: Bearer " + publicKey + "\r\n" + asJSON
	asPerson = "Authorization: Bearer " + secretKey + "\r\n" + asJSON
)

// init opens a panel: the visitor gets a session.
func (s *simulation) init(c *client, i int) (session string, err error) {
	answer, err := c.do(request("POST", "/api/widget/init", asPage, fmt.Sprintf(`{"visitorId":"sim-%d-%d","url":"https://shop.example/products/%d",`+
		`"language":"de-DE","userAgent":"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"}`, rand.Int64(), i, i)))
	if err != nil {
		return "", err
	}
	var opened struct{ SessionID string }
	return opened.SessionID, json.Unmarshal(answer, &opened)
}

const answerText = "I am sorry for the trouble. Your parcel left our house on Monday; the carrier says that it arrives tomorrow before noon."

// converse leads a whole conversation without its pauses: a stream, typing, messages,
// answers, receipts, perhaps a file.
func (s *simulation) converse(c *client, i int) error {
	session, err := s.init(c, i)
	if err != nil {
		return err
	}
	stream, _, err := openStream(s.node(i+1), fmt.Appendf(nil, "GET /api/widget/stream?sessionId=%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", session, asPage))
	if err != nil {
		return err
	}
	defer stream.Close()
	go drain(stream)
	if float64(i%100) < s.m.files*100 {
		if err := s.attach(c, session); err != nil {
			return err
		}
	}
	for n := range max(s.m.messages, s.m.answers) {
		var list [][]byte
		if n < s.m.messages {
			list = append(list, request("POST", "/api/widget/typing", asPage, fmt.Sprintf(`{"sessionId":%q,"active":true}`, session)),
				request("POST", "/api/widget/messages", asPage, fmt.Sprintf(`{"sessionId":%q,"content":%q,"clientId":"%032x"}`, session, text, rand.Uint64())))
		}
		if n < s.m.answers {
			list = append(list, request("POST", "/api/admin/sessions/"+session+"/messages", asPerson, fmt.Sprintf(`{"content":%q,"operatorName":"Bo"}`, answerText)))
		}
		for _, r := range list {
			answer, err := c.do(r)
			if err != nil {
				return err
			}
			if err := s.seen(c, session, answer); err != nil {
				return err
			}
		}
	}
	return nil
}

// seen reports an operator's message as read.
func (s *simulation) seen(c *client, session string, answer []byte) error {
	var m struct{ ID, Sender string }
	if err := json.Unmarshal(answer, &m); err != nil || m.Sender != "operator" {
		return err
	}
	_, err := c.do(request("POST", "/api/widget/read", asPage, fmt.Sprintf(`{"sessionId":%q,"messageIds":[%q]}`, session, m.ID)))
	return err
}

// attach sends a message with a file.
func (s *simulation) attach(c *client, session string) error {
	const boundary = "relay-simulation"
	content := make([]byte, s.m.fileSize)
	for i := range content {
		content[i] = byte('a' + rand.IntN(26))
	}
	body := fmt.Sprintf("--%[1]s\r\nContent-Disposition: form-data; name=\"sessionId\"\r\n\r\n%[2]s\r\n--%[1]s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"notes.txt\"\r\n\r\n%[3]s\r\n--%[1]s--\r\n",
		boundary, session, content)
	answer, err := c.do(request("POST", "/api/widget/attachments", "Authorization: Bearer "+publicKey+"\r\nContent-Type: multipart/form-data; boundary="+boundary+"\r\n", body))
	if err != nil {
		return err
	}
	var file struct{ ID string }
	if err := json.Unmarshal(answer, &file); err != nil {
		return err
	}
	_, err = c.do(request("POST", "/api/widget/messages", asPage, fmt.Sprintf(`{"sessionId":%q,"attachmentIds":[%q]}`, session, file.ID)))
	return err
}

func drain(conn interface{ Read([]byte) (int, error) }) {
	var buf [1 << 12]byte
	for {
		if _, err := conn.Read(buf[:]); err != nil {
			return
		}
	}
}

// hold measures streams that are open and say nothing.
func (s *simulation) hold(b *testing.B) {
	b.Helper()
	s.makeVisitors(b, *simStreams)
	before := s.use(b)
	var open []*streams
	for i, n := range s.nodes {
		var own []*requests
		for k := i; k < len(s.visitors); k += len(s.nodes) {
			own = append(own, s.visitors[k].relay)
		}
		o, err := openStreams(n.address, own)
		check(b, err)
		open = append(open, o)
	}
	time.Sleep(2 * settle)
	s.stream.memory = s.use(b).since(before).memory / float64(len(s.visitors))
	for _, o := range open {
		o.close()
	}
}

// saturate measures how many messages the installation accepts at most.
func (s *simulation) saturate(b *testing.B) {
	b.Helper()
	before := s.use(b)
	const seconds = 4
	var rates []float64
	for range seconds {
		rates = append(rates, s.post(b, writers))
	}
	s.capacity = median(rates)
	u, n := s.use(b).since(before), time.Duration(s.capacity*seconds*nodeWriting.Seconds())
	s.capacityCost = usage{relay: u.relay / n, database: u.database / n}
}

// busiest lets happen what happens in the busiest hour, for a while: at random moments,
// as visitors come.
func (s *simulation) busiest(b *testing.B) {
	b.Helper()
	before, begin := s.use(b), time.Now()
	var mu sync.Mutex
	var took []time.Duration
	timed := func(c *client, r []byte) error {
		sent := time.Now()
		_, err := c.do(r)
		mu.Lock()
		took = append(took, time.Since(sent))
		mu.Unlock()
		return err
	}
	var running sync.WaitGroup
	failed := make(chan error, 4)
	for kind, every := range []float64{s.m.perSecond(s.m.views), s.m.perSecond(s.m.opened), s.m.messagesASecond()} {
		running.Go(func() {
			failed <- s.arrivals(every, begin, func(c *client, i int) error {
				switch kind {
				case 0:
					return s.download(c, i)
				case 1:
					_, err := s.init(c, i)
					return err
				}
				return timed(c, s.visitors[i%len(s.visitors)].relay.post())
			})
		})
	}
	running.Wait()
	for range 3 {
		check(b, <-failed)
	}
	u, spent := s.use(b).since(before), time.Since(begin)
	s.peak = usage{memory: s.use(b).memory, relay: time.Duration(float64(u.relay) / spent.Seconds()), database: time.Duration(float64(u.database) / spent.Seconds())}
	if slices.Sort(took); len(took) > 0 {
		s.p50, s.p99, s.most = took[len(took)/2], took[len(took)*99/100], took[len(took)-1]
	}
}

// arrivals runs work so often a second, at random moments and on new connections,
// until the time is over.
func (s *simulation) arrivals(perSecond float64, begin time.Time, work func(c *client, i int) error) error {
	const lanes = 16
	return each(lanes, lanes, func(lane int) error {
		for i := lane; ; i += lanes {
			pause := time.Duration(rand.ExpFloat64() * lanes / perSecond * float64(time.Second))
			if time.Since(begin)+pause >= *peakTime {
				return nil
			}
			time.Sleep(pause)
			if err := s.arrive(i, work); err != nil {
				return err
			}
		}
	})
}

func (s *simulation) arrive(i int, work func(c *client, i int) error) error {
	c, err := connect(s.node(i))
	if err != nil {
		return err
	}
	defer c.Close()
	return work(c, i)
}

func (s *simulation) print() {
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "  MEASURED\trelay\tdatabase\trows\tstored\twritten\n")
	for _, row := range []struct {
		what string
		of   usage
	}{{"a download of widget.js", s.view}, {"an opening of the panel", s.opening}, {"a conversation", s.talk}} {
		fmt.Fprintf(t, "  %s\t%.2f ms\t%.2f ms\t%d\t%.1f KiB\t%.1f KiB\n", row.what, ms(row.of.relay), ms(row.of.database), row.of.rows, kib(row.of.size), kib(row.of.written))
	}
	fmt.Fprintf(t, "  an open stream\t%.1f KiB of memory\n", s.stream.memory/1024)
	fmt.Fprintf(t, "  idle\t%.0f MiB of memory\n", s.idle.memory/(1<<20))
	fmt.Fprintf(t, "  %d writers at once\t%.0f messages a second\t%.3f + %.3f ms each\n", writers, s.capacity, ms(s.capacityCost.relay), ms(s.capacityCost.database))
	t.Flush()
	fmt.Printf("  The busiest hour, for %s: relay %.1f %% of a processor, the database %.1f %% (the costs above are %.1f %%, the rest is connections and what relay does anyway), %.0f MiB\n"+
		"  A message is accepted after %.1f ms (p50), %.1f ms (p99), %.1f ms at most\n",
		*peakTime, 100*s.peak.relay.Seconds(), 100*s.peak.database.Seconds(), 100*s.expected(), s.peak.memory/(1<<20), ms(s.p50), ms(s.p99), ms(s.most))
	s.extrapolate()
}

func kib(n int64) float64 { return float64(n) / 1024 }
