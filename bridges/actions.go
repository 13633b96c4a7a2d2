package bridges

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"slices"
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
	TurnAct(ctx context.Context, a *chat.Act, from, claim string, entry chat.AuditEntry) (turned bool, err error)
	ExpireActs(ctx context.Context, asked, begun chat.Time) error
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
	client  *act.Client
	allowed []netip.Prefix
	reader  []string
	mail    CodeMail // nil: no codes are sent
	keys    engine.MailKeys
}

var _ ai.Acts = (*Actions)(nil)

// NewActions makes the actions of a relay. allowed are the private networks that they may reach, reader is
// the command that reads an OpenAPI document.
func NewActions(engine *engine.Engine, store ActionStore, allowed []netip.Prefix, reader []string) *Actions {
	return &Actions{engine: engine, store: store, client: act.NewClient(guard.NewTransport(allowed)), allowed: allowed, reader: reader}
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
	if err := a.refuse(one.PathWith(func(string) string { return "x" })); err != nil {
		return err
	}
	one.ChangedAt = max(chat.Now(), one.ChangedAt+1) // what waits is no more the same
	return a.store.PutAction(ctx, one)
}

// refuse reports why actions may not reach an address.
func (a *Actions) refuse(address string) error {
	if _, refused := refuseAddress("url", address, a.allowed, "add ADDRESS to WEBHOOK_ALLOW_CIDRS and restart relay"); refused != nil {
		return refused
	}
	return nil
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

// Offered implements [ai.Acts].
func (a *Actions) Offered(ctx context.Context, session *chat.Session) (tools []*act.Tool, err error) {
	if a.engine.Settings().Number("aiActionsPerDay") == 0 {
		return nil, nil
	}
	list, err := a.store.Actions(ctx)
	for i := range list {
		one := &list[i]
		if one.Site != session.Site || !one.Works() || !a.mayConcern(session, one) {
			continue
		}
		if t, err := act.Prepare(one); err == nil { // it was checked when it was stored
			tools = append(tools, t)
		}
	}
	return tools, err
}

// mayConcern reports whether it is known who a session's visitor is, as far as an action needs that, or
// can be proved.
func (a *Actions) mayConcern(session *chat.Session, one *chat.Action) bool {
	if one.ByEmail {
		return a.mail != nil && a.mail.SendsAt(session.Site)
	}
	return !one.Verified || personOf(session) != ""
}

// personOf is the id that is proven of a session's visitor, "" without one.
func personOf(session *chat.Session) string {
	if !session.Verified {
		return ""
	}
	return session.Person
}

// mostHere is how many acts a conversation may have in a day.
const mostHere = 20

// begin checks what a model gave and stores the act, before anything is done.
func (a *Actions) begin(ctx context.Context, session *chat.Session, t *act.Tool, delivery, given, state string) (one chat.Act, args map[string]any, err error) {
	person, err := a.personFor(ctx, session, &t.Action)
	if err != nil {
		return one, nil, err
	}
	if args, err = t.Arguments(given, person); err != nil {
		return one, nil, &act.Failure{Problem: err.Error(), Known: true}
	}
	request, err := t.Request(args)
	if err != nil {
		return one, nil, &act.Failure{Problem: err.Error(), Known: true}
	}
	if t.Changes && !request.Whole() {
		return one, nil, &act.Failure{Problem: "it is too long to be shown as a whole to the person who says yes", Known: true}
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
	_, turnErr := a.store.TurnAct(ctx, &one, chat.ActRunning, "", chat.AuditEntry{})
	return one.Shown, text, cmp.Or(err, turnErr)
}

// Propose implements [ai.Acts].
func (a *Actions) Propose(ctx context.Context, session *chat.Session, t *act.Tool, delivery, given string) error {
	_, _, err := a.begin(ctx, session, t, delivery, given, chat.ActWaiting)
	return err
}
