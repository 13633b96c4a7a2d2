package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/relay-chat/relay/server/account"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/hub"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// Times of a stream.
const (
	heartbeatEvery = 30 * time.Second
	writeTimeout   = 10 * time.Second
	retryHint      = "retry: 2000\n"
)

// sse writes server-sent events. It is the only code that does, and only one
// goroutine uses one.
type sse struct {
	w   http.ResponseWriter
	rc  *http.ResponseController
	buf []byte

	parkable bool
	conn     net.Conn // instead of w and rc, once the stream is parked
}

// startSSE answers the headers of a stream; they leave with the first send.
func startSSE(w http.ResponseWriter) *sse {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	out := &sse{w: w, rc: http.NewResponseController(w)}
	out.buf = append(out.buf, retryHint...)
	return out
}

// event queues one event. id is "" for states.
func (o *sse) event(t chat.EventType, id string, data []byte) {
	o.buf = append(append(append(o.buf, "event: "...), t...), '\n')
	if id != "" {
		o.buf = append(append(append(o.buf, "id: "...), id...), '\n')
	}
	o.buf = append(append(append(o.buf, "data: "...), data...), "\n\n"...)
}

// send writes the queue. A client that reads nothing for writeTimeout is
// disconnected; it can resume.
func (o *sse) send() error {
	if len(o.buf) == 0 {
		return nil
	}
	buf, deadline := o.buf, time.Now().Add(writeTimeout)
	o.buf = nil // idle streams hold no memory
	if o.conn != nil {
		if err := o.conn.SetWriteDeadline(deadline); err != nil {
			return err
		}
		_, err := o.conn.Write(buf)
		return err
	}
	if err := o.rc.SetWriteDeadline(deadline); err != nil {
		return err
	}
	if _, err := o.w.Write(buf); err != nil {
		return err
	}
	return o.rc.Flush()
}

// end lets net/http write the end of the stream: the deadline of the last event may have
// passed, and a browser takes a stream without an end for a fault.
func (o *sse) end() { _ = o.rc.SetWriteDeadline(time.Now().Add(writeTimeout)) }

// outlive lets a stream that stays in net/http outlive the server's time-outs.
func (o *sse) outlive() { _ = o.rc.SetReadDeadline(time.Time{}) }

func (o *sse) heartbeat() error {
	o.buf = append(o.buf, ": heartbeat\n\n"...)
	return o.send()
}

// streams carries open streams on, also outside net/http.
type streams struct {
	log    *slog.Logger
	parked sync.WaitGroup // goroutines outside net/http
}

// visitorStreams are the streams of visitors' pages.
type visitorStreams struct {
	*web.Limiter
	*streams
	engine *engine.Engine
	links  *chat.FileLinks
}

// stream answers GET /api/widget/stream: a session's facts from the
// cursor on, without loss or repeat, and the states as they come.
func (s *visitorStreams) stream(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	feed, out, leave, err := s.open(w, r, by)
	if err != nil {
		return nil, err
	}
	if out == nil {
		leave()
		return web.Written{}, nil
	}
	s.carryOn(r.Context(), out, func(ctx context.Context) { s.follow(ctx, out, feed) }, leave)
	return web.Written{}, nil
}

// carryOn runs follow on a stream that has begun, outside net/http if that
// is possible, and calls leave at the end.
func (s *streams) carryOn(ctx context.Context, out *sse, follow func(ctx context.Context), leave func()) {
	if s.park(out, follow, leave) {
		return
	}
	defer leave()
	out.outlive()
	follow(ctx)
}

// connectedState is the first event of a visitor's stream.
type connectedState struct {
	Type           chat.EventType `json:"type"`
	SessionID      string         `json:"sessionId"`
	LastEventID    string         `json:"lastEventId"`
	OperatorOnline bool           `json:"operatorOnline"`
	BackAt         chat.Time      `json:"backAt,omitzero"`
	Status         chat.Status    `json:"status"`
}

// open begins a stream and writes what happened since its cursor. out is
// nil if the client has gone already; the caller must call leave.
func (s *visitorStreams) open(w http.ResponseWriter, r *http.Request, by chat.Author) (feed *hub.Feed, out *sse, leave func(), err error) {
	query := r.URL.Query()
	sessionID := query.Get("sessionId")
	if err := web.Required("sessionId", sessionID); err != nil {
		return nil, nil, nil, err
	}
	left, err := s.EnterStream(r, sessionID)
	if err != nil {
		return nil, nil, nil, err
	}
	feed, open, err := s.engine.Follow(r.Context(), by, sessionID, lastEventID(r, query))
	if err != nil {
		left()
		return nil, nil, nil, err
	}
	leave = func() {
		feed.Close()
		left()
	}
	out = startSSE(w)
	out.parkable = closeDelimited(w, r)
	there := s.engine.PresenceAt(by.Site)
	out.state(chat.StateConnected, connectedState{chat.StateConnected, sessionID, cursor(open.Session.Rev), there.Online, there.BackAt, open.Session.Status})
	if !s.pass(r.Context(), out, feed, open.Page) {
		out = nil
	}
	return feed, out, leave, nil
}

// follow writes a feed's events until the client, the session or relay
// ends it.
func (s *visitorStreams) follow(ctx context.Context, out *sse, feed *hub.Feed) {
	follow(ctx, out, feed.C(), func(e *chat.Event, open bool) bool {
		if !open {
			return false
		}
		page, err := feed.Next(ctx, e)
		if err != nil {
			s.cut(ctx, err)
			return false
		}
		return s.pass(ctx, out, feed, page)
	})
}

// follow calls next with what comes, until it returns false or the client hangs up.
func follow[T any](ctx context.Context, out *sse, events <-chan T, next func(e T, open bool) bool) {
	heartbeat := time.NewTicker(heartbeatEvery)
	defer heartbeat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-heartbeat.C:
			if out.heartbeat() != nil {
				return
			}
		case e, open := <-events:
			if !next(e, open) {
				return
			}
		}
	}
}

// pass writes a page of a feed and the following ones, one at a time: what a slow
// reader misses stays in the database. It reports whether the stream goes on.
func (s *visitorStreams) pass(ctx context.Context, out *sse, feed *hub.Feed, page hub.Page) bool {
	for {
		out.facts(s.links, feed, page)
		if out.send() != nil {
			return false
		}
		s.engine.EventsArrived(chat.SenderVisitor, page.Events)
		if !page.More {
			return true
		}
		var err error
		if page, err = feed.More(ctx); err != nil {
			s.cut(ctx, err)
			return false
		}
	}
}

// cut logs why relay ends a stream early.
func (s *streams) cut(ctx context.Context, err error) {
	if ctx.Err() == nil && !web.IsNotFound(err) {
		s.log.Error("stream cut: the missed events cannot be read", "err", err)
	}
}

// facts queues events for a visitor. A resync makes the client reload
// the history; it carries the id from which the stream goes on.
func (o *sse) facts(links *chat.FileLinks, feed *hub.Feed, page hub.Page) {
	for i := range page.Events {
		e := &page.Events[i]
		if !e.For(chat.StreamVisitor) {
			continue
		}
		id := ""
		if e.Rev > 0 {
			id = cursor(e.Rev)
		}
		o.event(e.Type, id, e.Show(links, chat.Now().Add(chat.LinkLife), false))
	}
	if page.Resync {
		last := cursor(feed.Last())
		data, _ := json.Marshal(map[string]string{"type": string(chat.StateResync), "sessionId": feed.SessionID(), "lastEventId": last})
		o.event(chat.StateResync, last, data)
	}
}

// state queues a state made by the server itself.
func (o *sse) state(t chat.EventType, body any) {
	data, _ := json.Marshal(body)
	o.event(t, "", data)
}

// operatorStreams are the streams of the console and of operators' programs.
type operatorStreams struct {
	engine *engine.Engine
	team   *team.Team
	keys   *keyring.Ring
	links  *chat.FileLinks
	open   atomic.Int64
}

// stream answers GET /api/admin/stream: everything that happens from now
// on, as long as the secret key is the same. It cannot resume: a client that
// reconnects or is too slow gets a resync.
func (s *operatorStreams) stream(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	keys := s.keys.Generation()
	sub := s.engine.Hub.Subscribe("")
	defer sub.Close()
	s.open.Add(1)
	defer s.open.Add(-1)
	reconnects := lastEventID(r, r.URL.Query()) != ""
	signedOut, leave := s.takeSeat(r, by, reconnects)
	defer leave()
	out := startSSE(w)
	out.outlive()
	defer out.end()
	presence := presenceFor(s.engine, by)
	connected, _ := json.Marshal(map[string]any{"type": chat.StateConnected, "operatorOnline": presence.Online, "presence": presence})
	out.event(chat.StateConnected, "0", connected) // with an id, so that a client reconnects with one even if no event followed
	n := 0
	if reconnects {
		out.resync(&n)
	}
	heartbeat, check := time.NewTicker(heartbeatEvery), time.NewTicker(keyring.Age)
	defer heartbeat.Stop()
	defer check.Stop()
	var shown []chat.Event
	view := sight{engine: s.engine, by: by, sessions: map[string]bool{}}
	for out.send() == nil {
		s.engine.EventsArrived(chat.SenderOperator, shown)
		shown = shown[:0]
		select {
		case <-r.Context().Done():
			return web.Written{}, nil
		case <-signedOut:
			return web.Written{}, nil
		case <-check.C:
			if s.keys.Generation() != keys || s.accessEnded(r.Context(), by) { // whichever node did it
				return web.Written{}, nil
			}
		case <-heartbeat.C:
			out.buf = append(out.buf, ": heartbeat\n\n"...)
		case e, open := <-sub.C:
			if !open || s.keys.Generation() != keys {
				return web.Written{}, nil
			}
			if e = view.of(r.Context(), e); e != nil {
				n++
				out.event(e.Type, strconv.Itoa(n), e.Show(s.links, chat.Now().Add(chat.LinkLife), true))
				if by.Source == chat.SourceConsole {
					shown = append(shown, *e)
				}
			}
		}
		if sub.Lost() {
			out.resync(&n)
		}
	}
	return web.Written{}, nil
}

// accessEnded reports whether a sign-in has ended, or an API key, or whether its person
// answers other sites now. A program with the secret key has neither.
func (s *operatorStreams) accessEnded(ctx context.Context, by chat.Author) bool {
	if by.Key == nil {
		return by.SignIn != "" && s.team.SignIns.Ended(ctx, by.SignIn, func(in *chat.SignIn) bool { return account.RefusesSignIn(s.engine.Settings(), in) })
	}
	k, p, err := s.team.Keys.Current(ctx, by.Key.ID)
	if err != nil {
		return errors.Is(err, chat.ErrAPIKeyNotFound) // an unreadable store ends nothing
	}
	now := account.KeyAuthor(&k, &p)
	return !now.Sites.Equal(by.Sites)
}

func (o *sse) resync(n *int) {
	*n++
	o.event(chat.StateResync, strconv.Itoa(*n), []byte(`{"type":"resync"}`))
}

// lastEventID returns a request's cursor.
func lastEventID(r *http.Request, query url.Values) string {
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		return id
	}
	return query.Get("lastEventId")
}
