package bridges

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges/ai"
	"github.com/relay-chat/relay/bridges/ai/act"
	"github.com/relay-chat/relay/bridges/guard"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// ActionStore keeps actions and what was done by them. Package db has the only implementation.
type ActionStore interface {
	Actions(ctx context.Context) ([]chat.Action, error)
	PutAction(ctx context.Context, a *chat.Action) error
	DropAction(ctx context.Context, id string) error
	BeginAct(ctx context.Context, a *chat.Act, since chat.Time, most, mostHere int) (begun bool, err error)
	TurnAct(ctx context.Context, a *chat.Act, from, claim string) (turned bool, err error)
	ExpireActs(ctx context.Context, before chat.Time) error
	Act(ctx context.Context, id string) (chat.Act, error)
	ActAsked(ctx context.Context, delivery string) (chat.Act, error)
	ActWaiting(ctx context.Context, sessionID string) (chat.Act, error)
	ActClaimed(ctx context.Context, sessionID, delivery string) (chat.Act, error)
	Acts(ctx context.Context, sessionID string, n int) ([]chat.Act, error)
}

// Actions are requests that owners of sites have declared, and that the AI may ask for.
type Actions struct {
	engine  *engine.Engine
	store   ActionStore
	audit   Audit
	client  *act.Client
	allowed []netip.Prefix
}

var _ ai.Acts = (*Actions)(nil)

// NewActions makes the actions of a relay. allowed are the private networks that they may reach.
func NewActions(engine *engine.Engine, store ActionStore, audit Audit, allowed []netip.Prefix) *Actions {
	return &Actions{engine, store, audit, act.NewClient(guard.NewTransport(allowed)), allowed}
}

// List returns the actions of sites, oldest first.
func (a *Actions) List(ctx context.Context, sites chat.SiteSet) ([]chat.Action, error) {
	list, err := a.store.Actions(ctx)
	return slices.DeleteFunc(list, func(one chat.Action) bool { return !sites.Has(one.Site) }), err
}

// Put checks and stores an action.
func (a *Actions) Put(ctx context.Context, one *chat.Action) error {
	if err := one.Check(); err != nil {
		return err
	}
	if _, err := act.Prepare(one); err != nil {
		return err
	}
	bare := one.PathWith(func(string) string { return "x" })
	if _, refused := refuseAddress("url", bare, a.allowed, "add ADDRESS to WEBHOOK_ALLOW_CIDRS and restart relay"); refused != nil {
		return refused
	}
	one.ChangedAt = max(chat.Now(), one.ChangedAt+1) // what waits is no more the same
	return a.store.PutAction(ctx, one)
}

// Drop forgets an action.
func (a *Actions) Drop(ctx context.Context, id string) error { return a.store.DropAction(ctx, id) }

// Try makes the request of an action that only reads, as for a visitor of a verified id, and returns
// it with the answer. Of one that changes something it returns the request alone.
func (a *Actions) Try(ctx context.Context, one *chat.Action, given, person string) (out chat.ActionTrial, err error) {
	t, err := act.Prepare(one)
	if err != nil {
		return out, err
	}
	args, err := t.Arguments(given, person)
	if err != nil {
		return out, chat.ErrorAt(chat.Invalid, "arguments", "arguments: "+err.Error())
	}
	request, err := t.Request(args)
	if err != nil {
		return out, chat.ErrorAt(chat.Invalid, "arguments", "arguments: "+err.Error())
	}
	out.Shown = request.Show()
	if t.Changes {
		return out, nil
	}
	out.Made = true
	begun := time.Now()
	text, err := a.client.Do(ctx, t, args, chat.NewID(), person)
	out.DurationMs = time.Since(begun).Milliseconds()
	var failed *act.Failure
	if errors.As(err, &failed) {
		out.Error = failed.Problem
		return out, nil
	}
	out.Answer = text
	return out, err
}

// Acts returns the newest acts at sites, or those of a session.
func (a *Actions) Acts(ctx context.Context, sites chat.SiteSet, sessionID string) ([]chat.Act, error) {
	const newest = 100
	if err := a.expire(ctx); err != nil {
		return nil, err
	}
	list, err := a.store.Acts(ctx, sessionID, newest)
	return slices.DeleteFunc(list, func(one chat.Act) bool { return !sites.Has(one.Site) }), err
}

// Act finds an act.
func (a *Actions) Act(ctx context.Context, id string) (chat.Act, error) { return a.store.Act(ctx, id) }

func (a *Actions) expire(ctx context.Context) error {
	return a.store.ExpireActs(ctx, chat.Now().Add(-chat.ActLife))
}

// Offered implements [ai.Acts].
func (a *Actions) Offered(ctx context.Context, session *chat.Session) (tools []*act.Tool, err error) {
	if a.engine.Settings().Number("aiActionsPerDay") == 0 {
		return nil, nil
	}
	list, err := a.store.Actions(ctx)
	for i := range list {
		one := &list[i]
		if one.Site != session.Site || !one.Works() || one.Verified && personOf(session) == "" {
			continue
		}
		if t, err := act.Prepare(one); err == nil { // it was checked when it was stored
			tools = append(tools, t)
		}
	}
	return tools, err
}

// personOf is the id that is proven of a session's visitor, "" without one.
func personOf(session *chat.Session) string {
	if !session.Verified {
		return ""
	}
	return session.Person
}

// maxReason is how much is kept of what a server answered to a change, in characters.
const maxReason = 1000

// mostHere is how many acts a conversation may have in a day.
const mostHere = 20

// begin checks what a model gave and stores the act, before anything is done.
func (a *Actions) begin(ctx context.Context, session *chat.Session, t *act.Tool, delivery, given, state string) (one chat.Act, args map[string]any, err error) {
	person := personOf(session)
	if args, err = t.Arguments(given, person); err != nil {
		return one, nil, &act.Failure{Problem: err.Error(), Known: true}
	}
	request, err := t.Request(args)
	if err != nil {
		return one, nil, &act.Failure{Problem: err.Error(), Known: true}
	}
	if err := a.expire(ctx); err != nil {
		return one, nil, err
	}
	now := chat.Now()
	one = chat.Act{ID: chat.NewID(), SessionID: session.ID, ActionID: t.ID, Name: t.Name, Shown: request.Show(), Arguments: given, Person: person,
		Changes: t.Changes, State: state, Asked: delivery, AskedAt: now, ActionAt: t.ChangedAt}
	most := a.engine.Settings().Number("aiActionsPerDay")
	begun, err := a.store.BeginAct(ctx, &one, now.Add(-24*time.Hour), int(most), mostHere)
	if err == nil && !begun {
		err = &act.Failure{Problem: "there were too many within a day, or another one waits for a yes here", Known: true}
	}
	return one, args, err
}

// Look implements [ai.Acts].
func (a *Actions) Look(ctx context.Context, session *chat.Session, t *act.Tool, delivery, given string) (shown, text string, err error) {
	one, args, err := a.begin(ctx, session, t, delivery, given, chat.ActRunning)
	if err != nil {
		return "", "", err
	}
	text, err = a.client.Do(ctx, t, args, one.ID, one.Person)
	if ctx.Err() != nil {
		return "", "", ctx.Err()
	}
	var failed *act.Failure
	one.State, one.At = chat.ActDone, chat.Now()
	if errors.As(err, &failed) {
		one.State, one.Reason = chat.ActFailed, failed.Problem
	}
	_, turnErr := a.store.TurnAct(ctx, &one, chat.ActRunning, "")
	return one.Shown, text, cmp.Or(err, turnErr)
}

// Propose implements [ai.Acts].
func (a *Actions) Propose(ctx context.Context, session *chat.Session, t *act.Tool, delivery, given string) error {
	_, _, err := a.begin(ctx, session, t, delivery, given, chat.ActWaiting)
	return err
}

// Proposed implements [ai.Acts].
func (a *Actions) Proposed(ctx context.Context, delivery string) (chat.Act, error) {
	return a.store.ActAsked(ctx, delivery)
}

// Waits implements [ai.Acts].
func (a *Actions) Waits(ctx context.Context, sessionID string) (bool, error) {
	if err := a.expire(ctx); err != nil {
		return false, err
	}
	_, err := a.store.ActWaiting(ctx, sessionID)
	if errors.Is(err, chat.ErrActNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Decide implements [ai.Acts]. The act is claimed by the delivery before its request is made: whatever
// crashes, no other delivery makes it, and this one does not make it again.
func (a *Actions) Decide(ctx context.Context, d *chat.Delivery, request *chat.AIRequest, late bool) (said string, err error) {
	one, err := a.store.ActClaimed(ctx, d.SessionID, d.ID())
	switch {
	case err == nil && one.State == chat.ActRunning:
		return a.interrupted(ctx, &one, request)
	case err == nil:
		return told(&one), nil
	case !errors.Is(err, chat.ErrActNotFound):
		return "", err
	}
	if err := a.expire(ctx); err != nil {
		return "", err
	}
	one, err = a.store.ActWaiting(ctx, d.SessionID)
	named := request.To == "" || request.To == one.ID || strings.EqualFold(request.To, one.Name)
	switch {
	case errors.Is(err, chat.ErrActNotFound) && request.To != "":
		return "“" + request.To + "” does not wait here for a yes.", nil
	case errors.Is(err, chat.ErrActNotFound) || err == nil && d.CreatedAt < one.AskedAt: // it was said before
		return "", nil
	case err != nil:
		return "", err
	case !named:
		return "“" + request.To + "” does not wait here for a yes; “" + one.Name + "” does.", nil
	case late:
		return "relay got this too late, and has done nothing. !yes does it.", nil
	case request.Program:
		return "A person has to say this, and no program with a key.", nil
	}
	return a.decided(ctx, d, &one, request)
}

// decided claims what waits, and does it if a person said yes.
func (a *Actions) decided(ctx context.Context, d *chat.Delivery, one *chat.Act, request *chat.AIRequest) (string, error) {
	one.State, one.Claim, one.By, one.At = chat.ActRunning, d.ID(), request.By, chat.Now()
	if request.Kind == chat.AINo {
		one.State = chat.ActDeclined
	}
	if turned, err := a.store.TurnAct(ctx, one, chat.ActWaiting, ""); err != nil || !turned {
		return "", err
	}
	if request.Kind == chat.AINo {
		a.record(ctx, one, request)
		return told(one), nil
	}
	return a.perform(ctx, one, request)
}

// interrupted is what becomes of an act whose request was about to be made when relay stopped.
func (a *Actions) interrupted(ctx context.Context, one *chat.Act, request *chat.AIRequest) (string, error) {
	if t, _, err := a.ready(ctx, one); err == nil && t.Repeats {
		return a.perform(ctx, one, request)
	}
	one.State, one.Reason = chat.ActUnknown, "relay stopped while it was being done"
	return a.settle(ctx, one, request)
}

// ready returns the action of an act with its arguments, as long as all is as people saw it.
func (a *Actions) ready(ctx context.Context, one *chat.Act) (t *act.Tool, args map[string]any, err error) {
	list, err := a.store.Actions(ctx)
	if err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(list, func(action chat.Action) bool { return action.ID == one.ActionID })
	if at < 0 || !list[at].Works() || list[at].ChangedAt != one.ActionAt {
		return nil, nil, &act.Failure{Problem: "the action was changed since", Known: true, Refused: true}
	}
	if t, err = act.Prepare(&list[at]); err != nil {
		return nil, nil, err
	}
	var session chat.Session
	err = a.engine.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		session, err = rd.Session(one.SessionID)
		return err
	})
	if err == nil && t.Verified && personOf(&session) != one.Person {
		err = &act.Failure{Problem: "somebody else is in the conversation now", Known: true, Refused: true}
	}
	if err == nil {
		args, err = t.Arguments(one.Arguments, one.Person)
	}
	return t, args, err
}

// perform makes the request of an act that this delivery has claimed.
func (a *Actions) perform(ctx context.Context, one *chat.Act, request *chat.AIRequest) (string, error) {
	t, args, err := a.ready(ctx, one)
	var answer string
	if err == nil {
		answer, err = a.client.Do(ctx, t, args, one.ID, one.Person)
	}
	var failed *act.Failure
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err() // nobody knows; the next try says so
	case err == nil:
		one.State, one.Reason = chat.ActDone, chat.Clip(answer, maxReason)
	case !errors.As(err, &failed):
		return "", err
	case failed.Refused:
		one.State, one.Reason = chat.ActFailed, failed.Problem
	case failed.Known || t.Repeats:
		one.State, one.Reason = chat.ActWaiting, failed.Problem
	default:
		one.State, one.Reason = chat.ActUnknown, failed.Problem
	}
	return a.settle(ctx, one, request)
}

// settle stores what came of an act.
func (a *Actions) settle(ctx context.Context, one *chat.Act, request *chat.AIRequest) (string, error) {
	claim := one.Claim
	if one.At = chat.Now(); one.State == chat.ActWaiting { // another yes may claim it
		one.Claim, one.By = "", ""
	}
	turned, err := a.store.TurnAct(ctx, one, chat.ActRunning, claim)
	if err != nil || !turned {
		return "", err
	}
	a.record(ctx, one, request)
	return told(one), nil
}

// record adds to the audit list what came of a person's yes or no.
func (a *Actions) record(ctx context.Context, one *chat.Act, request *chat.AIRequest) {
	entry := chat.AuditEntry{Action: chat.AuditAIAct, Target: one.ID, Detail: one.Name + ": " + one.State}
	if sites := a.engine.Sites(); sites.Several() {
		entry.Site = chat.SiteName(one.Site)
	}
	a.audit.Add(ctx, chat.Author{Sender: chat.SenderOperator, Name: request.By, Person: request.Person}, entry)
}

// told says what became of an act.
func told(one *chat.Act) string {
	what := one.Name + ": " + one.Shown
	switch one.State {
	case chat.ActDone:
		return strings.TrimSpace("Done. " + what + "\n" + one.Reason)
	case chat.ActDeclined:
		return "Nothing was done. " + what
	case chat.ActWaiting:
		return "Not done: " + one.Reason + ". !yes tries again. " + what
	case chat.ActUnknown:
		return "relay does not know whether this was done: " + one.Reason + ". Please look there; relay does not repeat it. " + what
	}
	return "Not done: " + one.Reason + ". " + what
}
