package telegram

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Parse implements [chat.Bridge]. It returns what people write in the bot's topics
// of the bridge's group.
func (r *receiver) Parse(raw []byte) ([]chat.Inbound, error) {
	u, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: not an update from Telegram: %w", chat.ErrPermanent, err)
	}
	m := u.about()
	if m == nil || !r.isGroup(m.Chat.ID) {
		return nil, nil
	}
	if m.MigrateTo != 0 {
		return []chat.Inbound{r.moved(m)}, nil
	}
	// A reply outside of topics may carry a thread's id: only the flag is reliable.
	// A message without an id is ephemeral, or not sent yet.
	if m.ID <= 0 || m.Topic <= 0 || !m.InTopic || !r.human(m) || peoplesTopic(m) {
		return nil, nil
	}
	in, ok := r.inbound(m)
	if !ok {
		return nil, nil
	}
	if u.Edited != nil {
		if in.Kind != chat.InboundMessage {
			return nil, nil
		}
		in.Kind = chat.InboundEdited
	}
	return []chat.Inbound{in}, nil
}

// isGroup reports whether a chat is the bridge's group, by its current id or the
// one of the settings.
func (r *receiver) isGroup(id int64) bool {
	return id == r.client.group.Load() || strconv.FormatInt(id, 10) == strings.TrimSpace(r.cfg.ChatID)
}

// human reports whether a person wrote a message. Anonymous administrators write
// as the group, through a bot of Telegram's.
func (r *receiver) human(m *message) bool {
	if m.From == nil || m.From.ID == r.client.bot.Id {
		return false
	}
	if m.SenderChat != nil {
		return m.SenderChat.ID == m.Chat.ID
	}
	return !m.From.IsBot
}

// peoplesTopic reports whether a person created the topic: operators talk among
// themselves there. A topic of another bot may be of relay's former bot.
func peoplesTopic(m *message) bool {
	r := m.ReplyTo
	return r != nil && r.TopicCreated != nil && r.From != nil && !r.From.IsBot
}

// moved reports the group's new id.
func (r *receiver) moved(m *message) chat.Inbound {
	return chat.Inbound{Kind: chat.InboundChannelMoved, Text: strconv.FormatInt(m.MigrateTo, 10), At: m.at(),
		Thread: chat.Thread{Bridge: Name, Channel: strconv.FormatInt(m.Chat.ID, 10)}}
}

// inbound translates a message in a topic; ok is false when it has no content.
func (r *receiver) inbound(m *message) (in chat.Inbound, ok bool) {
	in = chat.Inbound{Kind: chat.InboundMessage, Remote: strconv.FormatInt(m.ID, 10), Operator: operator(m), Handles: handles(m), At: m.at(), Group: m.Group,
		Thread:    chat.Thread{Bridge: Name, Channel: strconv.FormatInt(m.Chat.ID, 10), Ref: m.ref()},
		SessionID: r.threads.sessionByRoot(m), ReplyTo: repliedTo(m)}
	switch {
	case m.TopicClosed != nil:
		in.Kind = chat.InboundThreadClosed
	case m.TopicReopened != nil:
		in.Kind = chat.InboundThreadReopened
	default:
		in.Text, in.Files = r.textOf(m), append(m.files(), m.Rich.files()...)
		return in, in.Text != "" || len(in.Files) > 0
	}
	return in, true
}

// repliedTo returns the message that an operator answers. Telegram shows every
// message of a topic as a reply to the topic's first one, which is ignored.
func repliedTo(m *message) string {
	r := m.ReplyTo
	if r == nil || r.ID == m.Topic || r.TopicCreated != nil || r.ID <= 0 {
		return ""
	}
	return strconv.FormatInt(r.ID, 10)
}

// operator returns the author's name. Anonymous administrators may have a title.
func operator(m *message) string {
	if m.SenderChat != nil {
		if m.Signature != "" {
			return m.Signature
		}
		return m.SenderChat.Title
	}
	if name := strings.TrimSpace(m.From.FirstName + " " + m.From.LastName); name != "" {
		return name
	}
	return m.From.Username
}

// handles are the id and the user name of who wrote; whoever writes in the name of a group
// has none.
func handles(m *message) []string {
	if m.SenderChat != nil || m.From == nil {
		return nil
	}
	return []string{strconv.FormatInt(m.From.ID, 10), m.From.Username}
}

// textOf returns a message's text, with marks for its formatting.
func (r *receiver) textOf(m *message) string {
	if m.Text != "" {
		return r.command(marked(m.Text, m.Entities))
	}
	if m.Caption != "" {
		return marked(m.Caption, m.CaptionEntities)
	}
	if text := m.Rich.plain(); text != "" {
		return r.command(text)
	}
	return m.described()
}

// command removes the bot's name from "/close@name", as Telegram writes a command
// that was picked from the menu.
func (r *receiver) command(text string) string {
	if !strings.HasPrefix(text, "/") {
		return text
	}
	end := strings.IndexFunc(text, func(one rune) bool { return !wordy(one) && one != '/' && one != '@' })
	if end < 0 {
		end = len(text)
	}
	name, bot, addressed := strings.Cut(text[:end], "@")
	if !addressed {
		return text
	}
	if own := r.client.username.Load(); own != nil && !strings.EqualFold(*own, bot) {
		return "" // another bot's
	}
	return name + text[end:]
}
