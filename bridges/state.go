package bridges

import (
	"cmp"
	"context"
	"errors"

	"relay/server/chat"
)

// Receiving is what a bridge may tell of its reception: how updates come in
// (polling, webhook, gateway or socket) and what keeps them away, or is wrong
// otherwise, nil for nothing. A bridge that goes on trying by itself is not seen to fail
// otherwise.
type Receiving interface {
	Receiving() (way string, problem error)
}

// Watching is a bridge that looks by itself, until ctx ends, at what no update
// and no refusal tells in time. It says by [Receiving] what it finds.
type Watching interface {
	Watch(ctx context.Context)
}

// state returns the state of the slot's bridge.
func (s *slot) state(settings *chat.Settings) chat.BridgeState {
	st := chat.BridgeState{Name: s.kind.Name, State: "off", Receive: "none", Missing: s.kind.missing(settings)}
	if len(st.Missing) > 0 {
		halfSetUp(&st, len(s.kind.Needs))
		return st
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st.State = "running"
	err := s.broken
	if s.bridge == nil && err == nil {
		st.State = "starting"
		return st
	}
	if s.bridge != nil {
		st.Receive, err = s.received()
		err = cmp.Or(s.mirror.Trouble(), err)
		if r, tells := s.bridge.(Receiving); tells {
			way, problem := r.Receiving()
			decide(&st, way, s.kind.Live)
			if human := (*chat.Misconfigured)(nil); errors.As(problem, &human) { // says more than a refusal
				err = problem
			}
			err = cmp.Or(err, problem)
		}
	}
	blame(&st, s.kind.Title, err)
	if lost := s.set.engine.Inbox.GivenUp(st.Name); lost != nil && st.LastError == "" {
		st.LastError, st.Details = "Something that operators did could not be handled and was given up", lost.Error()
		st.Fix = "if it was an answer, write it again; the log tells more"
	}
	return st
}

// decide notes the way that a bridge tells, "" before it knows: it asks the
// platform first.
func decide(st *chat.BridgeState, way, live string) {
	switch {
	case way != "":
		st.Receive = way
	case st.Receive == live:
		st.State, st.Receive = "starting", "none"
	}
}

// halfSetUp says what a bridge lacks of which something is set, but not all that
// it needs.
func halfSetUp(st *chat.BridgeState, needs int) {
	if len(st.Missing) < needs {
		lack := missingFindings(st.Missing)[0]
		st.LastError, st.Fix = lack.Text, lack.Fix
	}
}

// blame says what is wrong, and whether a human has to do something.
func blame(st *chat.BridgeState, platform string, err error) {
	if err == nil {
		return
	}
	st.State = "failing"
	if human := (*chat.Misconfigured)(nil); errors.As(err, &human) {
		st.State = "misconfigured"
	}
	e := chat.Explain(platform, err)
	st.LastError, st.Fix, st.Details = e.Problem, e.Fix, e.Details
}

// check looks at the bridge that runs, or says why none does. One that ailed is
// started anew.
func (s *slot) check(ctx context.Context, settings *chat.Settings) ([]chat.Finding, error) {
	if missing := s.kind.missing(settings); len(missing) > 0 {
		return nil, chat.Errorf(chat.Conflict, "The %s bridge is not set up: %s is missing", s.kind.Title, missing[0])
	}
	s.mu.Lock()
	b, broken, ails := s.bridge, s.broken, s.ails()
	s.mu.Unlock()
	switch {
	case broken != nil:
		return []chat.Finding{chat.Unwell("settings", s.kind.Title, broken)}, nil
	case b == nil:
		return nil, chat.Errorf(chat.Conflict, "The %s bridge is just starting; try again in a moment", s.kind.Title)
	}
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	found := b.Check(ctx)
	s.mu.Lock()
	ails = ails || s.ails()
	s.mu.Unlock()
	s.hurry(ails && !chat.Failed(found))
	return found, nil
}
