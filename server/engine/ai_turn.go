package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// aiMessages is how many messages of a session the AI sees.
const aiMessages = 20

// aiTurns is how the AI takes part in sessions, and how operators direct it.
type aiTurns struct{ *Relay }

// AITurn is what the AI knows of a session when it is its turn.
type AITurn struct {
	Session chat.Session
	// Messages are the newest ones, oldest first, without notes and what was
	// deleted; those that wait come last.
	Messages []chat.Message
	// Waiting are those that the visitor wrote and nobody answered.
	Waiting []chat.Message
	// Seen is the revision up to which the AI knows the session.
	Seen int64
}

// AITurn reads a session for the AI, to which a delivery of it came. What that
// brings was not known to the AI when it answered last.
func (r *aiTurns) AITurn(ctx context.Context, d *chat.Delivery) (t AITurn, err error) {
	var list []chat.Message
	answered := false
	err = r.store.Read(ctx, func(rd chat.Reader) (err error) {
		if t.Session, err = rd.Session(d.SessionID); err != nil {
			return err
		}
		if answered, err = repliedTo(rd, d); err != nil {
			return err
		}
		list, err = rd.Messages(chat.MessageQuery{SessionID: d.SessionID, Public: true, Limit: aiMessages})
		return err
	})
	t.Seen = t.Session.Rev
	list = slices.DeleteFunc(list, func(m chat.Message) bool { return m.DeletedAt != 0 })
	if !answered {
		t.Waiting = waiting(list, d.Rev)
	}
	isWaiting := func(m chat.Message) bool {
		return slices.ContainsFunc(t.Waiting, func(w chat.Message) bool { return w.ID == m.ID })
	}
	t.Messages = append(slices.DeleteFunc(list, isWaiting), t.Waiting...)
	return t, err
}

// repliedTo reports whether a reply to a delivery is stored.
func repliedTo(rd chat.ConversationReader, d *chat.Delivery) (bool, error) {
	_, err := rd.MessageByClientID(d.SessionID, chat.SenderAI, d.ID())
	if errors.Is(err, chat.ErrMessageNotFound) {
		return false, nil
	}
	return err == nil, err
}

// waiting are the visitor's messages that nobody answered: those behind the last
// answer, and those from a revision on, which the AI had not seen when it gave it.
func waiting(list []chat.Message, from int64) (waiting []chat.Message) {
	answered := false
	for _, m := range slices.Backward(list) {
		if m.ByRelay() {
			continue
		}
		if m.Sender == chat.SenderOperator || m.Seq < from && (answered || m.Sender == chat.SenderAI) {
			break
		}
		if m.Sender == chat.SenderVisitor {
			waiting = append(waiting, m)
		} else {
			answered = true
		}
	}
	slices.Reverse(waiting)
	return waiting
}

// Over reports whether there is nothing for the AI to do: nobody waits, or it must
// not answer here.
func (t *AITurn) Over() bool { return len(t.Waiting) == 0 || !answerable(&t.Session) }

// answerable reports whether the AI may answer in a session.
func answerable(s *chat.Session) bool { return s.Status == chat.StatusOpen && !s.Blocked && !s.AIEnded }

// AIReply is what the AI makes of a turn.
type AIReply struct {
	SessionID string
	// ClientID is the id of the delivery that it answers: whatever crashes, it is
	// stored once.
	ClientID string
	Name     string // of the AI
	Content  string
	Sources  chat.Sources
	Seen     int64 // up to which revision it knows the session
	// Read are the messages that it is made from. It is stale once one of them is
	// edited or deleted, Late and Asked or not.
	Read []chat.Message
	// Late: it is stored also if the visitor has written more meanwhile.
	Late bool
	// Asked: an operator asked for it. It comes whatever happened meanwhile.
	Asked bool
}

// AIOutcome is what became of an [AIReply].
type AIOutcome int

// The outcomes.
const (
	// AIDropped: it is not wanted any more, or it is stored already.
	AIDropped AIOutcome = iota
	AIStored
	// AIStale: the visitor has written more meanwhile, or what was read has changed;
	// nothing is stored.
	AIStale
)

// AIAnswer stores an answer to the visitor. The first one takes the session over.
func (r *aiTurns) AIAnswer(ctx context.Context, a AIReply) (AIOutcome, error) {
	return r.reply(ctx, &a, func(c *change) error {
		if !c.session.AIActive {
			c.session.AIActive = true
			if err := c.emitTakeover(true, ""); err != nil {
				return err
			}
		}
		c.session.AIAnswers++
		if err := c.addReply(&a, chat.Message{}); err != nil {
			return err
		}
		if err := c.keepWaiting(a.Seen); err != nil {
			return err
		}
		return c.settleAI(a.Seen)
	})
}

// AINote stores a note of the AI to operators: a draft of an answer, or what else
// they asked for.
func (r *aiTurns) AINote(ctx context.Context, a AIReply, draft bool) (AIOutcome, error) {
	return r.reply(ctx, &a, func(c *change) error { return c.addReply(&a, chat.Message{Internal: true, Draft: draft}) })
}

// HandBack ends the AI in a session with a last sentence to the visitor. It does
// nothing where the AI has ended already.
func (r *aiTurns) HandBack(ctx context.Context, a AIReply, reason string) (AIOutcome, error) {
	return r.reply(ctx, &a, func(c *change) error { return c.handBack(&a, reason, r.asksContact(c.session)) })
}

func (c *change) handBack(a *AIReply, reason string, askContact bool) error {
	unread, since := c.session.Unread, c.session.WaitingSince
	if err := c.addReply(a, chat.Message{}); err != nil {
		return err
	}
	c.session.Unread = max(unread, 1) // it is the operators' turn
	c.session.WaitingSince = cmp.Or(since, c.at)
	c.session.AIActive, c.session.AIEnded = false, true
	if err := c.settleAI(c.session.Rev); err != nil {
		return err
	}
	return c.emitFact(chat.EventAITakeover, chat.Takeover{Reason: reason, AskContact: askContact, At: c.at})
}

// reply stores a reply by op unless it is not wanted any more. That is found out
// in the same transaction: an operator's word always comes first.
func (r *aiTurns) reply(ctx context.Context, a *AIReply, op func(c *change) error) (out AIOutcome, err error) {
	err = r.change(ctx, chat.Author{Sender: chat.SenderAI, Source: chat.SourceAI, Name: a.Name}, a.SessionID, func(c *change) error {
		out = AIDropped
		if on, err := GoesOnIn(c, c.session); err != nil || on != nil {
			return err
		}
		_, err := c.MessageByClientID(a.SessionID, chat.SenderAI, a.ClientID)
		if !errors.Is(err, chat.ErrMessageNotFound) {
			return err
		}
		if changed, err := c.changedSince(a); err != nil || changed {
			out = AIStale
			return err
		}
		if !a.Asked {
			newer, wanted, err := c.sinceSeen(a.Seen)
			if err != nil || !wanted {
				return err
			}
			if newer && !a.Late {
				out = AIStale
				return nil
			}
		}
		out = AIStored
		return op(c)
	})
	return out, err
}

// changedSince reports whether somebody edited or deleted what a reply is made from
// since it was read.
func (c *change) changedSince(a *AIReply) (bool, error) {
	if c.session.Rev == a.Seen {
		return false, nil
	}
	for i := range a.Read {
		was := &a.Read[i]
		now, err := c.Message(a.SessionID, was.ID)
		if errors.Is(err, chat.ErrMessageNotFound) {
			return true, nil
		}
		if err != nil || now.DeletedAt != was.DeletedAt || now.EditedAt != was.EditedAt || now.Content != was.Content {
			return true, err
		}
	}
	return false, nil
}

// sinceSeen reports whether the visitor wrote behind a revision, and whether the AI
// is still to answer.
func (c *change) sinceSeen(seen int64) (newer, wanted bool, err error) {
	if !answerable(c.session) {
		return false, false, nil
	}
	if c.session.Rev == seen {
		return false, true, nil
	}
	list, err := c.Messages(chat.MessageQuery{SessionID: c.session.ID, After: seen, Public: true, Limit: aiMessages})
	for _, m := range list {
		if m.Sender != chat.SenderVisitor {
			return false, false, err
		}
		newer = newer || m.DeletedAt == 0
	}
	return newer, true, err
}

// quickReplies takes the quick replies from the AI's text. A link stays text, which was
// checked: what the AI read does not decide what a button opens.
func quickReplies(text string) (string, chat.Buttons) {
	content, list := chat.CutButtons(text)
	if slices.ContainsFunc(list, func(b chat.Button) bool { return b.URL != "" }) {
		return text, nil
	}
	return content, list
}

// addReply stores a message of the AI.
func (c *change) addReply(a *AIReply, m chat.Message) error {
	m.SessionID, m.Content, m.Sender, m.Timestamp = c.session.ID, a.Content, chat.SenderAI, c.at
	m.ClientID, m.OperatorName, m.SourceBridge, m.Sources = a.ClientID, a.Name, chat.SourceAI, a.Sources
	m.Attachments = chat.Of(chat.Attachments{})
	if !m.Draft {
		m.Content, m.Buttons = quickReplies(a.Content)
	}
	return c.add(&m, chat.NewID(), nil)
}

// AskForPerson hands a session back because its visitor wants a person. Where the
// AI does not answer, nothing happens.
func (r *aiTurns) AskForPerson(ctx context.Context, by chat.Author, sessionID string) error {
	return r.change(ctx, by, sessionID, func(c *change) error {
		t := c.ai()
		if t == nil || t.Drafts || t.Rehearses && !c.session.AIActive || !c.session.Started() || !answerable(c.session) {
			return nil
		}
		return r.endAnswering(c, "", chat.AIEndAsked)
	})
}

// endAnswering hands the session back without the AI's having been asked. written is what
// the visitor wrote last.
func (r *Relay) endAnswering(c *change, written, reason string) error {
	name := c.settings.Text("aiName")
	c.by = chat.Author{Sender: chat.SenderAI, Source: chat.SourceAI, Name: name}
	content := HandBackText(c.settings.AI().HandOver, LanguageOf(c.session, written), reason)
	return c.handBack(&AIReply{Name: name, Content: content}, reason, r.asksContact(c.session))
}

// leaveOutAI lets the AI answer nothing of the change, and reports whether it is answering
// the visitor: then it must be ended.
func (c *change) leaveOutAI() (answering bool) {
	t := c.ai()
	if answering = t != nil && !t.Drafts && c.session.AIActive; !answering {
		c.targets = slices.DeleteFunc(slices.Clone(c.targets), func(t chat.Target) bool { return t.Kind == chat.TargetAI })
	}
	return answering
}
