package bridges

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/ai"
	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/server/chat"
)

// failures are what failed within the last minute, which is left alone so long.
type failures struct {
	mu   sync.Mutex
	last map[string]chat.Time
}

// rests reports whether something failed within the last minute.
func (f *failures) rests(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, failed := f.last[id]
	return failed && chat.Now().Sub(at) < rehearsalPause
}

// put notes a failure.
func (f *failures) put(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := chat.Now()
	for other, at := range f.last {
		if now.Sub(at) >= rehearsalPause {
			delete(f.last, other)
		}
	}
	if f.last == nil {
		f.last = map[string]chat.Time{}
	}
	f.last[id] = now
}

// mostReported is how many errors of one round are reported, each for itself.
const mostReported = 3

// together are the errors of one round. The first ones are enough to see what is wrong.
func together(errs []error) error {
	if more := len(errs) - mostReported; more > 0 {
		errs = append(errs[:mostReported:mostReported], fmt.Errorf("and %d more like these", more))
	}
	return errors.Join(errs...)
}

// tell writes to operators what is not written yet. A note that is there already is not stored again.
// One that cannot be written holds up no other one, and is tried again in a minute.
func (t *Topics) tell(ctx context.Context) error {
	var errs []error
	for after := ""; ctx.Err() == nil; {
		notes, err := t.store.TopicNotes(ctx, after)
		if err != nil || len(notes) == 0 {
			return errors.Join(together(errs), err)
		}
		for _, n := range notes {
			if after = n.ClientID; t.failed.rests(n.ClientID) {
				continue
			}
			if err := t.tellOne(ctx, n); err != nil {
				t.failed.put(n.ClientID)
				errs = append(errs, err)
			}
		}
	}
	return ctx.Err()
}

// answersKept is how long it is looked whether something speaks against an answer.
const answersKept = 30 * 24 * time.Hour

// review looks whether something speaks against what the AI answered by itself. An answer at which that
// fails holds up no other one, and is looked at again in a minute.
func (t *Topics) review(ctx context.Context) error {
	changed, err := t.store.ChangedTopicAnswers(ctx, chat.TopicAnswer{})
	if err != nil || len(changed) == 0 {
		return err
	}
	topics, list, err := t.read(ctx)
	if err != nil {
		return err
	}
	known := topicsIn(list, false)
	var errs []error
	for len(changed) > 0 && ctx.Err() == nil {
		for i := range changed {
			a := &changed[i]
			if t.failed.rests(a.ClientID) {
				continue
			}
			if err := t.reviewOne(ctx, a, chat.TopicIn(topics, a.Topic), known); err != nil {
				t.failed.put(a.ClientID)
				errs = append(errs, err)
			}
		}
		if changed, err = t.store.ChangedTopicAnswers(ctx, changed[len(changed)-1]); err != nil {
			errs = append(errs, err)
		}
	}
	return together(errs)
}

// reviewOne looks at one answer. topic is that because of which it was given, nil if it is gone.
func (t *Topics) reviewOne(ctx context.Context, a *chat.TopicAnswer, topic *chat.Topic, known *knowledge.Topics) error {
	var session chat.Session
	var messages []chat.Message
	err := t.engine.Store.Read(ctx, func(rd chat.Reader) (err error) {
		if session, err = rd.Session(a.SessionID); err == nil {
			messages, err = rd.Messages(chat.MessageQuery{SessionID: a.SessionID, Public: true, Limit: 200})
		}
		return err
	})
	if errors.Is(err, chat.ErrSessionNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	same := func(question, before string) bool { return known.Of(session.Site, question, before) == a.Topic }
	why := ai.Objection(a, &session, messages, same)
	if why != "" && topic != nil && topic.State == chat.TopicAnswers && a.At > topic.FellAt {
		fallen := *topic
		if err := t.fall(ctx, &fallen, a.SessionID, why); err != nil {
			return fmt.Errorf("a topic cannot be given back to people: %w", err)
		}
		*topic = fallen
	}
	return t.store.SeenTopicAnswer(ctx, a.ClientID, session.Rev, chat.Now().Add(-answersKept))
}
