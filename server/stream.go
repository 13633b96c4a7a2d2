package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"relay/server/chat"
)

// Times of a stream (contract.md 3, widget stream).
const (
	heartbeatEvery = 30 * time.Second
	writeTimeout   = 10 * time.Second
	retryHint      = "retry: 2000\n"
)

// sse writes server-sent events. It is the only code that does, and only one
// goroutine uses one.
type sse struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	links *chat.FileLinks
	buf   []byte
}

// startSSE answers the headers of a stream; they leave with the first send.
func (s *Server) startSSE(w http.ResponseWriter) *sse {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	out := &sse{w: w, rc: http.NewResponseController(w), links: s.links}
	_ = out.rc.SetReadDeadline(time.Time{}) // streams outlive the server's time-outs
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

// send writes what is queued. A reader that takes nothing for writeTimeout is
// cut; it can resume.
func (o *sse) send() error {
	if len(o.buf) == 0 {
		return nil
	}
	if err := o.rc.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	_, err := o.w.Write(o.buf)
	o.buf = nil // idle streams hold no memory
	if err != nil {
		return err
	}
	return o.rc.Flush()
}

func (o *sse) heartbeat() error {
	o.buf = append(o.buf, ": heartbeat\n\n"...)
	return o.send()
}

// widgetStream answers GET /api/widget/stream: a session's facts from the
// cursor on, without loss or repeat, and the states as they come.
func (s *Server) widgetStream(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	sessionID := r.URL.Query().Get("sessionId")
	if err := required("sessionId", sessionID); err != nil {
		return nil, err
	}
	leave, err := s.enterStream(r, sessionID)
	if err != nil {
		return nil, err
	}
	defer leave()
	feed, open, err := s.relay.Follow(r.Context(), by, sessionID, lastEventID(r))
	if err != nil {
		return nil, err
	}
	defer feed.Close()
	out := s.startSSE(w)
	out.state(chat.StateConnected, map[string]any{"type": chat.StateConnected, "sessionId": sessionID,
		"lastEventId": cursor(open.Session.Rev), "operatorOnline": s.relay.OperatorOnline(), "status": open.Session.Status})
	out.facts(sessionID, open.Events, open.Resync, feed.Last())
	if out.send() != nil {
		return written{}, nil
	}
	s.follow(r.Context(), out, feed, sessionID)
	return written{}, nil
}

// follow writes what a feed brings until the client, the session or relay
// goes away.
func (s *Server) follow(ctx context.Context, out *sse, feed *chat.Feed, sessionID string) {
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
		case e, open := <-feed.C():
			if !open {
				return
			}
			events, resync, err := feed.Next(ctx, e)
			if err != nil {
				if ctx.Err() == nil && !isNotFound(err) {
					s.log.Error("stream cut: it cannot read what it missed", "err", err)
				}
				return
			}
			out.facts(sessionID, events, resync, feed.Last())
			if out.send() != nil {
				return
			}
		}
	}
}

// facts queues events for a visitor. resync tells the client to load the
// history anew; it carries the id from which the stream goes on.
func (o *sse) facts(sessionID string, events []chat.Event, resync bool, last int64) {
	for i := range events {
		e := &events[i]
		if !e.ForVisitor() {
			continue
		}
		id := ""
		if e.Rev > 0 {
			id = cursor(e.Rev)
		}
		o.event(e.Type, id, e.Show(o.links, chat.Now().Add(chat.LinkLife), false))
	}
	if resync {
		data, _ := marshal(map[string]string{"type": string(chat.StateResync), "sessionId": sessionID, "lastEventId": cursor(last)})
		o.event(chat.StateResync, cursor(last), data)
	}
}

// state queues a state made by the server itself.
func (o *sse) state(t chat.EventType, body map[string]any) {
	data, _ := marshal(body)
	o.event(t, "", data)
}

// adminStream answers GET /api/admin/stream: everything that happens from now
// on. It cannot resume: who comes back, or is too slow, is told to resync.
func (s *Server) adminStream(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	sub := s.hub.Subscribe("")
	defer sub.Close()
	out := s.startSSE(w)
	out.state(chat.StateConnected, map[string]any{"type": chat.StateConnected, "operatorOnline": s.relay.OperatorOnline()})
	n := 0
	if lastEventID(r) != "" {
		out.resync(&n)
	}
	heartbeat := time.NewTicker(heartbeatEvery)
	defer heartbeat.Stop()
	for out.send() == nil {
		select {
		case <-r.Context().Done():
			return written{}, nil
		case <-heartbeat.C:
			out.buf = append(out.buf, ": heartbeat\n\n"...)
		case e, open := <-sub.C:
			if !open {
				return written{}, nil
			}
			n++
			out.event(e.Type, strconv.Itoa(n), e.Show(out.links, chat.Now().Add(chat.LinkLife), true))
			if sub.Lost() {
				out.resync(&n)
			}
		}
	}
	return written{}, nil
}

func (o *sse) resync(n *int) {
	*n++
	o.event(chat.StateResync, strconv.Itoa(*n), []byte(`{"type":"resync"}`))
}

// lastEventID is the cursor that a request brings.
func lastEventID(r *http.Request) string {
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		return id
	}
	return r.URL.Query().Get("lastEventId")
}
