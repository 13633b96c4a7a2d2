package engine

import (
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// ai returns the AI as it receives the change's events, nil when there is none.
func (c *change) ai() *chat.Target {
	i := slices.IndexFunc(c.targets, func(t chat.Target) bool { return t.Kind == chat.TargetAI })
	if i < 0 {
		return nil
	}
	return &c.targets[i]
}

// touchAI notes for the AI that somebody wrote. An operator's answer ends it; one
// that has been switched off since does not stay active. What a backend's own AI
// does is the backend's.
func (c *change) touchAI(sender chat.Sender) error {
	t, s := c.ai(), c.session
	switch {
	case t == nil && (c.backend || !s.AIActive):
		return nil
	case sender == chat.SenderOperator && (t == nil || !t.Drafts) && !s.AIEnded:
		return c.endAI(chat.AIEndOperator)
	case sender == chat.SenderVisitor && s.AIActive && (t == nil || t.Drafts):
		s.AIActive = false
		return c.emitTakeover(false, chat.AIEndOff)
	}
	return nil
}

// endAI ends the AI in the session until an operator lets it answer again.
func (c *change) endAI(reason string) error {
	s := c.session
	active := s.AIActive
	s.AIActive, s.AIEnded = false, true
	if err := c.settleAI(s.Rev); err != nil || !active {
		return err
	}
	return c.emitTakeover(false, reason)
}

func (c *change) emitTakeover(active bool, reason string) error {
	return c.emitFact(chat.EventAITakeover, chat.Takeover{Active: active, Reason: reason, At: c.at})
}

// settleAI takes back what waits for the AI of messages up to a revision, which
// somebody has answered. The later ones do not wait for operators any more.
func (c *change) settleAI(seen int64) error {
	return c.step(func() error { return c.settleLane(seen) })
}

func (c *change) settleLane(seen int64) error {
	lane, err := c.Lane(chat.AISink, c.session.ID, 0)
	for i := range lane {
		if err != nil {
			return err
		}
		d := &lane[i]
		soon := c.at.Add(chat.AIGather)
		switch {
		case d.Rev <= seen:
			d.State = chat.DeliveryDone
		case d.NextAt > soon:
			d.NextAt = soon
			c.wakes = append(c.wakes, nodes.Wake{Dest: chat.AISink, SessionID: c.session.ID, Due: soon})
		default:
			continue
		}
		err = c.SaveDelivery(d)
	}
	return err
}
