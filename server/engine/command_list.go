package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Commands lists the commands in the order of help. It does not
// change after initialisation. help and save have no function here, because
// they read the list themselves.
var Commands = []Command{
	{Name: "help", Help: "this list"},
	{Name: "close", Help: "close the conversation; the next message reopens it", run: (*commandContext).close},
	{Name: "reopen", Help: "reopen the conversation", run: (*commandContext).reopen},
	{Name: "info", Help: "what is known about the visitor", scope: chat.ScopeRead, run: (*commandContext).info},
	{Name: "note", Args: "text", Help: "an internal note, which only operators see; a message that starts with // is one too",
		scope: chat.ScopeNote, run: (*commandContext).note},
	{Name: "online", community: true, Help: "visitors see an operator online for the next 12 hours", run: (*commandContext).online},
	{Name: "offline", community: true, Help: "visitors see nobody online for the next 12 hours", run: (*commandContext).offline},
	{Name: "auto", community: true, Help: "visitors see an operator online while one is active", run: (*commandContext).auto},
	{Name: "read", Help: "mark the visitor's messages as read", run: (*commandContext).read},
	{Name: "delete", Help: "as a reply to an operator's message: delete it", scope: chat.ScopeErase, run: (*commandContext).delete},
	{Name: "save", Args: "name text", community: true, Help: "save an answer, sent later by !name; as a reply to a message: save it", scope: chat.ScopeSettings},
	{Name: "saved", community: true, Help: "the saved answers", scope: chat.ScopeRead, run: (*commandContext).saved},
	{Name: "forget", Args: "name", community: true, Help: "remove a saved answer", scope: chat.ScopeSettings, run: (*commandContext).forget},
	{Name: "csat", Help: "ask the visitor for a rating now", run: (*commandContext).csat},
	{Name: "ai", Args: "on|off", Help: "let the AI answer here while nobody is online, or end it", run: (*commandContext).ai},
	{Name: "draft", Help: "have the AI propose an answer", run: (*commandContext).draft},
	{Name: "send", Args: "text", Optional: true, Help: "send the AI's proposal to the visitor, or this text instead", run: (*commandContext).send},
	{Name: "summary", Help: "have the AI sum the conversation up in three lines", run: (*commandContext).summary},
	{Name: "yes", Args: "name", Optional: true, community: true, Help: "let the AI do what waits here, or answer by itself the topic of which it asked", scope: chat.ScopeSettings, run: (*commandContext).yes},
	{Name: "no", Args: "name", Optional: true, community: true, Help: "do not let the AI do what waits here", scope: chat.ScopeSettings, run: (*commandContext).no},
	{Name: "assign", Args: "@name", community: true, Help: "give the conversation to somebody of the team; also me or nobody", run: (*commandContext).assign},
	{Name: "tag", Args: "word, word", community: true, Help: "add tags; !tag -word takes one away", run: (*commandContext).tag},
	{Name: "snooze", Args: "2h", community: true, Help: "not among the waiting ones for so long (30m, 2h, 3d), or until the visitor writes; !snooze off ends it",
		run: (*commandContext).snooze},
	{Name: "block", community: true, Help: "block the visitor", scope: chat.ScopeErase, run: (*commandContext).block},
	{Name: "unblock", community: true, Help: "unblock the visitor", scope: chat.ScopeErase, run: (*commandContext).unblock},
}

// CommandResult is the result of a command.
type CommandResult struct {
	Answer string // for the operator only
	Effect CommandEffect
}

// CommandEffect is a change that the session's threads show.
type CommandEffect int

// The effects of commands.
const (
	NoEffect CommandEffect = iota
	SessionWasClosed
	SessionWasReopened
)

// commandContext is a running command.
type commandContext struct {
	relay     *Engine
	by        chat.Author
	sessionID string
	args      string
	replyTo   string // the message that the command answers
	clientID  string // of what it sends
}

// Execute runs an operator's command. replyTo is the message that the
// command answers.
func (e *Engine) Execute(ctx context.Context, by chat.Author, sessionID string, parsed ParsedCommand, replyTo string) (CommandResult, error) {
	err := e.Store.ReadOne(ctx, func(rd chat.Reader) error {
		_, err := rd.Session(sessionID)
		return err
	})
	if err != nil {
		return CommandResult{}, err
	}
	c := &commandContext{relay: e, by: by, sessionID: sessionID, args: parsed.Args, replyTo: replyTo, clientID: parsed.ClientID}
	known := commandNamed(parsed.Name)
	if scope := scopeOf(known); !by.Holds(scope) {
		return CommandResult{}, chat.LacksScope(scope)
	}
	switch {
	case known == nil:
		return c.unknown(ctx, parsed.Name)
	case known.Name == "save":
		return c.save(ctx)
	case known.run == nil:
		return answer(helpText(e.backend, e.Sites().Several()), nil)
	default:
		return known.run(c, ctx)
	}
}

// answer returns a result without a [CommandEffect].
func answer(text string, err error) (CommandResult, error) {
	return CommandResult{Answer: text}, err
}

func unknownCommand(name string, names []string) string {
	text := "There is no command !" + name + ", and the visitor did not see this."
	if near := nearestName(name, names); near != "" {
		return text + " Did you mean !" + near + "?"
	}
	return text + " !help lists the commands."
}

// helpText lists the commands that have an effect in this mode, and where there are several
// sites the one that tells which.
func helpText(backend, several bool) string {
	var b strings.Builder
	b.WriteString("Commands (the visitor sees none of them):")
	for _, c := range Commands {
		if backend && c.community {
			continue
		}
		fmt.Fprintf(&b, "\n!%s – %s", strings.TrimSpace(c.Name+" "+c.Args), c.Help)
	}
	if several {
		b.WriteString("\n!site – the website to which the conversation belongs")
	}
	return b.String()
}

// site tells which site the session belongs to. Where there is one site, and for those who
// saved an answer of this name, there is no such command.
func (c *commandContext) site(ctx context.Context, sites *chat.Sites) (CommandResult, error) {
	s, err := c.session(ctx)
	if err != nil {
		return CommandResult{}, err
	}
	site := sites.Of(s.Site)
	if site == nil {
		return CommandResult{}, chat.ErrSiteNotFound
	}
	parts := []string{"This conversation is at " + site.Label(), site.PublicID(), site.Address}
	return answer(strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " · "), nil)
}

func (c *commandContext) close(ctx context.Context) (CommandResult, error) {
	return CommandResult{"The conversation is closed. The next message reopens it.", SessionWasClosed}, c.relay.Close(ctx, c.by, c.sessionID)
}

func (c *commandContext) reopen(ctx context.Context) (CommandResult, error) {
	return CommandResult{"The conversation is open.", SessionWasReopened}, c.relay.Reopen(ctx, c.by, c.sessionID)
}

// note stores an internal note. A mirror sends a message instead, which may
// have files.
func (c *commandContext) note(ctx context.Context) (CommandResult, error) {
	text := NoteText(c.args)
	if text == "" {
		return answer(EmptyNote, nil)
	}
	_, err := c.relay.Send(ctx, c.by, Post{SessionID: c.sessionID, Content: text, ReplyTo: c.replyTo, Internal: true})
	return answer("The note is stored. The visitor does not see it.", err)
}

// EmptyNote is the answer to a note without text.
const EmptyNote = "Write the text of the note after !note or //."

// session is the one in which the command was given.
func (c *commandContext) session(ctx context.Context) (s chat.Session, err error) {
	err = c.relay.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		s, err = rd.Session(c.sessionID)
		return err
	})
	return s, err
}

func (c *commandContext) info(ctx context.Context) (CommandResult, error) {
	s, err := c.session(ctx)
	if err != nil {
		return CommandResult{}, err
	}
	lines := []string{c.relay.Title(&s) + " – " + string(s.Status)}
	if s.Blocked {
		lines[0] += ", blocked"
	}
	lines = append(lines, c.relay.Describe(&s)...)
	lines = append(lines, "Since: "+s.CreatedAt.Std().Format("2 January 2006 15:04 UTC"))
	if s.RespondedAt != 0 {
		lines = append(lines, chat.RatingText(s.Score, s.Comment))
	}
	return answer(strings.Join(lines, "\n"), nil)
}

func (c *commandContext) online(ctx context.Context) (CommandResult, error) {
	return c.holdStatus(ctx, true)
}

func (c *commandContext) offline(ctx context.Context) (CommandResult, error) {
	return c.holdStatus(ctx, false)
}

const (
	backendDecidesStatus = "Your website's backend says who is online; this has no effect here."
	backendDecidesBlock  = "Your website's backend decides who may write; this has no effect here."
)

func (c *commandContext) holdStatus(ctx context.Context, online bool) (CommandResult, error) {
	if c.relay.backend {
		return answer(backendDecidesStatus, nil)
	}
	text := "Visitors see nobody online for the next 12 hours, or until !online."
	if online {
		text = "Visitors see you online for the next 12 hours, or until !offline."
	}
	return answer(text, c.relay.HoldOperatorStatus(ctx, c.by, online))
}

func (c *commandContext) auto(ctx context.Context) (CommandResult, error) {
	if c.relay.backend {
		return answer(backendDecidesStatus, nil)
	}
	return answer("Visitors see an operator online while one is active.", c.relay.ResetOperatorStatus(ctx, c.by))
}

func (c *commandContext) read(ctx context.Context) (CommandResult, error) {
	return answer("The visitor's messages are marked as read.", c.relay.MarkRead(ctx, c.by, c.sessionID, nil))
}

// delete deletes the message that the command answers. A mirror also removes
// its copies.
func (c *commandContext) delete(ctx context.Context) (CommandResult, error) {
	if c.replyTo == "" {
		return answer("Write !delete as a reply to the message that you want to delete.", nil)
	}
	return answer("The message is deleted.", DeleteRefusal(c.relay.Delete(ctx, c.by, c.sessionID, c.replyTo)))
}

// DeleteRefusal rewords the error of a delete for operators' commands.
func DeleteRefusal(err error) error {
	var refused *chat.Error
	if errors.As(err, &refused) && refused.Kind == chat.Forbidden {
		return chat.Errorf(chat.Forbidden, "Only messages of operators can be deleted")
	}
	return err
}

func (c *commandContext) csat(ctx context.Context) (CommandResult, error) {
	if c.relay.backend {
		return answer("Your website is told to ask for a rating.", c.relay.AskCSAT(ctx, c.by, c.sessionID))
	}
	return answer("The visitor is asked for a rating, unless it was asked before.", c.relay.AskCSAT(ctx, c.by, c.sessionID))
}

func (c *commandContext) block(ctx context.Context) (CommandResult, error) {
	if c.relay.backend {
		return answer(backendDecidesBlock, nil)
	}
	return answer("The visitor is blocked. !unblock lets them write again.", c.setBlocked(ctx, true))
}

func (c *commandContext) unblock(ctx context.Context) (CommandResult, error) {
	if c.relay.backend {
		return answer(backendDecidesBlock, nil)
	}
	return answer("The visitor may write again.", c.setBlocked(ctx, false))
}

// audit adds to the audit list what a command did. A failure is logged: it is done.
func (c *commandContext) audit(ctx context.Context, e chat.AuditEntry) {
	e = chat.AuditBy(c.by, e)
	if s, err := c.session(ctx); err == nil {
		e.Site = c.relay.Sites().Shown(s.Site)
	}
	if err := c.relay.Store.Apply(context.WithoutCancel(ctx), func(tx chat.Tx) error { return tx.PutAudit(&e) }); err != nil {
		c.relay.log.Error("the audit list misses an entry", "action", e.Action, "by", e.Name, "err", err)
	}
}

func (c *commandContext) setBlocked(ctx context.Context, blocked bool) error {
	err := c.relay.Block(ctx, c.by, c.sessionID, blocked)
	if err == nil {
		action := chat.AuditUnblocked
		if blocked {
			action = chat.AuditBlocked
		}
		c.audit(ctx, chat.AuditEntry{Action: action, Target: c.sessionID, Detail: "by a command"})
	}
	return err
}
