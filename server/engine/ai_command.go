package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

const (
	aiNotSetUp = "The AI is not set up. Set AI_BASE_URL and AI_MODEL, or aiBaseUrl and aiModel by the admin API."
	aiIsOff    = "The AI is switched off; set AI_MODE, or aiMode by the admin API, to answer or draft."
)

// aiOff is why nothing can be asked of the AI, "" if something can.
func (c *commandContext) aiOff(ctx context.Context) string {
	settings, _ := c.relay.SettingsIn(ctx, c.by, c.sessionID) // the first site's where the session cannot be read
	switch ai := settings.AI(); {
	case !ai.SetUp():
		return aiNotSetUp
	case !ai.On():
		return aiIsOff
	}
	return ""
}

// ai lets the AI answer in the session again, or ends it there.
func (c *commandContext) ai(ctx context.Context) (CommandResult, error) {
	off := c.aiOff(ctx)
	switch on := strings.ToLower(c.args); {
	case off != "":
		return answer(off, nil)
	case on == "on":
		return answer("The AI answers here again while nobody is online, until an operator writes. "+
			"Whoever acts counts as online for five minutes, unless !offline.", c.relay.LetAI(ctx, c.by, c.sessionID))
	case on == "off":
		return answer("The AI does not answer here, until !ai on.", c.relay.EndAI(ctx, c.by, c.sessionID))
	}
	return answer("Write !ai on or !ai off.", nil)
}

// LetAI lets the AI answer in a session where it ended. What the visitor wrote
// last waits for it as a new message would.
func (r *aiTurns) LetAI(ctx context.Context, by chat.Author, sessionID string) error {
	return r.change(ctx, by, sessionID, func(c *change) error {
		c.session.AIEnded, c.session.AIAnswers = false, 0
		return c.emitFact(chat.EventAIRequest, chat.AIRequest{Kind: chat.AIAnswerNow})
	})
}

// EndAI ends the AI in a session.
func (r *aiTurns) EndAI(ctx context.Context, by chat.Author, sessionID string) error {
	return r.change(ctx, by, sessionID, func(c *change) error { return c.endAI(chat.AIEndOff) })
}

func (c *commandContext) draft(ctx context.Context) (CommandResult, error) {
	return c.request(ctx, chat.AIDraft, "The AI is writing a draft; it comes as a note.")
}

func (c *commandContext) summary(ctx context.Context) (CommandResult, error) {
	return c.request(ctx, chat.AISummary, "The AI is reading the conversation; the summary comes as a note.")
}

// yes lets the AI do what waits here for a person, or answer by itself the topic of which it asked.
func (c *commandContext) yes(ctx context.Context) (CommandResult, error) {
	return c.decide(ctx, chat.AIYes)
}

// no lets the AI not do what waits here for a person.
func (c *commandContext) no(ctx context.Context) (CommandResult, error) {
	return c.decide(ctx, chat.AINo)
}

func (c *commandContext) decide(ctx context.Context, kind string) (CommandResult, error) {
	if off := c.aiOff(ctx); off != "" {
		return answer(off, nil)
	}
	return answer("The AI answers with a note.", c.relay.AskAI(ctx, c.by, c.sessionID, kind, c.args))
}

// AskAI asks something of the AI as a person, like to do what waits for a yes.
func (r *aiTurns) AskAI(ctx context.Context, by chat.Author, sessionID, kind, to string) error {
	operator := by.Role != "" && by.Role != chat.RoleAdministrator
	return r.change(ctx, by, sessionID, func(c *change) error {
		if err := c.stillHere(); err != nil && kind == chat.AIYes { // its answer would be where nobody reads it
			return err
		}
		return c.emitFact(chat.EventAIRequest, chat.AIRequest{Kind: kind, By: by.Name, Person: by.Person, To: chat.Clip(chat.OneLine(to), 100), Operator: operator, Program: by.Key != nil})
	})
}

// request asks something of the AI. Its answer comes as a note.
func (c *commandContext) request(ctx context.Context, kind, text string) (CommandResult, error) {
	if off := c.aiOff(ctx); off != "" {
		return answer(off, nil)
	}
	return answer(text, c.relay.change(ctx, c.by, c.sessionID, func(c *change) error {
		return c.emitFact(chat.EventAIRequest, chat.AIRequest{Kind: kind})
	}))
}

// send sends the newest draft to the visitor, or a text instead.
func (c *commandContext) send(ctx context.Context) (CommandResult, error) {
	sent, err := c.relay.SendDraft(ctx, c.by, c.sessionID, c.args)
	return answer("Sent to the visitor: "+sent.Content, err)
}

// draftsBack is how far back a draft is looked for.
const draftsBack = 100

// SendDraft sends the newest draft that nobody has answered behind, or text
// instead of it, as an operator's message. The same draft is sent once.
func (r *aiTurns) SendDraft(ctx context.Context, by chat.Author, sessionID, text string) (sent chat.Message, err error) {
	if text != "" {
		if err := CheckContent(by.Sender, text); err != nil {
			return sent, err
		}
	}
	random := chat.NewID()
	err = r.change(ctx, by, sessionID, func(c *change) error {
		draft, err := c.waitingDraft()
		if err != nil {
			return err
		}
		sent = chat.Message{SessionID: sessionID, Sender: by.Sender, Timestamp: c.at, OperatorName: by.Name, OperatorID: by.Person, KeyID: by.OwnKey(), SourceBridge: by.Source,
			ClientID: "draft." + draft.ID, Attachments: chat.Of(chat.Attachments{})}
		if sent.Content, sent.Buttons = chat.CutButtons(text); text == "" {
			sent.Content, sent.Buttons = quickReplies(draft.Content)
			sent.Sources = draft.Sources
		}
		if err := c.add(&sent, random, nil); err != nil {
			return err
		}
		draft.SentAt = c.at
		if err := c.SaveMessage(&draft); err != nil {
			return err
		}
		return c.emit(chat.NewMessageEvent(chat.EventNoteEdited, chat.SourceAI, c.at, &draft))
	})
	return sent, err
}

// waitingDraft finds the newest draft, unless somebody answered the visitor behind
// it.
func (c *change) waitingDraft() (chat.Message, error) {
	list, err := c.Messages(chat.MessageQuery{SessionID: c.session.ID, Limit: draftsBack})
	if err != nil {
		return chat.Message{}, err
	}
	for _, m := range slices.Backward(list) {
		switch {
		case m.Draft && m.SentAt == 0 && m.DeletedAt == 0:
			return m, nil
		case !m.Internal && m.Sender != chat.SenderVisitor:
			return chat.Message{}, errNoDraft
		}
	}
	return chat.Message{}, errNoDraft
}

var errNoDraft = &chat.Error{Kind: chat.Conflict, Text: "There is no draft to send: !draft asks for one, or just write the answer"}
