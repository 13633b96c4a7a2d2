package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
)

// Commands are the commands of all desks, in the order of help. The list is
// whole once the package is initialised and never changes.
var Commands = []Command{
	{Name: "help", Help: "this list"},
	{Name: "close", Help: "close the session; the next message reopens it", run: (*commanding).close},
	{Name: "reopen", Help: "reopen the session", run: (*commanding).reopen},
	{Name: "info", Help: "what is known of the visitor", run: (*commanding).info},
	{Name: "note", Args: "text", Help: "an internal note, which only operators see; a message that starts with // is one too",
		run: (*commanding).note},
	{Name: "online", community: true, Help: "visitors see an operator online for the next 12 hours", run: (*commanding).online},
	{Name: "offline", community: true, Help: "visitors see nobody online for the next 12 hours", run: (*commanding).offline},
	{Name: "auto", community: true, Help: "visitors see an operator online while one is active", run: (*commanding).auto},
	{Name: "read", Help: "mark the visitor's messages as read", run: (*commanding).read},
	{Name: "delete", Help: "as a reply: delete the operator's message that it answers", run: (*commanding).delete},
	{Name: "csat", community: true, Help: "ask the visitor for a rating now", run: (*commanding).csat},
	{Name: "block", community: true, Help: "shut the visitor out", run: (*commanding).block},
	{Name: "unblock", community: true, Help: "let the visitor in again", run: (*commanding).unblock},
}

// commanding is a command being obeyed.
type commanding struct {
	ctx       context.Context
	relay     *Relay
	by        Author
	sessionID string
	args      string
	replyTo   string   // the message that a command at the console answers
	at        *hearing // where a command at a bridge was given, nil at the console
}

// Obey carries out a command that an operator gave at the console and returns
// the answer, for that operator only. replyTo is the message that it answers.
func (r *Relay) Obey(ctx context.Context, by Author, sessionID string, called Called, replyTo string) (string, error) {
	err := r.store.Look(ctx, func(rd Reader) error {
		_, err := rd.Session(sessionID)
		return err
	})
	if err != nil {
		return "", err
	}
	return (&commanding{ctx: ctx, relay: r, by: by, sessionID: sessionID, replyTo: replyTo}).run(called)
}

// obey carries a command out and answers in the thread, and only there.
func (h *hearing) obey(ctx context.Context, called Called, parts []Inbound) error {
	c := &commanding{ctx: ctx, relay: h.desk.relay, by: h.by, sessionID: h.thread.SessionID, at: h}
	text, err := c.run(called)
	var refused *Error
	if errors.As(err, &refused) && refused.Kind != StorageFull {
		text, err = refused.Text+".", nil
	}
	if err == nil && text != "" {
		err = h.answer(ctx, text)
	}
	if err != nil {
		return err
	}
	return h.done(ctx, commandMark, parts)
}

// Marks of operators' platform messages that are no messages of the session.
const (
	commandMark  = markSign + "command"
	withheldMark = markSign + "withheld"
)

// done notes platform messages under such a mark, so that they have their effect
// once.
func (h *hearing) done(ctx context.Context, mark string, parts []Inbound, errands ...Update) error {
	err := h.desk.store.Apply(ctx, func(tx Tx) error {
		for i := range errands {
			if _, err := tx.PutUpdate(&errands[i]); err != nil {
				return err
			}
		}
		for _, in := range parts {
			l := h.at(in.Remote)
			l.SessionID, l.MessageID, l.Origin, l.CreatedAt = h.thread.SessionID, mark, true, Now()
			if err := tx.SaveLink(&l); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, ErrSessionNotFound) {
		return nil
	}
	return err
}

// run runs a command, or says which one may have been meant.
func (c *commanding) run(called Called) (string, error) {
	c.args = called.Args
	switch known := commandNamed(called.Name); {
	case known == nil:
	case known.run == nil:
		return helpText(c.relay.backend), nil
	default:
		return known.run(c)
	}
	text := "There is no command !" + called.Name + ", and the visitor did not see this."
	if near := nearestCommand(called.Name); near != nil {
		return text + " Did you mean !" + near.Name + "?", nil
	}
	return text + " !help lists the commands.", nil
}

// helpText lists the commands that have an effect in this mode.
func helpText(backend bool) string {
	var b strings.Builder
	b.WriteString("Commands (the visitor sees none of them):")
	for _, c := range Commands {
		if backend && c.community {
			continue
		}
		fmt.Fprintf(&b, "\n!%s – %s", strings.TrimSpace(c.Name+" "+c.Args), c.Help)
	}
	return b.String()
}

func (c *commanding) close() (string, error) {
	const text = "The session is closed. The next message reopens it."
	if err := c.relay.Close(c.ctx, c.by, c.sessionID); err != nil || c.at == nil {
		return text, err
	}
	if err := c.at.answer(c.ctx, text); err != nil {
		return "", err
	}
	return "", c.at.showStatus(c.ctx)
}

func (c *commanding) reopen() (string, error) {
	const text = "The session is open."
	if err := c.relay.Reopen(c.ctx, c.by, c.sessionID); err != nil || c.at == nil {
		return text, err
	}
	return text, c.at.showStatus(c.ctx)
}

// showStatus has the thread closed or opened as the session is.
func (h *hearing) showStatus(ctx context.Context) error {
	return h.leave(ctx, h.errand("status", errand{}))
}

// note stores an internal note. One that was written in a thread is a message
// there, perhaps with files: see [hearing.message].
func (c *commanding) note() (string, error) {
	text := noteText(c.args)
	if text == "" {
		return emptyNote, nil
	}
	_, err := c.relay.Send(c.ctx, c.by, Post{SessionID: c.sessionID, Content: text, ReplyTo: c.replyTo, Internal: true})
	return "The note is stored. The visitor does not see it.", err
}

const emptyNote = "Write the text of the note after !note or //."

func (c *commanding) info() (string, error) {
	var s Session
	err := c.relay.store.Look(c.ctx, func(rd Reader) (err error) {
		s, err = rd.Session(c.sessionID)
		return err
	})
	if err != nil {
		return "", err
	}
	lines := []string{titleOf(&s) + " – " + string(s.Status)}
	if s.Blocked {
		lines[0] += ", blocked"
	}
	lines = append(lines, identityLines(identityOf(&s), s.Verified)...)
	lines = append(lines, pageLines(&s)...)
	lines = append(lines, "Since: "+s.CreatedAt.Std().Format("2 January 2006 15:04 UTC"))
	if s.RespondedAt != 0 {
		lines = append(lines, ratingText(s.Score, s.Comment))
	}
	return strings.Join(lines, "\n"), nil
}

func (c *commanding) online() (string, error) { return c.present(true) }

func (c *commanding) offline() (string, error) { return c.present(false) }

const backendDecides = "Your website's backend says who is online; this has no effect here."

func (c *commanding) present(online bool) (string, error) {
	if c.relay.backend {
		return backendDecides, nil
	}
	if err := c.relay.HoldOperatorStatus(c.ctx, c.by, online); err != nil {
		return "", err
	}
	if online {
		return "Visitors see you online for the next 12 hours, or until !offline.", nil
	}
	return "Visitors see nobody online for the next 12 hours, or until !online.", nil
}

func (c *commanding) auto() (string, error) {
	if c.relay.backend {
		return backendDecides, nil
	}
	return "Visitors see an operator online while one is active.", c.relay.ResetOperatorStatus(c.ctx)
}

func (c *commanding) read() (string, error) {
	return "The visitor's messages are marked as read.", c.relay.MarkRead(c.ctx, c.by, c.sessionID, nil)
}

// delete deletes the message that the command answers, at a bridge with its
// copies there and the command itself; the other desks hear of it as of any
// delete.
func (c *commanding) delete() (string, error) {
	const how = "Write !delete as a reply to the message that shall be deleted."
	switch {
	case c.at != nil && c.at.ReplyTo != "":
		text, err := c.at.deleteAnswered(c.ctx)
		return text, cmp.Or(ownOnly(err), err)
	case c.at == nil && c.replyTo != "":
		err := c.relay.Delete(c.ctx, c.by, c.sessionID, c.replyTo)
		return "The message is deleted.", cmp.Or(ownOnly(err), err)
	}
	return how, nil
}

// deleteAnswered deletes the message that the operator's platform message
// answers.
func (h *hearing) deleteAnswered(ctx context.Context) (string, error) {
	id, err := h.answered(ctx, true)
	if err == nil && id == "" {
		id, err = (&hearing{Inbound: Inbound{Remote: h.ReplyTo}, desk: h.desk, thread: h.thread}).target(ctx)
	}
	if err != nil {
		return "", err
	}
	if id == "" {
		return "That is no message of the conversation.", nil
	}
	copies, err := h.copies(ctx, id)
	if err != nil {
		return "", err
	}
	if err := h.remove(ctx, id); err != nil {
		return "", err
	}
	for _, remote := range append(copies, h.Remote) {
		if _, err := h.desk.try(ctx, h.thread, Op{Kind: OpDelete, Remote: remote}); err != nil {
			if err := h.desk.unimportant(err); err != nil {
				return "", err
			}
		}
	}
	return "", nil
}

// ownOnly says in the desk's words that a visitor's message was meant.
func ownOnly(err error) error {
	var refused *Error
	if errors.As(err, &refused) && refused.Kind == Forbidden {
		return Errorf(Forbidden, "Only messages of operators can be deleted")
	}
	return nil
}

// copies lists the platform messages that show a message at this desk.
func (h *hearing) copies(ctx context.Context, id string) (remotes []string, err error) {
	err = h.desk.store.Look(ctx, func(rd Reader) error {
		remotes = nil
		links, err := rd.Links(h.thread.SessionID, id, h.thread.Bridge, h.thread.Channel)
		for _, l := range links {
			if l.State == LinkLive && l.Remote != "" {
				remotes = append(remotes, l.Remote)
			}
		}
		return err
	})
	if err == nil && len(remotes) == 0 {
		remotes = []string{h.ReplyTo}
	}
	return remotes, err
}

func (c *commanding) csat() (string, error) {
	if c.relay.backend {
		return "Your website's backend asks for ratings; this has no effect here.", nil
	}
	return "The visitor is asked for a rating, unless it was asked before.", c.relay.AskCSAT(c.ctx, c.by, c.sessionID)
}

func (c *commanding) block() (string, error) {
	if c.relay.backend {
		return "Your website's backend decides who may write; this has no effect here.", nil
	}
	return "The visitor is shut out. !unblock lets it in again.", c.relay.Block(c.ctx, c.by, c.sessionID, true)
}

func (c *commanding) unblock() (string, error) {
	if c.relay.backend {
		return "Your website's backend decides who may write; this has no effect here.", nil
	}
	return "The visitor may write again.", c.relay.Block(c.ctx, c.by, c.sessionID, false)
}
