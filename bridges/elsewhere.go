package bridges

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// A bridge is served by one node. The others show its state from there and let it check
// the bridge, because reception and pauses are known only there.

// Notes between nodes.
const (
	noteCheck   = "bc" // bridge, question, what is asked
	noteChecked = "bd" // question, findings, why there are none, places
)

// answerLimit is how long a node waits for another's findings.
const answerLimit = checkTimeout + 2*time.Second

// examiner asks the node that serves a bridge to check it.
type examiner struct {
	mu      sync.Mutex
	waiting map[string]chan examined // by question
	ended   bool                     // no question is answered any more
}

// asked is what a node wants to know of a bridge: how a site's channel is doing, or where
// the bot is.
type asked struct {
	Site   string
	Places bool
}

// examined is what another node has found.
type examined struct {
	findings []chat.Finding
	places   []chat.Place
	refusal  string
}

// listen answers other nodes' questions until ctx ends, in goroutines of running.
func (s *Set) listen(ctx context.Context, running *sync.WaitGroup) {
	e := &s.elsewhere
	running.Go(func() {
		<-ctx.Done()
		e.mu.Lock()
		defer e.mu.Unlock()
		e.ended = true
	})
	s.engine.Nodes.Subscribe(noteCheck, nodes.Topic{Gone: func(string) {}, Receive: func(_ string, args []json.RawMessage) {
		var name, question string
		var what asked
		if len(args) < 2 || json.Unmarshal(args[0], &name) != nil || json.Unmarshal(args[1], &question) != nil {
			return
		}
		if len(args) > 2 && json.Unmarshal(args[2], &what) != nil {
			return
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		if r, err := s.runner(name); err == nil && r.serves() && !e.ended {
			running.Go(func() { r.answer(ctx, question, what) })
		}
	}})
	s.engine.Nodes.Subscribe(noteChecked, nodes.Topic{Gone: func(string) {}, Receive: func(_ string, args []json.RawMessage) {
		var question string
		var got examined
		if len(args) < 3 || json.Unmarshal(args[0], &question) != nil || json.Unmarshal(args[1], &got.findings) != nil ||
			json.Unmarshal(args[2], &got.refusal) != nil {
			return
		}
		if len(args) > 3 && json.Unmarshal(args[3], &got.places) != nil {
			return
		}
		e.answered(question, got)
	}})
}

// answer examines the bridge for another node.
func (r *runner) answer(ctx context.Context, question string, what asked) {
	var got examined
	var err error
	on := r.current()
	if placing, knows := on.common.(Placing); what.Places && knows {
		got.places, err = placing.Places(ctx)
	} else {
		got.findings, err = r.checkHere(ctx, what.Site)
	}
	if err != nil {
		got.refusal = err.Error()
	}
	r.set.engine.Nodes.Ring(noteChecked, question, got.findings, got.refusal, got.places)
}

func (e *examiner) answered(question string, got examined) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if waiting := e.waiting[question]; waiting != nil {
		waiting <- got // there is room for one answer
		delete(e.waiting, question)
	}
}

// checkElsewhere lets the node that serves the bridge check it.
func (r *runner) checkElsewhere(ctx context.Context, site string) ([]chat.Finding, error) {
	got, err := r.askElsewhere(ctx, asked{Site: site})
	return got.findings, err
}

// placesElsewhere asks the node that serves the bridge where its bot is.
func (r *runner) placesElsewhere(ctx context.Context) ([]chat.Place, error) {
	got, err := r.askElsewhere(ctx, asked{Places: true})
	return got.places, err
}

// askElsewhere asks the node that serves the bridge.
func (r *runner) askElsewhere(ctx context.Context, what asked) (got examined, err error) {
	e, question, answer := &r.set.elsewhere, chat.NewID(), make(chan examined, 1)
	e.mu.Lock()
	if e.waiting == nil {
		e.waiting = map[string]chan examined{}
	}
	e.waiting[question] = answer
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.waiting, question)
	}()
	r.set.engine.Nodes.Ring(noteCheck, r.kind.Name, question, what)
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	select {
	case got = <-answer:
		if got.refusal != "" {
			return got, chat.Errorf(chat.Conflict, "%s", got.refusal)
		}
		return got, nil
	case <-ctx.Done():
		return got, chat.Errorf(chat.Conflict, "The relay that serves the %s bridge does not answer; try again in a moment", r.kind.Card.Title)
	}
}

// stateElsewhere is the state of a bridge that this node does not serve.
func (r *runner) stateElsewhere(ctx context.Context, st chat.BridgeState) (chat.BridgeState, error) {
	var there chat.BridgeState
	known, err := r.set.engine.Nodes.Described(ctx, r.kind.Name, &there)
	if err != nil || !known {
		st.State = "starting" // there, or soon here
		return st, err
	}
	st.State, st.Receive, st.LastError, st.Fix, st.Details, st.Sites = there.State, there.Receive, there.LastError, there.Fix, there.Details, there.Sites
	return st, nil
}

// serves reports whether this node serves the bridge.
func (r *runner) serves() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.serving
}

// isElsewhere reports whether another node serves the bridge, or soon this one.
func (r *runner) isElsewhere() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.channels.common != nil && !r.serving && r.set.engine.Nodes.Name() != ""
}
