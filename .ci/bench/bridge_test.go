package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	relayserver "github.com/relay-chat/relay/server"
	relaybacklog "github.com/relay-chat/relay/server/backlog"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
)

// The bridge server is measured in this process, beside its floor and with the
// load that both share: operators' events have to come from somewhere.

const (
	posting      = time.Second // of one measurement of posts
	fewSessions  = 1_000
	manySessions = 100_000
	readers      = 1_000
	broadcasts   = 15 // events to all readers in a round
	flood        = 20_000
)

// serving is a server in this process.
type serving struct {
	address string
	close   func()
}

func serveHTTP(b *testing.B, h http.Handler) serving {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	srv := &http.Server{Handler: h}
	go func() { _ = srv.Serve(listener) }()
	return serving{listener.Addr().String(), func() { _ = srv.Close() }}
}

// bridgeServer is relay's bridge server without bridges; targets are the
// destinations whose events wait.
type bridgeServer struct {
	serving
	relay *engine.Engine
}

func startBridge(b *testing.B, targets ...string) bridgeServer {
	b.Helper()
	ctx := context.Background()
	store, err := db.Bounded(ctx, db.BridgeBounds)
	if err != nil {
		b.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	events := relaybacklog.New(chat.NewFileLinks("key", ""))
	engine, err := engine.Open(ctx, engine.Config{Store: store, Mode: chat.ModeBridge, Log: log, Taps: []func(*chat.Event){events.Publish},
		Targets: func(*chat.Settings) (list []chat.Target) {
			for _, name := range targets {
				list = append(list, chat.Target{Name: name, Kind: chat.TargetBridge})
			}
			return list
		}})
	if err != nil {
		b.Fatal(err)
	}
	cfg := config.Config{Mode: chat.ModeBridge}
	seal, err := cfg.FileSeal(nil)
	if err != nil {
		b.Fatal(err)
	}
	srv := relayserver.NewBridge(cfg, relayserver.Deps{Engine: engine, Log: log}, events, seal)
	s := serveHTTP(b, srv.HTTPServer().Handler)
	stop := s.close
	s.close = func() { events.Close(); stop(); _ = store.Close() }
	return bridgeServer{s, engine}
}

// decoding is the floor of posts: it decodes the same JSON and answers the same.
func decoding(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Message struct {
			ID, SessionID, Content, Sender string
			Timestamp                      time.Time
		}
		Session struct{ ID, VisitorID string }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Message.ID == "" || in.Session.ID == "" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"ok":true}`)
}

// counter numbers messages: none is sent twice.
var counter atomic.Int64

// posts returns how many messages a second a server takes from all writers,
// spread over a number of sessions.
func posts(b *testing.B, address string, sessions int, during time.Duration) float64 {
	b.Helper()
	var done atomic.Int64
	var all sync.WaitGroup
	begin := time.Now()
	for range writers {
		all.Go(func() {
			c, err := connect(address)
			if err != nil {
				b.Error(err)
				return
			}
			defer c.Close()
			for time.Since(begin) < during {
				if _, err := c.do(message(int(counter.Add(1)), sessions)); err != nil {
					b.Error(err)
					return
				}
				done.Add(1)
			}
		})
	}
	all.Wait()
	return float64(done.Load()) / time.Since(begin).Seconds()
}

// message renders the n-th message, of one of the sessions.
func message(n, sessions int) []byte {
	body := fmt.Sprintf(`{"message":{"id":"m%d","sessionId":"s%[2]d","content":"Do you have these in blue, too? I could not find them.","sender":"visitor","timestamp":"2026-01-31T12:00:00.000Z"},"session":{"id":"s%[2]d","visitorId":"v%[2]d"}}`,
		n, n%sessions)
	return request("POST", "/api/messages", "Content-Type: application/json\r\n", body)
}

// know makes sessions known to a server.
func know(b *testing.B, address string, n int) {
	b.Helper()
	err := each(writers, writers, func(w int) error {
		c, err := connect(address)
		if err != nil {
			return err
		}
		defer c.Close()
		for i := w; i < n; i += writers {
			body := fmt.Sprintf(`{"id":"s%d","visitorId":"v%[1]d"}`, i)
			if _, err := c.do(request("POST", "/api/sessions", "Content-Type: application/json\r\n", body)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// fanout is the floor of streams: what is published goes to all of them.
type fanout struct {
	mu      sync.Mutex
	streams map[chan []byte]struct{}
}

func (f *fanout) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	frames := make(chan []byte, 16)
	f.mu.Lock()
	f.streams[frames] = struct{}{}
	f.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	_ = rc.Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case frame := <-frames:
			if _, err := w.Write(frame); err != nil || rc.Flush() != nil {
				return
			}
		}
	}
}

func (f *fanout) publish(frame []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for frames := range f.streams {
		select {
		case frames <- frame:
		default:
		}
	}
}

// follow opens streams and returns a channel on which each says when it got an
// event, and what ends them.
func follow(b *testing.B, address string, n int) (got chan time.Time, end func()) {
	b.Helper()
	got = make(chan time.Time, n*broadcasts+flood)
	conns := make([]net.Conn, n)
	var opened sync.WaitGroup
	for i := range conns {
		c, err := dial(address)
		if err != nil {
			b.Fatal(err)
		}
		conns[i] = c
		if _, err := c.Write([]byte("GET /api/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
			b.Fatal(err)
		}
		opened.Add(1)
		go read(c, got, &opened)
	}
	opened.Wait()
	return got, func() {
		for _, c := range conns {
			c.Close()
		}
	}
}

var dataField = []byte("data: ")

// read notes the events of a stream as they come. A field that is cut in two
// is found when its rest has come.
func read(c net.Conn, got chan time.Time, opened *sync.WaitGroup) {
	var buf []byte
	piece := make([]byte, 64<<10)
	for first := true; ; first = false {
		n, err := c.Read(piece)
		if err != nil {
			return
		}
		if first {
			opened.Done()
		}
		now := time.Now()
		buf = append(buf, piece[:n]...)
		for range bytes.Count(buf, dataField) {
			got <- now
		}
		keep := min(len(buf), len(dataField)-1)
		if i := bytes.LastIndex(buf, dataField); i >= 0 {
			keep = min(keep, len(buf)-i-len(dataField))
		}
		buf = append(buf[:0], buf[len(buf)-keep:]...)
	}
}

// spread publishes to all streams and returns how long events took to each.
func spread(b *testing.B, got chan time.Time, publish func()) (p50, p99 float64) {
	b.Helper()
	var took []float64
	for range broadcasts {
		time.Sleep(100 * time.Millisecond)
		begin := time.Now()
		publish()
		patience := time.After(10 * time.Second)
		for range readers {
			select {
			case at := <-got:
				took = append(took, float64(at.Sub(begin))/1e6)
			case <-patience:
				b.Fatal("events were lost")
			}
		}
	}
	slices.Sort(took)
	return took[len(took)/2], took[len(took)*99/100]
}

func (s bridgeServer) operator(b *testing.B, content string) {
	by := chat.Author{Sender: chat.SenderOperator, Source: "telegram", Name: "Olga"}
	p := engine.Post{SessionID: "s0", ID: fmt.Sprint("tg:", counter.Add(1)), Content: content}
	if _, err := s.relay.Send(context.Background(), by, p); err != nil {
		b.Error(err)
	}
}

const frameOf = "id: 1k3p9x-1\ndata: {\"type\":\"operator_message\",\"sessionId\":\"s0\",\"messageId\":\"tg:1\",\"content\":\"Hello there\",\"sourceBridge\":\"telegram\",\"operatorName\":\"Olga\",\"timestamp\":\"2026-01-31T12:00:00.000Z\"}\n\n"

// BenchmarkBridge measures what relay promises of bridge mode and fails for
// every promise that it does not keep.
func BenchmarkBridge(b *testing.B) {
	const ms, perSecond = "%.2f ms", "%.0f/s"
	none := &gate{name: "B1", what: "posts over a bare handler, no destination", format: perSecond, limit: 0.35, atLeast: true}
	three := &gate{name: "B2", what: "posts over a bare handler, three destinations", format: perSecond, limit: 0.2, atLeast: true}
	flat := &gate{name: "B3", what: "relay's posts, 100,000 sessions over 1,000", format: perSecond, limit: 0.6, atLeast: true}
	median := &gate{name: "B4", what: "operator to 1000 streams, p50", format: ms, limit: 1.5}
	slow := &gate{name: "T3", what: "operator to 1000 streams, p99", format: ms, limit: 1.3, best: true}
	for b.Loop() {
		many := startBridge(b)
		know(b, many.address, manySessions)
		for range rounds {
			floor := serveHTTP(b, http.HandlerFunc(decoding))
			bare := posts(b, floor.address, fewSessions, posting)
			floor.close()
			for g, targets := range map[*gate][]string{none: nil, three: {"telegram", "discord", "slack"}} {
				s := startBridge(b, targets...)
				rate := posts(b, s.address, fewSessions, posting)
				s.close()
				g.add(bare, rate)
				if g == none {
					flat.add(rate, posts(b, many.address, manySessions, posting))
				}
			}
			compareSpread(b, median, slow)
		}
		many.close()
		measureFlood(b)
	}
	judge(b, []*gate{none, three, flat, median, slow})
}

// compareSpread measures one round of events to all streams.
func compareSpread(b *testing.B, median, slow *gate) {
	f := &fanout{streams: map[chan []byte]struct{}{}}
	floor := serveHTTP(b, f)
	got, end := follow(b, floor.address, readers)
	bare50, bare99 := spread(b, got, func() { f.publish([]byte(frameOf)) })
	end()
	floor.close()
	s := startBridge(b)
	know(b, s.address, 1)
	got, end = follow(b, s.address, readers)
	relay50, relay99 := spread(b, got, func() { s.operator(b, "Hello there") })
	end()
	s.close()
	median.add(bare50, relay50)
	slow.add(bare99, relay99)
}

// measureFlood lets operators write as fast as they can beside one reader, who
// must get all of it.
func measureFlood(b *testing.B) {
	s := startBridge(b)
	defer s.close()
	know(b, s.address, 1)
	got, end := follow(b, s.address, 1)
	defer end()
	begin := time.Now()
	_ = each(flood, writers, func(int) error {
		s.operator(b, "Hello there")
		return nil
	})
	patience := time.After(10 * time.Second)
	for i := range flood {
		select {
		case <-got:
		case <-patience:
			b.Fatalf("%d of %d events were lost", flood-i, flood)
		}
	}
	fmt.Printf("\none reader: %d operator events, %.0f/s, lost 0\n", flood, flood/time.Since(begin).Seconds())
}
