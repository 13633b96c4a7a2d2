package bridges

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"relay/bridges/mirror"
	"relay/server/chat"
)

// Options are what a Set is made of.
type Options struct {
	Kinds []Kind
	Log   *slog.Logger
	// Mirror is how the mirrors are made; its Log and Moved are set
	// here.
	Mirror mirror.Options
}

// Set runs a bridge of each kind that is set up, and makes it anew when its
// settings change. Each is served on its own: what happens to one does not
// reach the others.
type Set struct {
	engine *chat.Engine
	opts   Options
	slots  []*slot
}

// New makes a set of bridges on an engine. Nothing runs yet.
func New(engine *chat.Engine, o Options) *Set {
	s := &Set{engine: engine, opts: o}
	for _, k := range o.Kinds {
		s.slots = append(s.slots, &slot{set: s, kind: k, log: o.Log.With("bridge", k.Name), anew: make(chan struct{}, 1)})
	}
	return s
}

// Run runs the bridges until ctx ends, then waits for what they have in flight.
func (s *Set) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	for _, slot := range s.slots {
		running.Go(func() { slot.run(ctx) })
	}
	return nil
}

// StopReceiving ends receiving at all bridges, while what has come in is still
// worked on and what waits is still delivered. Platforms keep what is not
// acknowledged.
func (s *Set) StopReceiving() {
	var stopping sync.WaitGroup
	for _, slot := range s.slots {
		stopping.Go(slot.stopReceiving)
	}
	stopping.Wait()
}

// Busy reports whether something that came in is being worked on.
func (s *Set) Busy() bool { return s.engine.Inbox.Busy() }

// ErrUnknown answers the name of no bridge.
var ErrUnknown = &chat.Error{Kind: chat.NotFound, Text: "Bridge not found"}

func (s *Set) slot(name string) (*slot, error) {
	for _, slot := range s.slots {
		if slot.kind.Name == name {
			return slot, nil
		}
	}
	return nil, ErrUnknown
}

// Names are the bridges that are set up.
func (s *Set) Names() []string {
	names := []string{}
	for _, slot := range s.slots {
		if slot.kind.configured(s.engine.Settings()) {
			names = append(names, slot.kind.Name)
		}
	}
	return names
}

func troubleOf(t chat.Trouble) *chat.BridgeTrouble {
	if t.Count == 0 {
		return nil
	}
	return &chat.BridgeTrouble{Count: t.Count, Reason: t.Last.Reason(), ID: t.Last.ID(), SessionID: t.Last.SessionID, At: t.Last.CreatedAt}
}

// States returns the state of each bridge.
func (s *Set) States(ctx context.Context) ([]chat.BridgeState, error) {
	states := make([]chat.BridgeState, 0, len(s.slots))
	settings := s.engine.Settings()
	for _, slot := range s.slots {
		state := slot.state(settings)
		err := s.engine.Store.Read(ctx, func(r chat.Reader) (err error) {
			if state.Queue, err = r.Waiting(state.Name); err != nil {
				return err
			}
			failed, retrying, err := r.Troubles(state.Name)
			state.Failed, state.Retrying = troubleOf(failed), troubleOf(retrying)
			return err
		})
		if err != nil {
			return nil, err
		}
		states = append(states, state)
	}
	return states, nil
}

// checkPatience bounds a Check.
const checkPatience = 15 * time.Second

// Check looks at a bridge's token, rights, channel and reception. What rests
// because something failed is tried at once: whoever looks may have mended it.
func (s *Set) Check(ctx context.Context, name string) ([]chat.Finding, error) {
	slot, err := s.slot(name)
	if err != nil {
		return nil, err
	}
	return slot.check(ctx, s.engine.Settings())
}

// Webhook takes what a platform pushes to a bridge. While the bridge is not set
// up it answers 503 and has no effect.
func (s *Set) Webhook(name string) http.Handler {
	slot, err := s.slot(name)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err != nil {
			refuse(w, http.StatusNotFound, "Not found")
			return
		}
		if hook := slot.webhook(); hook != nil {
			hook.ServeHTTP(w, r)
			return
		}
		refuse(w, http.StatusServiceUnavailable, "The "+slot.kind.Title+" bridge is not set up")
	})
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text}) // the platform may be gone
}

// Fetch opens a file that an operator sent and that stayed on its platform. The
// caller closes it.
func (s *Set) Fetch(ctx context.Context, f chat.FileRef) (io.ReadCloser, error) {
	slot, err := s.slot(f.Bridge)
	if err != nil {
		return nil, chat.ErrAttachmentNotFound
	}
	b := slot.current()
	if b == nil {
		return nil, errors.New("the bridge of the file is not set up")
	}
	return b.Fetch(ctx, f.Ref)
}

// opener opens an attachment of a message.
type opener func(ctx context.Context, sessionID string, a chat.Attachment) (io.ReadCloser, error)

// openSealed opens what operators sent from its platform, and anything else as
// other does.
func (s *Set) openSealed(other opener) opener {
	return func(ctx context.Context, sessionID string, a chat.Attachment) (io.ReadCloser, error) {
		if f, ours := s.opts.Mirror.Seal.Find(a.URL); ours {
			return s.Fetch(ctx, f)
		}
		if other == nil {
			return nil, chat.ErrAttachmentNotFound
		}
		return other(ctx, sessionID, a)
	}
}
