package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// view is what is known when the head of a lane is planned: what to show, and what the
// thread shows already.
type view struct {
	lane   []chat.Delivery // what waits, the head first
	came   certainty       // of the op that an earlier attempt left
	now    chat.Time
	rev    int64       // of the session
	thread chat.Thread // with its channel alone if there is none
	sought bool        // it was looked for on the platform

	// messages are the head's and, of a visitor, those that were sent with it or may be.
	messages []copies
	// replyTo is the copy of the message that is answered.
	replyTo string
	// together are the messages that an earlier attempt sent in one, if any.
	together []string
	earlier  []earlierNote // those that show the head's message
	noted    []chat.Link   // what is shown of the head's own note
	receipt  chat.Receipt
	readCopy string // the newest copy that the receipt concerns
}

// copies is a message with its copies on the platform.
type copies struct {
	chat.Message
	links []chat.Link // that are live
	// sending are those of a batch that an attempt has made of it.
	sending []chat.Link
	// writtenHere: the message was written on this platform.
	writtenHere bool
}

// earlierNote is a note about earlier messages.
type earlierNote struct {
	chat.Link
	messages     []chat.Message
	placeholders []string
}

// earlierPrefix begins the placeholder that links a note to an earlier message.
const earlierPrefix = "earlier "

func (v *view) head() *chat.Delivery { return &v.lane[0] }
func (v *view) event() *chat.Event   { return &v.lane[0].Event }

// threadless reports whether the session has no thread.
func (v *view) threadless() bool { return v.thread.Ref == "" }

// whole reports whether the session's thread stands, with all that it begins with.
func (v *view) whole() bool { return v.thread.Anchor != "" }

// fresh is false for an edit or a delete.
func (v *view) fresh() bool {
	return v.event().Type == chat.EventMessage || v.event().Type == chat.EventNote
}

// turns reports whether the head closes the thread or opens it again.
func (v *view) turns() bool {
	return v.event().Type == chat.EventSessionClosed || v.event().Type == chat.EventSessionReopened
}

// forgotten reports whether what is edited or deleted has no copy that relay knows, though
// a restart may have forgotten it.
func (v *view) forgotten(stateless bool) bool {
	return stateless && !v.fresh() && len(v.messages) > 0 && len(v.messages[0].links) == 0
}

// gone reports whether nothing is left of what the head shows.
func (v *view) gone() bool {
	return len(v.messages) > 0 && !slices.ContainsFunc(v.messages, func(m copies) bool { return m.DeletedAt == 0 })
}

func (v *view) ids() []string {
	ids := make([]string, len(v.messages))
	for i := range v.messages {
		ids[i] = v.messages[i].ID
	}
	return ids
}

// read makes the view from the store.
func (s *Sink) read(ctx context.Context, lane []chat.Delivery, came certainty) (v view, err error) {
	err = s.store.Read(ctx, func(rd chat.Reader) error {
		v = view{lane: lane, came: came, now: chat.Now()}
		about, err := s.reading(rd, lane[0].SessionID)
		if err != nil {
			return err
		}
		return about.fill(&v, s.platform.Limits().Coalesce)
	})
	return v, err
}

// reading reads what the store has about a session in one channel of a platform.
type reading struct {
	chat.Reader
	session, bridge, channel string
}

func (s *Sink) reading(rd chat.Reader, sessionID string) (reading, error) {
	channel, err := s.platform.ChannelOf(rd, sessionID)
	return reading{rd, sessionID, s.platform.Name(), channel}, err
}

func (r reading) links(messageID string) ([]chat.Link, error) {
	return r.Links(r.session, messageID, r.bridge, r.channel)
}

func (r reading) fill(v *view, coalesce bool) error {
	var err error
	v.thread, err = r.ThreadOf(r.session, r.bridge, r.channel)
	if errors.Is(err, chat.ErrThreadNotFound) {
		v.thread, err = chat.Thread{Channel: r.channel}, nil
	}
	if err != nil {
		return err
	}
	switch v.event().Type {
	case chat.EventNewSession:
		return nil
	case chat.EventMessage, chat.EventMessageEdited, chat.EventMessageDeleted, chat.EventNote, chat.EventNoteEdited, chat.EventNoteDeleted:
		return r.fillMessages(v, coalesce)
	case chat.EventMessageRead:
		return r.fillReceipt(v)
	}
	v.noted, err = r.links(engine.Placeholder(v.event().Name()))
	return err
}

func (r reading) fillReceipt(v *view) error {
	err := json.Unmarshal(v.event().Payload, &v.receipt)
	for i := len(v.receipt.MessageIDs) - 1; i >= 0 && v.readCopy == "" && err == nil; i-- {
		v.readCopy, err = r.copyOf(v.receipt.MessageIDs[i])
	}
	return err
}

// copyOf finds a platform message that shows a message, "" when there is none.
func (r reading) copyOf(messageID string) (string, error) {
	links, err := r.links(messageID)
	for _, l := range links {
		if l.State == chat.LinkLive && l.Remote != "" {
			return l.Remote, err
		}
	}
	return "", err
}

// fillMessages reads the head's message and what belongs to it. Messages that an earlier
// attempt may have sent stay in their batch.
func (r reading) fillMessages(v *view, coalesce bool) error {
	session, err := r.Session(r.session)
	if err != nil {
		return err
	}
	v.rev = session.Rev
	first, err := r.message(v.event())
	if err != nil {
		return err
	}
	v.messages = []copies{first}
	if err := r.addSharers(v); err != nil {
		return err
	}
	first = v.messages[0]
	switch {
	case !v.fresh():
		return r.fillEarlier(v)
	case first.ReplyTo != "":
		v.replyTo, err = r.copyOf(first.ReplyTo)
		return err
	case v.came == unknown && len(first.links) == 0:
		return r.restoreBatch(v)
	case coalesce && first.plain():
		return r.addFollowers(v)
	}
	return nil
}

// message reads a message with its copies.
func (r reading) message(e *chat.Event) (c copies, err error) {
	c.Message, err = r.Message(r.session, e.MessageID)
	if errors.Is(err, chat.ErrMessageNotFound) { // bridge mode, after a restart
		c.Message, err = e.Message()
	}
	if err != nil {
		return c, err
	}
	links, err := r.links(c.ID)
	for _, l := range links {
		switch l.State {
		case chat.LinkLive:
			c.links = append(c.links, l)
			c.writtenHere = c.writtenHere || l.Origin
		case chat.LinkSending:
			c.sending = append(c.sending, l)
		}
	}
	return c, err
}

// plain reports whether a message may go out together with others.
func (c *copies) plain() bool {
	return c.Sender == chat.SenderVisitor && c.ReplyTo == "" && c.DeletedAt == 0 && len(c.Attachments.V) == 0 && len(c.links) == 0
}

// addSharers adds to the head's message those that share its copy, in their order.
func (r reading) addSharers(v *view) error {
	for _, l := range v.messages[0].links {
		if l.Origin || l.Part != 0 || l.Remote == "" {
			continue
		}
		sharing, err := r.LinksAt(l.Bridge, l.Channel, l.Remote)
		if err != nil {
			return err
		}
		for _, other := range sharing {
			if other.SessionID != r.session || engine.IsPlaceholder(other.MessageID) || slices.Contains(v.ids(), other.MessageID) {
				continue
			}
			m, err := r.message(&chat.Event{MessageID: other.MessageID, Payload: chat.Raw("{}")})
			if err != nil {
				return err
			}
			v.messages = append(v.messages, m)
		}
	}
	sort.Slice(v.messages, func(i, j int) bool { return v.messages[i].Seq < v.messages[j].Seq })
	return nil
}

// addFollowers adds the visitor's texts that wait behind the head.
func (r reading) addFollowers(v *view) error {
	for i := 1; i < len(v.lane) && v.lane[i].Event.Type == chat.EventMessage; i++ {
		m, err := r.message(&v.lane[i].Event)
		if err != nil || !m.plain() {
			return err
		}
		v.messages = append(v.messages, m)
	}
	return nil
}

// restoreBatch restores the batch in which an earlier attempt sent the head, as far as it
// still waits, even if its messages have changed.
func (r reading) restoreBatch(v *view) error {
	for _, l := range v.messages[0].sending {
		links, err := r.LinksAt(l.Bridge, l.Channel, l.Remote)
		if err != nil {
			return err
		}
		sort.Slice(links, func(i, j int) bool { return links[i].Part < links[j].Part })
		for _, l := range links {
			v.together = append(v.together, l.MessageID)
		}
	}
	for i := 1; i < len(v.lane) && v.lane[i].Event.Type == chat.EventMessage && slices.Contains(v.together, v.lane[i].Event.MessageID); i++ {
		m, err := r.message(&v.lane[i].Event)
		if err != nil {
			return err
		}
		v.messages = append(v.messages, m)
	}
	return nil
}

// fillEarlier reads the notes of the thread that show an edited or deleted message.
func (r reading) fillEarlier(v *view) error {
	links, err := r.links(engine.Placeholder(earlierPrefix + v.event().MessageID))
	for _, l := range links {
		if err == nil && !v.threadless() && l.State == chat.LinkLive && l.Rev < v.head().Rev {
			var n earlierNote
			n, err = r.earlierNote(l)
			v.earlier = append(v.earlier, n)
		}
	}
	return err
}

// earlierNote reads the messages that a note shows, in order.
func (r reading) earlierNote(l chat.Link) (n earlierNote, err error) {
	n.Link = l
	links, err := r.LinksAt(l.Bridge, l.Channel, l.Remote)
	for _, other := range links {
		id, found := strings.CutPrefix(other.MessageID, engine.Placeholder(earlierPrefix))
		if !found || other.SessionID != r.session {
			continue
		}
		m, err := r.Message(r.session, id)
		if errors.Is(err, chat.ErrMessageNotFound) {
			continue
		}
		if err != nil {
			return n, err
		}
		n.messages, n.placeholders = append(n.messages, m), append(n.placeholders, other.MessageID)
	}
	sort.Slice(n.messages, func(i, j int) bool { return n.messages[i].Seq < n.messages[j].Seq })
	return n, err
}
