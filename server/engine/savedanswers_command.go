package engine

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/relay-chat/relay/server/chat"
)

const savedInBackend = "Nothing is kept in bridge mode, so there are no saved answers here."

// SavedTakesNoText is the answer to text after the name of a saved answer.
func SavedTakesNoText(name string) string {
	return "Nothing was sent: !" + name + " is a saved answer and takes no text behind it."
}

// unknown sends the saved answer with this name, if there is one.
func (c *commandContext) unknown(ctx context.Context, name string) (CommandResult, error) {
	text, err := c.relay.AnswerFor(ctx, c.by, c.sessionID, name)
	switch {
	case errors.Is(err, chat.ErrSavedAnswerNotFound):
		return c.suggest(ctx, name)
	case err != nil:
		return CommandResult{}, err
	case c.args != "":
		return answer(SavedTakesNoText(name), nil)
	}
	text, buttons := chat.CutButtons(text)
	_, err = c.relay.Send(ctx, c.by, Post{SessionID: c.sessionID, Content: text, Buttons: buttons, ReplyTo: c.replyTo, ClientID: c.clientID})
	return answer("!"+name+" is sent.", err)
}

// suggest answers an unknown name.
func (c *commandContext) suggest(ctx context.Context, name string) (CommandResult, error) {
	if sites := c.relay.Sites(); name == "site" && sites.Several() {
		return c.site(ctx, sites)
	}
	list, err := c.relay.SavedAnswers(ctx, c.by)
	names := commandNames()
	for _, a := range list {
		names = append(names, a.Name)
	}
	return answer(unknownCommand(name, names), err)
}

// save saves a text, or without one the message that the command answers.
func (c *commandContext) save(ctx context.Context) (CommandResult, error) {
	name, text := c.args, ""
	if end := strings.IndexFunc(name, unicode.IsSpace); end >= 0 {
		name, text = name[:end], strings.TrimSpace(name[end:])
	}
	name = strings.ToLower(strings.TrimLeft(name, "!！/"))
	if c.relay.backend {
		return answer(savedInBackend, nil)
	}
	if text == "" && c.replyTo != "" {
		m, err := c.answered(ctx)
		if err != nil {
			return CommandResult{}, err
		}
		text = m.Content
	}
	if name == "" || text == "" {
		return answer("Write !save name text, or !save name as a reply to the message to save.", nil)
	}
	site, err := c.answerSite(ctx)
	if err == nil {
		_, err = c.relay.SaveAnswer(ctx, c.by, site, name, text, false)
	}
	return answer("Saved. !"+name+" sends it to the visitor.", err)
}

// answerSite is for whose visitors a command saves an answer: those of all sites, or of the
// conversation's for somebody who answers only some.
func (c *commandContext) answerSite(ctx context.Context) (string, error) {
	if c.by.Sites == nil {
		return chat.AllSites, nil
	}
	s, err := c.session(ctx)
	return s.Site, err
}

// answered returns the message that the command answers.
func (c *commandContext) answered(ctx context.Context) (m chat.Message, err error) {
	err = c.relay.Store.ReadOne(ctx, func(rd chat.Reader) error {
		m, err = rd.Message(c.sessionID, c.replyTo)
		return err
	})
	return m, err
}

func (c *commandContext) saved(ctx context.Context) (CommandResult, error) {
	if c.relay.backend {
		return answer(savedInBackend, nil)
	}
	list, err := c.relay.SavedAnswers(ctx, c.by)
	if len(list) == 0 {
		return answer("Nothing is saved yet. !save name text saves an answer.", err)
	}
	lines := []string{"Saved answers:"}
	for _, a := range list {
		if !chat.IsFor(a.Site, c.by.Sites) {
			continue
		}
		lines = append(lines, "!"+a.Name+" – "+chat.Clip(chat.OneLine(a.Content), 80))
	}
	return answer(strings.Join(lines, "\n"), err)
}

func (c *commandContext) forget(ctx context.Context) (CommandResult, error) {
	if c.relay.backend {
		return answer(savedInBackend, nil)
	}
	name := strings.ToLower(strings.TrimLeft(c.args, "!！/"))
	if name == "" {
		return answer("Write !forget and the name of a saved answer. !saved lists them.", nil)
	}
	site, err := c.answerSite(ctx)
	if err == nil {
		err = c.relay.DeleteSavedAnswer(ctx, c.by, site, name, false)
	}
	return answer("!"+name+" is forgotten.", err)
}
