package watch

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Sources are what is asked for when somebody looks.
type Sources struct {
	Engine *engine.Engine
	// Streams counts the open streams by their readers: visitors or operators.
	Streams func() map[string]int
	// Bridges returns the state of each bridge.
	Bridges func(ctx context.Context) ([]chat.BridgeState, error)
	// Size returns the bytes of the database and of its write-ahead log.
	Size func(ctx context.Context) (size, log int64, err error)
	Log  *slog.Logger
}

// scrapeTime bounds how long one scrape waits for the database.
const scrapeTime = 5 * time.Second

// bridgeStates are the states of [chat.BridgeState].
var bridgeStates = []string{"off", "starting", "running", "failing", "misconfigured"}

// scrape answers GET /metrics. What cannot be asked for is left out, and
// relay_scrape_errors says so: a database that is away must not hide the rest.
func (w *Watch) scrape(from Sources) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		w.asked.Lock()
		defer w.asked.Unlock()
		ctx, cancel := context.WithTimeout(r.Context(), scrapeTime)
		defer cancel()
		rw.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		var samples bytes.Buffer
		w.write(&samples)
		failed := 0
		for _, write := range []func(context.Context, io.Writer) error{from.writeStreams, from.writeBridges, from.writeStorage, from.writeAI, from.writeSites, from.writeNodes} {
			if err := write(ctx, &samples); err != nil {
				failed++
				from.Log.Warn("metrics: something cannot be asked for and is left out", "err", err)
			}
		}
		metrics.WriteGaugeUint64(&samples, "relay_scrape_errors", uint64(failed))
		metrics.WriteProcessMetrics(&samples)
		metrics.WriteFDMetrics(&samples)
		annotate(rw, samples.Bytes())
	}
}

func (s Sources) writeStreams(_ context.Context, w io.Writer) error {
	for reader, n := range s.Streams() {
		gauge(w, `relay_streams{reader="`+reader+`"}`, int64(n))
	}
	return nil
}

// writeBridges writes the state of each bridge, what waits for each sink, and of
// what each bridge has received.
func (s Sources) writeBridges(ctx context.Context, w io.Writer) error {
	states, err := s.Bridges(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, b := range states {
		names = append(names, b.Name)
		for _, state := range bridgeStates {
			is := int64(0)
			if b.State == state {
				is = 1
			}
			gauge(w, `relay_bridge_state{bridge="`+b.Name+`",state="`+state+`"}`, is)
		}
	}
	return s.writeQueues(ctx, w, names)
}

func (s Sources) writeQueues(ctx context.Context, w io.Writer, bridges []string) error {
	var deliveries, updates []chat.Queue
	err := s.Engine.Store.ReadOne(ctx, func(r chat.Reader) (err error) {
		deliveries, updates, err = r.Queues()
		return err
	})
	if err != nil {
		return err
	}
	writeQueues(w, "relay_deliveries_waiting", "dest", withEmpty(byKind(deliveries), slices.Concat(bridges, []string{chat.WebhookSink})))
	writeQueues(w, "relay_inbox_waiting", "bridge", withEmpty(updates, bridges))
	return nil
}

// byKind adds up the queues of all webhooks.
func byKind(queues []chat.Queue) (sums []chat.Queue) {
	for _, q := range queues {
		q.Name = chat.KindOfSink(q.Name)
		i := slices.IndexFunc(sums, func(s chat.Queue) bool { return s.Name == q.Name })
		if i < 0 {
			sums = append(sums, q)
			continue
		}
		sums[i].Waiting += q.Waiting
		sums[i].Oldest = min(sums[i].Oldest, q.Oldest)
	}
	return sums
}

// withEmpty adds the queues in which nothing waits.
func withEmpty(queues []chat.Queue, names []string) []chat.Queue {
	for _, name := range names {
		if !slices.ContainsFunc(queues, func(q chat.Queue) bool { return q.Name == name }) {
			queues = append(queues, chat.Queue{Name: name, Oldest: chat.Now()})
		}
	}
	return queues
}

func writeQueues(w io.Writer, name, label string, queues []chat.Queue) {
	for _, q := range queues {
		gauge(w, name+`{`+label+`="`+q.Name+`"}`, int64(q.Waiting))
	}
	for _, q := range queues {
		metrics.WriteGaugeFloat64(w, name+`_oldest_seconds{`+label+`="`+q.Name+`"}`, max(chat.Now().Sub(q.Oldest), 0).Seconds())
	}
}

// writeStorage writes the sizes of the database and of its disk, as far as relay
// sees them.
func (s Sources) writeStorage(ctx context.Context, w io.Writer) error {
	if free, total := s.Engine.Store.Room(); total > 0 {
		gauge(w, "relay_disk_free_bytes", free)
		gauge(w, "relay_disk_size_bytes", total)
	}
	size, log, err := s.Size(ctx)
	if err == nil && size > 0 {
		gauge(w, "relay_database_size_bytes", size)
		gauge(w, "relay_database_log_bytes", log)
	}
	return err
}

// writeAI writes what the AI has used today, and what it may use: 0 is no limit.
func (s Sources) writeAI(ctx context.Context, w io.Writer) error {
	used, err := s.Engine.TokensToday(ctx)
	if err == nil {
		gauge(w, "relay_ai_tokens_today", used)
		gauge(w, "relay_ai_tokens_limit", s.Engine.Settings().AI().DailyTokens)
	}
	return err
}

// mostSites bounds how many sites have a value of their own: a series for each costs its
// reader memory.
const mostSites = 100

// otherSites is the label of all the others together, which is no site's id.
const otherSites = "_others"

// writeSites writes how many conversations wait at each site, where there are several: the
// sites with the most of them, and all others together.
func (s Sources) writeSites(ctx context.Context, w io.Writer) error {
	sites := s.Engine.Sites()
	if !sites.Several() {
		return nil
	}
	var waiting map[string]int
	err := s.Engine.Store.ReadOne(ctx, func(r chat.Reader) (err error) {
		waiting, err = r.WaitingBySite()
		return err
	})
	if err != nil {
		return err
	}
	all := slices.Clone(sites.All())
	slices.SortStableFunc(all, func(a, b chat.Site) int { return waiting[b.ID] - waiting[a.ID] })
	others := 0
	for i := range all {
		n := waiting[all[i].ID]
		if i >= mostSites {
			others += n
			continue
		}
		gauge(w, `relay_site_waiting{site="`+all[i].PublicID()+`"}`, int64(n))
	}
	if len(all) > mostSites {
		gauge(w, `relay_site_waiting{site="`+otherSites+`"}`, int64(others))
	}
	return nil
}

// writeNodes writes how many relays share the database, this one included, and what this
// one does for all.
func (s Sources) writeNodes(_ context.Context, w io.Writer) error {
	if s.Engine.Nodes.Name() == "" {
		return nil
	}
	gauge(w, "relay_nodes", int64(1+len(s.Engine.Nodes.Peers())))
	for lease, held := range s.Engine.Nodes.Held() {
		is := int64(0)
		if held {
			is = 1
		}
		gauge(w, `relay_lease_held{lease="`+lease+`"}`, is)
	}
	return nil
}

func gauge(w io.Writer, name string, n int64) { metrics.WriteGaugeUint64(w, name, uint64(max(n, 0))) }
