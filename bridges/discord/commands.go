package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// command is a slash command (Discord, "Application Commands").
type command struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Options     []commandOption `json:"options,omitempty"`
}

type commandOption struct {
	Kind        discordgo.ApplicationCommandOptionType `json:"type"`
	Name        string                                 `json:"name"`
	Description string                                 `json:"description"`
	Required    bool                                   `json:"required,omitempty"`
}

const (
	maxHelp     = 100
	byReplyOnly = "delete" // it needs the message that it answers
)

// menu lists the commands.
func menu() (list []command) {
	for _, c := range engine.Commands {
		if c.Name == byReplyOnly {
			continue
		}
		one := command{Name: c.Name, Description: cut.Line(c.Help, maxHelp)}
		if c.Args != "" {
			one.Options = []commandOption{{discordgo.ApplicationCommandOptionString, "text", cut.Line(c.Args, maxHelp), !c.Optional}}
		}
		list = append(list, one)
	}
	return list
}

// offerCommands puts the commands into the menu that Discord shows to whoever types
// "/" on the server. Where the bot may not, operators write !name.
func (c *client) offerCommands(ctx context.Context) {
	if err := c.putCommands(ctx); err != nil {
		c.log.Warn("slash commands could not be offered; !name works", "err", err)
	}
}

func (c *client) putCommands(ctx context.Context) error {
	at, err := c.homeChannel(ctx)
	if err != nil {
		return err
	}
	var app application
	if err := c.getWithRetry(ctx, "/applications/@me", &app); err != nil {
		return err
	}
	return c.call(ctx, request{method: http.MethodPut, path: path("/applications/%s/guilds/%s/commands", app.ID, at.Guild),
		body: menu(), repeatable: true}, nil)
}

// handleInteraction stores a slash command from the gateway, and answers.
func (r *receiver) handleInteraction(ctx context.Context, in chat.Receiver, data json.RawMessage) error {
	var i interaction
	if err := json.Unmarshal(data, &i); err != nil || i.ID == "" {
		return fmt.Errorf("%w: it cannot be read", chat.ErrPermanent)
	}
	if i.Kind != discordgo.InteractionApplicationCommand {
		return nil
	}
	text, err := r.command(ctx, in, &i, data)
	if err != nil {
		return err
	}
	// Discord waits 3 s; a later answer is ignored.
	err = r.client.call(ctx, request{method: http.MethodPost, path: path("/interactions/%s/%s/callback", i.ID, i.Token), body: answer(text), repeatable: true}, nil)
	if err != nil {
		r.log.Warn("a slash command was stored but not answered", "command", i.Data.Name)
	}
	return nil
}

// command stores a slash command given in a thread of the bridge and returns the
// answer to the operator.
func (r *receiver) command(ctx context.Context, in chat.Receiver, i *interaction, data json.RawMessage) (text string, err error) {
	one, err := r.whose(ctx, i)
	if err != nil || one == nil {
		return answerElse, err
	}
	data, err = withoutToken(data)
	if err != nil {
		return "", fmt.Errorf("%w: %w", chat.ErrPermanent, err)
	}
	th, _, _ := one.threads.known.get(i.Thread)
	if err := one.inbox.store(ctx, in, "i"+i.ID, i.Thread, event{Type: "INTERACTION_CREATE", Data: data, Session: th.session}); err != nil {
		return "", err
	}
	return answerDone, nil
}

// commandTimeout is less than the 3 s that Discord waits for an answer.
const commandTimeout = 2 * time.Second

// whose is the receiver of the channel in whose thread a slash command was given, nil when
// it was given elsewhere.
func (r *receiver) whose(ctx context.Context, i *interaction) (*receiver, error) {
	for _, one := range r.receivers {
		if ours, err := one.commandable(ctx, i); err != nil || ours {
			return one, err
		}
	}
	return nil, nil
}

// commandable reports whether a slash command was given in a thread of the
// bridge's channel. Most interactions contain the thread's parent.
func (r *receiver) commandable(ctx context.Context, i *interaction) (bool, error) {
	if i.Channel.Parent != "" || i.Thread == "" {
		return i.Channel.Parent == r.cfg.ChannelID, nil
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	_, ours, err := r.threads.lookupThread(ctx, i.Thread)
	return ours, err
}

// interaction is a slash command, or Discord's ping.
type interaction struct {
	ID      string                    `json:"id"`
	Kind    discordgo.InteractionType `json:"type"`
	Token   string                    `json:"token"`
	Thread  string                    `json:"channel_id"`
	Channel channel                   `json:"channel"`
	Member  *struct {
		Nick string `json:"nick"`
		User author `json:"user"`
	} `json:"member"`
	Data struct {
		Name    string `json:"name"`
		Options []struct {
			Value any `json:"value"`
		} `json:"options"`
	} `json:"data"`
}

// withoutToken removes the token from the raw interaction: it allows answers for 15
// minutes and must not be stored.
func withoutToken(raw []byte) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	delete(all, "token")
	return json.Marshal(all)
}

// command returns a slash command as if it were typed: /note text is !note text.
func (e *event) command() ([]chat.Inbound, error) {
	var i interaction
	if err := json.Unmarshal(e.Data, &i); err != nil {
		return nil, err
	}
	if i.ID == "" || i.Thread == "" {
		return nil, errNoID
	}
	if i.Kind != discordgo.InteractionApplicationCommand || i.Member == nil || i.Member.User.Bot {
		return nil, nil
	}
	words := []string{"!" + i.Data.Name}
	for _, o := range i.Data.Options {
		if text, ok := o.Value.(string); ok {
			words = append(words, text)
		}
	}
	in := e.in(chat.InboundMessage, i.Thread)
	in.Remote, in.Text, in.At = i.ID, strings.Join(words, " "), chat.TimeOf(madeAt(i.ID))
	if in.Operator = i.Member.Nick; in.Operator == "" {
		in.Operator = i.Member.User.name()
	}
	in.Handles = []string{i.Member.User.ID, i.Member.User.Username}
	return []chat.Inbound{in}, nil
}

// answer is shown at once to the operator alone; the result is posted in the thread.
func answer(text string) map[string]any {
	return map[string]any{"type": discordgo.InteractionResponseChannelMessageWithSource, "data": map[string]any{"content": text, "flags": discordgo.MessageFlagsEphemeral, "allowed_mentions": noMentions}}
}

// Answers to slash commands.
const (
	answerDone     = "Done; see the thread for the result."
	answerElse     = "This command works in the threads that relay opens."
	answerNotSaved = "relay could not store the command. Please try again."
)
