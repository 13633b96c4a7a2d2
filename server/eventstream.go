package server

import (
	"context"
	"net/http"

	"github.com/relay-chat/relay/server/backlog"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// streamPortion is about how many bytes a stream of bridge mode writes at once.
const streamPortion = 64 << 10

// backendStreams are the streams of bridge mode.
type backendStreams struct {
	*streams
	backlog *backlog.Backlog
}

// stream answers GET /api/events/stream with operators' events from the
// platforms, as frames of the default type.
func (s *backendStreams) stream(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	query := r.URL.Query()
	types := query.Get("types")
	if types != "" && types != "all" {
		return nil, web.BadRequest("types must be all")
	}
	reader, err := s.backlog.Read(r.Context(), lastEventID(r, query), query.Get("sessionId"), types == "all")
	if err != nil {
		return nil, err
	}
	out := startSSE(w)
	out.parkable = closeDelimited(w, r)
	out.begin(reader.Place())
	if out.send() != nil {
		reader.Close()
		return web.Written{}, nil
	}
	s.carryOn(r.Context(), out, func(ctx context.Context) {
		follow(ctx, out, reader.Bell, func(_ struct{}, open bool) bool { return s.catchUp(out, reader) == nil && open })
	}, reader.Close)
	return web.Written{}, nil
}

// begin queues the reader's place, an id without data: a client disconnected before
// the first event resumes with it. Clients keep such an id and
// dispatch nothing.
func (o *sse) begin(place string) {
	o.buf = append(append(append(o.buf, ": connected\nid: "...), place...), "\n\n"...)
}

// catchUp writes a reader's remaining events.
func (s *backendStreams) catchUp(out *sse, reader *backlog.Reader) error {
	for more := true; more; {
		var err error
		if out.buf, more, err = reader.Frames(out.buf, streamPortion); err != nil {
			s.log.Warn("stream cut: its reader is too slow; it can resume", "held", backlog.Events)
			return err
		}
		if err := out.send(); err != nil {
			return err
		}
	}
	return nil
}
