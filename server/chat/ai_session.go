package chat

import "slices"

// ai returns the AI as it receives the change's events, nil when there is none.
func (c *change) ai() *Target {
	i := slices.IndexFunc(c.targets, func(t Target) bool { return t.Kind == TargetAI })
	if i < 0 {
		return nil
	}
	return &c.targets[i]
}

// touchAI notes for the AI that somebody wrote. An operator's answer ends it; one
// that has been switched off since does not stay active. What a backend's own AI
// does is the backend's.
func (c *change) touchAI(sender Sender) error {
	t, s := c.ai(), c.session
	switch {
	case t == nil && (c.backend || !s.AIActive):
		return nil
	case sender == SenderOperator && (t == nil || !t.Drafts) && !s.AIEnded:
		return c.endAI(AIEndOperator)
	case sender == SenderVisitor && s.AIActive && (t == nil || t.Drafts):
		s.AIActive = false
		return c.emitTakeover(false, AIEndOff)
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
	return c.emitFact(EventAITakeover, Takeover{Active: active, Reason: reason, At: c.at})
}

// settleAI takes back what waits for the AI of messages up to a revision, which
// somebody has answered. The later ones do not wait for operators any more.
func (c *change) settleAI(seen int64) error {
	return c.step(func() error { return c.settleLane(seen) })
}

func (c *change) settleLane(seen int64) error {
	lane, err := c.Lane(AISink, c.session.ID, 0)
	for i := range lane {
		if err != nil {
			return err
		}
		d := &lane[i]
		soon := c.at.Add(AIGather)
		switch {
		case d.Rev <= seen:
			d.State = DeliveryDone
		case d.NextAt > soon:
			d.NextAt = soon
			c.wakes = append(c.wakes, Wake{Dest: AISink, SessionID: c.session.ID, Due: soon})
		default:
			continue
		}
		err = c.SaveDelivery(d)
	}
	return err
}
