package discord

import (
	"encoding/json"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/server/chat"
)

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
