package bridges

import (
	"context"
	"errors"

	"github.com/relay-chat/relay/server/chat"
)

// Receiving is a bridge that reports its reception: how updates are received
// (polling, webhook, gateway or socket) and its problem, nil for none. Failures
// of a bridge that retries by itself are seen only by this.
type Receiving interface {
	Receiving() (way string, problem error)
}

// Watching is a bridge that checks by itself, until ctx ends, for problems that no
// update or error shows in time. It reports them by [Receiving].
type Watching interface {
	Watch(ctx context.Context)
}

// stateAnywhere returns the state of the bridge at the node that serves it.
func (r *runner) stateAnywhere(ctx context.Context, sites *chat.Sites) (chat.BridgeState, error) {
	st := r.state(sites)
	if st.State != "off" && r.isElsewhere() {
		return r.stateElsewhere(ctx, st)
	}
	return st, nil
}

// state returns the state of the runner's bridge at this node.
func (r *runner) state(sites *chat.Sites) chat.BridgeState {
	st := chat.BridgeState{Name: r.kind.Name, State: "off", Receive: "none", Missing: r.kind.Missing(sites.Common())}
	if !connected(&r.kind, sites) {
		halfSetUp(&st, sites.Common(), len(r.kind.Needs))
		return st
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	st.State = "running"
	err := r.startErr
	if r.channels.common == nil && err == nil {
		st.State = "starting"
		return st
	}
	if r.channels.common != nil {
		st.Sites = r.siteStates()
		st.Receive, err = r.received()
		if receiving, ok := r.channels.common.(Receiving); ok {
			way, _ := receiving.Receiving()
			setReceive(&st, way, r.kind.Live)
		}
		err = r.problemAt(r.channels.common, err)
	}
	setError(&st, r.kind.Card.Title, err)
	if lost := r.set.engine.Inbox.GivenUp(st.Name); lost != nil && st.LastError == "" {
		st.LastError, st.Details = "An operator's action could not be handled and was given up", lost.Error()
		st.Fix = "if it was an answer, write it again; the log has the details"
	}
	return st
}

// setReceive stores how a bridge receives. way is "" while the bridge asks the
// platform: it is starting then.
func setReceive(st *chat.BridgeState, way, live string) {
	switch {
	case way != "":
		st.Receive = way
	case st.Receive == live:
		st.State, st.Receive = "starting", "none"
	}
}

// halfSetUp reports the missing settings of a bridge that has some of them.
func halfSetUp(st *chat.BridgeState, settings *chat.Settings, needs int) {
	if len(st.Missing) < needs {
		lack := missingFindings(settings, st.Missing)[0]
		st.LastError, st.Fix = lack.Text, lack.Fix
	}
}

// setError stores what is wrong, and whether an operator has to act.
func setError(st *chat.BridgeState, platform string, err error) {
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

// check checks the bridge at the node that serves it. While no other one is known, this
// one checks it.
func (r *runner) check(ctx context.Context, site string) ([]chat.Finding, error) {
	if r.isElsewhere() && r.set.engine.Nodes.Shared() {
		return r.checkElsewhere(ctx, site)
	}
	return r.checkHere(ctx, site)
}

// checkHere checks the running bridge of a site, or returns why none runs. A bridge whose
// problem was fixed is restarted.
func (r *runner) checkHere(ctx context.Context, site string) ([]chat.Finding, error) {
	sites := r.set.engine.Sites()
	if missing := r.kind.Missing(sites.Common()); len(missing) > 0 && !connected(&r.kind, sites) {
		return nil, chat.Errorf(chat.Conflict, "The %s bridge is not set up: %s is missing", r.kind.Card.Title, missing[0])
	}
	r.mu.Lock()
	b, startErr, problem := r.channels.of(site), r.startErr, r.hasProblem()
	r.mu.Unlock()
	switch {
	case startErr != nil:
		return []chat.Finding{chat.CallFailed("settings", r.kind.Card.Title, startErr)}, nil
	case b == nil:
		return nil, chat.Errorf(chat.Conflict, "The %s bridge is just starting; try again in a moment", r.kind.Card.Title)
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	found := b.Check(ctx)
	r.mu.Lock()
	problem = problem || r.hasProblem()
	r.mu.Unlock()
	r.restartIfFailing(problem && !chat.Failed(found))
	return found, nil
}
