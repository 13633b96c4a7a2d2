package bridges

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges/ai/act"
	"github.com/relay-chat/relay/server/chat"
)

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
	const lookLife = time.Minute // much longer than a request may take
	now := chat.Now()
	return a.store.ExpireActs(ctx, now.Add(-chat.ActLife), now.Add(-lookLife))
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
		return a.settled(ctx, d, request.To)
	case errors.Is(err, chat.ErrActNotFound) || err == nil && d.CreatedAt < one.AskedAt: // it was said before
		return "", nil
	case err != nil:
		return "", err
	case !named:
		said, err := a.settled(ctx, d, request.To)
		return said + " “" + one.Name + "” does.", err
	case late:
		return "relay got this too late, and has done nothing. !yes does it.", nil
	case request.Program:
		return "A person has to say this, and no program with a key.", nil
	}
	return a.decided(ctx, d, &one, request)
}

// settled says why what a person names does not wait: somebody else was first, or there is no such act.
func (a *Actions) settled(ctx context.Context, d *chat.Delivery, named string) (string, error) {
	one, err := a.store.Act(ctx, named)
	switch {
	case errors.Is(err, chat.ErrActNotFound) || err == nil && one.SessionID != d.SessionID:
		return "“" + named + "” does not wait here for a yes.", nil
	case err != nil:
		return "", err
	}
	return "“" + one.Name + "” " + one.Over() + ".", nil
}

// decided claims what waits, and does it if a person said yes.
func (a *Actions) decided(ctx context.Context, d *chat.Delivery, one *chat.Act, request *chat.AIRequest) (string, error) {
	one.State, one.Claim, one.By, one.At = chat.ActRunning, d.ID(), request.By, chat.Now()
	var entry chat.AuditEntry
	if request.Kind == chat.AINo {
		one.State = chat.ActDeclined
		entry = a.entry(one, request)
	}
	if turned, err := a.store.TurnAct(ctx, one, chat.ActWaiting, "", entry); err != nil || !turned {
		return "", err
	}
	if request.Kind == chat.AINo {
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
	same := false
	if err == nil {
		same, err = a.same(ctx, &session, one, &t.Action)
	}
	switch {
	case err != nil:
		return t, nil, err
	case !same:
		return t, nil, &act.Failure{Problem: "somebody else is in the conversation now", Known: true, Refused: true}
	}
	args, err = t.Arguments(one.Arguments, one.Person)
	return t, args, err
}

// maxReason is how much is kept of what a server answered to a change, in characters.
const maxReason = 1000

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
	turned, err := a.store.TurnAct(ctx, one, chat.ActRunning, claim, a.entry(one, request))
	if err != nil || !turned {
		return "", err
	}
	return told(one), nil
}

// entry is what the audit list says of what came of a person's yes or no.
func (a *Actions) entry(one *chat.Act, request *chat.AIRequest) chat.AuditEntry {
	entry := chat.AuditEntry{Action: chat.AuditAIAct, Target: one.ID, Detail: one.Name + ": " + one.State}
	if sites := a.engine.Sites(); sites.Several() {
		entry.Site = chat.SiteName(one.Site)
	}
	return chat.AuditBy(chat.Author{Sender: chat.SenderOperator, Name: request.By, Person: request.Person}, entry)
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
