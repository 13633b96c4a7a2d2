package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// dueStep is the payload of [chat.EventStepDue].
type dueStep struct {
	Since chat.Time `json:"since"` // the session waits since then
	Step  int       `json:"step"`  // of the rule
}

// planUnanswered begins the rule for who is not answered when a wait begins, with the step
// that is due next.
func (c *change) planUnanswered(before chat.Time) error {
	s := c.session
	if s.WaitingSince == before {
		return nil
	}
	s.UnansweredRev = 0
	if s.WaitingSince == 0 || c.backend {
		return nil
	}
	return c.planStep(0)
}

// planStep stores which step is next. A rule that was changed meanwhile may have no such step.
func (c *change) planStep(step int) error {
	s := c.session
	s.UnansweredRev = 0
	steps := c.settings.Unanswered()
	if step >= len(steps) {
		return nil
	}
	e := chat.NewEvent(chat.EventStepDue, chat.SourceRelay, c.at, s.ID, dueStep{s.WaitingSince, step})
	e.Wait = min(max(s.WaitingSince.Add(steps[step].Wait()).Sub(c.at), 0), chat.LongestWait) // then it waits on
	if err := c.emit(e); err != nil {
		return err
	}
	s.UnansweredRev = s.Rev
	return nil
}

// unansweredSteps is the sink of the steps, each delivered when it is due.
type unansweredSteps struct{ relay *Relay }

// Unanswered returns the sink of the steps of the rule for who is not answered.
func (r *Relay) Unanswered() chat.Sink { return unansweredSteps{r} }

func (unansweredSteps) Name() string { return chat.UnansweredSink }

func (unansweredSteps) Policy() chat.Policy {
	return chat.Policy{Parallel: 4, Batch: 1, Timeout: time.Minute, Attempts: 10, MaxAge: 30 * 24 * time.Hour,
		Backoff: chat.Backoff(time.Second, time.Minute)}
}

// Deliver takes a step, unless the visitor was answered meanwhile. The session knows which
// event it waits for, so that each step is taken once.
func (u unansweredSteps) Deliver(ctx context.Context, lane []chat.Delivery) (int, error) {
	e := lane[0].Event
	var due dueStep
	if err := json.Unmarshal(e.Payload, &due); err != nil {
		return 0, err
	}
	err := u.relay.change(ctx, chat.Author{Source: chat.SourceRelay}, e.SessionID, func(c *change) error {
		if s := c.session; s.UnansweredRev != e.Rev || s.WaitingSince != due.Since {
			return nil
		}
		if s := c.session; s.Status != chat.StatusOpen || s.Blocked {
			s.UnansweredRev = 0
			return nil
		}
		return u.take(c, due.Step)
	})
	if err != nil && !errors.Is(err, chat.ErrSessionNotFound) { // erased meanwhile
		return 0, err
	}
	return 1, nil
}

// take takes a step and plans the next one, or returns how long it has to wait.
func (u unansweredSteps) take(c *change, number int) error {
	s, steps := c.session, c.settings.Unanswered()
	if number >= len(steps) {
		s.UnansweredRev = 0
		return nil
	}
	step := &steps[number]
	if left := u.due(s, step).Sub(c.at); left > 0 {
		return &chat.RetryAfter{After: left, Scope: chat.ScopeLane, Cause: errNotDue}
	}
	if err := c.takeStep(step); err != nil {
		return err
	}
	return c.planStep(number + 1)
}

// takeStep does what a step says. Without a mail server, who should get an e-mail is named to
// the others; they are notified as well where the AI cannot answer.
func (c *change) takeStep(step *chat.UnansweredStep) error {
	since := c.session.WaitingSince
	switch {
	case step.Do == chat.StepTell:
		return c.say(step.Text)
	case step.Do == chat.StepAI && c.letStepIn():
		if err := c.settleAI(c.session.Rev); err != nil {
			return err
		}
		return c.emitFact(chat.EventAIRequest, chat.AIRequest{Kind: chat.AIAnswerNow})
	case step.Do == chat.StepMail && c.settings.Mail().On():
		return c.emitFact(chat.EventTeamMail, chat.TeamMail{To: chat.CleanAddress(step.To), Since: since})
	}
	ring := chat.UnansweredSince(since, c.at)
	if step.Do == chat.StepMail {
		ring.Content += " An e-mail to " + step.To + " was not sent: e-mail is not set up."
	}
	return c.emitFact(chat.EventUnanswered, ring)
}

// letStepIn reports whether the AI can answer here. Where it rehearses that depends on the topic, and
// people are called.
func (c *change) letStepIn() bool {
	t := c.ai()
	return t != nil && !t.Drafts && !t.Rehearses && answerable(c.session)
}

var errNotDue = errors.New("the step is not due yet")

// due is when a step is taken: not during a snooze, and nobody of the team is disturbed outside
// the business hours, but by the e-mail that the step is for.
func (u unansweredSteps) due(s *chat.Session, step *chat.UnansweredStep) chat.Time {
	due := max(s.WaitingSince.Add(step.Wait()), s.SnoozedUntil)
	if there := u.relay.PresenceAt(s.Site); step.Do == chat.StepRing && !there.Online {
		due = max(due, there.BackAt)
	}
	return due
}

// say writes to the visitor for relay itself, which answers nothing.
func (c *change) say(text string) error {
	m := chat.Message{SessionID: c.session.ID, Content: text, Sender: chat.SenderOperator, Timestamp: c.at, OperatorName: c.settings.Text("operatorName"),
		SourceBridge: chat.SourceRelay, Attachments: chat.Of(chat.Attachments{})}
	return c.add(&m, chat.NewID(), nil)
}
