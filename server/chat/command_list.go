package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Commands are the commands of all desks, in the order of help. The list is
// whole once the package is initialised and never changes.
var Commands = []Command{
	{Name: "help", Help: "this list"},
	{Name: "close", Help: "close the session; the visitor's next message reopens it", run: (*commanding).close},
	{Name: "reopen", Help: "reopen the session", run: (*commanding).reopen},
	{Name: "info", Help: "what is known of the visitor", run: (*commanding).info},
	{Name: "note", Args: "text", Help: "a note that the visitor does not see; a line that begins with // is one too",
		run: func(*commanding) (string, error) { return "", nil }},
	{Name: "online", Help: "visitors see an operator online for the next 12 hours", run: (*commanding).online},
	{Name: "offline", Help: "visitors see nobody online for the next 12 hours", run: (*commanding).offline},
	{Name: "read", Help: "mark the visitor's messages as read", run: (*commanding).read},
	{Name: "delete", Help: "as a reply: delete the operator's message that it answers", run: (*commanding).delete},
	{Name: "block", Help: "shut the visitor out", run: (*commanding).block},
	{Name: "unblock", Help: "let the visitor in again", run: (*commanding).unblock},
}

// commanding is a command being obeyed.
type commanding struct {
	*hearing
	ctx  context.Context
	args string
}

// statusHolds is how long operators' word on their presence counts.
const statusHolds = 12 * time.Hour

// obey carries a command out and answers in the thread, and only there. The
// platform message is noted, so that it is obeyed once.
func (h *hearing) obey(ctx context.Context, called Called) error {
	text, err := h.carryOut(ctx, called)
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
	l := h.at(h.Remote)
	l.SessionID, l.MessageID, l.Origin, l.CreatedAt = h.thread.SessionID, mark("command"), true, Now()
	err = h.desk.store.Apply(ctx, func(tx Tx) error { return tx.SaveLink(&l) })
	if errors.Is(err, ErrSessionNotFound) {
		return nil
	}
	return err
}

// carryOut runs a command, or says which one may have been meant.
func (h *hearing) carryOut(ctx context.Context, called Called) (string, error) {
	for i := range Commands {
		c := &Commands[i]
		switch {
		case c.Name != called.Name:
		case c.run == nil:
			return helpText(), nil
		default:
			return c.run(&commanding{h, ctx, called.Args})
		}
	}
	text := "There is no command !" + called.Name + ", and the visitor did not see this."
	if c := nearestCommand(called.Name); c != nil {
		return text + " Did you mean !" + c.Name + "?", nil
	}
	return text + " !help lists the commands.", nil
}

func helpText() string {
	var b strings.Builder
	b.WriteString("Commands (the visitor sees none of them):")
	for _, c := range Commands {
		fmt.Fprintf(&b, "\n!%s – %s", strings.TrimSpace(c.Name+" "+c.Args), c.Help)
	}
	return b.String()
}

func (c *commanding) close() (string, error) {
	if err := c.desk.relay.Close(c.ctx, c.by, c.thread.SessionID); err != nil {
		return "", err
	}
	if err := c.answer(c.ctx, "The session is closed. The visitor's next message reopens it."); err != nil {
		return "", err
	}
	return "", c.showStatus(OpClose, ThreadClosed)
}

func (c *commanding) reopen() (string, error) {
	if err := c.desk.relay.Reopen(c.ctx, c.by, c.thread.SessionID); err != nil {
		return "", err
	}
	return "The session is open.", c.showStatus(OpReopen, ThreadLive)
}

// showStatus closes or opens the thread as the session is now.
func (c *commanding) showStatus(kind OpKind, state ThreadState) error {
	if c.thread.State == ThreadGone {
		return nil
	}
	if _, err := c.desk.try(c.ctx, c.thread, Op{Kind: kind}); err != nil {
		return c.desk.unimportant(err)
	}
	return c.desk.setThread(c.ctx, c.thread, state)
}

func (c *commanding) info() (string, error) {
	var s Session
	err := c.desk.store.Look(c.ctx, func(rd Reader) (err error) {
		s, err = rd.Session(c.thread.SessionID)
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

func (c *commanding) present(online bool) (string, error) {
	if c.desk.opts.Stateless {
		return "Your website's backend says who is online; this has no effect here.", nil
	}
	if err := c.desk.relay.HoldOperatorStatus(c.ctx, online, statusHolds); err != nil {
		return "", err
	}
	if online {
		return "Visitors see you online for the next 12 hours, or until !offline.", nil
	}
	return "Visitors see nobody online for the next 12 hours, or until !online.", nil
}

func (c *commanding) read() (string, error) {
	return "The visitor's messages are marked as read.", c.desk.relay.MarkRead(c.ctx, c.by, c.thread.SessionID, nil)
}

// delete deletes the message that the command answers, with the copies at this
// desk and the command itself; the other desks hear of it as of any delete.
func (c *commanding) delete() (string, error) {
	if c.ReplyTo == "" {
		return "Write !delete as a reply to the message that shall be deleted.", nil
	}
	id, err := c.answered(c.ctx)
	if err == nil && id == "" {
		id, err = (&hearing{Inbound: Inbound{Remote: c.ReplyTo}, desk: c.desk, thread: c.thread}).target(c.ctx)
	}
	if err != nil {
		return "", err
	}
	if id == "" {
		return "That is no message of the conversation.", nil
	}
	copies, err := c.copies(id)
	if err != nil {
		return "", err
	}
	if err := c.remove(c.ctx, id); err != nil {
		return "", cmp.Or(ownOnly(err), err)
	}
	for _, remote := range append(copies, c.Remote) {
		if _, err := c.desk.try(c.ctx, c.thread, Op{Kind: OpDelete, Remote: remote}); err != nil {
			if err := c.desk.unimportant(err); err != nil {
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
func (c *commanding) copies(id string) (remotes []string, err error) {
	err = c.desk.store.Look(c.ctx, func(rd Reader) error {
		remotes = nil
		links, err := rd.Links(c.thread.SessionID, id, c.thread.Bridge, c.thread.Channel)
		for _, l := range links {
			if l.State != LinkGone && l.Remote != "" {
				remotes = append(remotes, l.Remote)
			}
		}
		return err
	})
	if err == nil && len(remotes) == 0 {
		remotes = []string{c.ReplyTo}
	}
	return remotes, err
}

func (c *commanding) block() (string, error) {
	return "The visitor is shut out. !unblock lets it in again.", c.desk.relay.Block(c.ctx, c.by, c.thread.SessionID, true)
}

func (c *commanding) unblock() (string, error) {
	return "The visitor may write again.", c.desk.relay.Block(c.ctx, c.by, c.thread.SessionID, false)
}
