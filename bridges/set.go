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

	"github.com/relay-chat/relay/bridges/mirror"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Options are the parts and settings of a Set.
type Options struct {
	Kinds []Kind
	Log   *slog.Logger
	// Mirror are the options of every mirror; the Set adds Log and Moved.
	Mirror mirror.Options
}

// Set runs a bridge of each kind that is set up, and restarts it when its
// settings change. Bridges are independent: a failing one does not affect the
// others.
type Set struct {
	engine  *engine.Engine
	opts    Options
	runners []*runner
	// elsewhere asks other nodes.
	elsewhere examiner
}

// New returns a set of bridges on an engine. Nothing runs yet.
func New(engine *engine.Engine, o Options) *Set {
	s := &Set{engine: engine, opts: o}
	for _, k := range o.Kinds {
		s.runners = append(s.runners, &runner{set: s, kind: k, log: o.Log.With("bridge", k.Name), restart: make(chan struct{}, 1)})
	}
	return s
}

// Run runs the bridges until ctx ends, then waits for what they have in flight.
func (s *Set) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	s.listen(ctx, &running)
	for _, runner := range s.runners {
		running.Go(func() { runner.run(ctx) })
	}
	return nil
}

// StopReceiving stops receiving at all bridges. Received updates are still
// handled and pending deliveries still sent; platforms keep unacknowledged
// updates.
func (s *Set) StopReceiving() {
	var stopping sync.WaitGroup
	for _, runner := range s.runners {
		stopping.Go(runner.stopReceiving)
	}
	stopping.Wait()
}

// ErrUnknown is the answer to a name that no bridge has.
var ErrUnknown = &chat.Error{Kind: chat.NotFound, Text: "Bridge not found"}

func (s *Set) runner(name string) (*runner, error) {
	for _, runner := range s.runners {
		if runner.kind.Name == name {
			return runner, nil
		}
	}
	return nil, ErrUnknown
}

// Names returns the names of the bridges that are set up.
func (s *Set) Names() []string {
	names := []string{}
	for _, runner := range s.runners {
		if connected(&runner.kind, s.engine.Sites()) {
			names = append(names, runner.kind.Name)
		}
	}
	return names
}

// Cards returns what the console shows of each bridge beside its state.
func (s *Set) Cards() []chat.BridgeCard {
	cards := make([]chat.BridgeCard, 0, len(s.runners))
	for _, runner := range s.runners {
		cards = append(cards, runner.kind.Card)
	}
	return cards
}

func troubleOf(t chat.Trouble) *chat.BridgeTrouble {
	if t.Count == 0 {
		return nil
	}
	return &chat.BridgeTrouble{Count: t.Count, Reason: t.Last.Reason(), ID: t.Last.ID(), SessionID: t.Last.SessionID, At: t.Last.CreatedAt}
}

// States returns the state of each bridge.
func (s *Set) States(ctx context.Context) ([]chat.BridgeState, error) {
	states := make([]chat.BridgeState, 0, len(s.runners))
	sites := s.engine.Sites()
	for _, runner := range s.runners {
		state, err := runner.stateAnywhere(ctx, sites)
		if err != nil {
			return nil, err
		}
		err = s.engine.Store.Read(ctx, func(r chat.Reader) (err error) {
			if state.Queue, err = r.Waiting(state.Name); err != nil {
				return err
			}
			failed, retrying, err := r.Troubles(state.Name)
			state.Failed, state.Retrying = troubleOf(failed), troubleOf(retrying)
			if err != nil || !connected(&runner.kind, sites) {
				return err
			}
			last, err := r.Deliveries(chat.DeliveryQuery{Dest: state.Name, State: new(chat.DeliveryDone), Limit: 1})
			if len(last) > 0 {
				state.DeliveredAt = last[0].CreatedAt
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		states = append(states, state)
	}
	return states, nil
}

// checkTimeout bounds a Check.
const checkTimeout = 15 * time.Second

// Check examines a bridge's token, permissions, channel and reception, or the channel that
// a site has of its own. A bridge that paused after a failure is restarted: the operator may
// have fixed the cause.
func (s *Set) Check(ctx context.Context, name, site string) ([]chat.Finding, error) {
	runner, err := s.runner(name)
	if err != nil {
		return nil, err
	}
	return runner.check(ctx, site)
}

// Webhook handles the requests that a platform pushes to a bridge. While the bridge is not
// set up it answers 503 and has no effect.
func (s *Set) Webhook(name string) http.Handler {
	runner, err := s.runner(name)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err != nil {
			refuse(w, http.StatusNotFound, "Not found")
			return
		}
		if hook := runner.webhook(); hook != nil {
			hook.ServeHTTP(w, r)
			return
		}
		refuse(w, http.StatusServiceUnavailable, "The "+runner.kind.Card.Title+" bridge is not set up")
	})
}

func refuse(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text}) // the platform may be gone
}

// Fetch opens a file that an operator sent and that is stored on its platform.
// The caller closes it.
func (s *Set) Fetch(ctx context.Context, f chat.FileRef) (io.ReadCloser, error) {
	runner, err := s.runner(f.Bridge)
	if err != nil {
		return nil, chat.ErrAttachmentNotFound
	}
	on := runner.current()
	if on.common == nil {
		return nil, errors.New("the bridge of the file is not set up")
	}
	return on.common.Fetch(ctx, f.Ref)
}

// opener opens an attachment of a message.
type opener func(ctx context.Context, sessionID string, a chat.Attachment) (io.ReadCloser, error)

// openSealed returns an opener that fetches operators' files from their platform
// and opens all others with other.
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
