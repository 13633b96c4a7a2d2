package discord

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/server/chat"
)

// event is a dispatch of the gateway as it is stored, with what Parse needs of its
// channel.
type event struct {
	Type string          `json:"t"`
	Data json.RawMessage `json:"d"`
	// Parent is the thread's channel, Session the thread's session, if the bot
	// created it.
	Parent  string `json:"parent"`
	Session string `json:"session,omitempty"`
}

// author is the author of a message.
type author struct {
	ID         string `json:"id"`
	Bot        bool   `json:"bot"`
	Username   string `json:"username"`
	GlobalName string `json:"global_name"`
	Member     *struct {
		Nick string `json:"nick"`
	} `json:"member"` // in mentions
}

// message is the part of Discord's message object that relay uses.
type message struct {
	ID      string                `json:"id"`
	Channel string                `json:"channel_id"`
	Guild   string                `json:"guild_id"`
	Kind    discordgo.MessageType `json:"type"`
	Webhook string                `json:"webhook_id"`
	Author  *author               `json:"author"`
	Member  *struct {
		Nick string `json:"nick"`
	} `json:"member"`
	Content   *string    `json:"content"`
	Timestamp time.Time  `json:"timestamp"`
	EditedAt  *time.Time `json:"edited_timestamp"`
	Mentions  []author   `json:"mentions"`
	Reference *struct {
		Kind    int    `json:"type"`
		Message string `json:"message_id"`
	} `json:"message_reference"`
	Snapshots []struct {
		Message struct {
			Content string `json:"content"`
			content
		} `json:"message"`
	} `json:"message_snapshots"` // of a forwarded message
	content
}

// content is a message's content beside text.
type content struct {
	Attachments []attachment `json:"attachments"`
	Stickers    []struct {
		Name string `json:"name"`
	} `json:"sticker_items"`
	Poll *struct {
		Question struct {
			Text string `json:"text"`
		} `json:"question"`
	} `json:"poll"`
}

type attachment struct {
	ID    string `json:"id"`
	Name  string `json:"filename"`
	Title string `json:"title"` // the original name, if Discord changed it
	Type  string `json:"content_type"`
	Size  int64  `json:"size"`
	URL   string `json:"url"`
}

// deletion is the event of deleted messages.
type deletion struct {
	ID      string   `json:"id"`
	IDs     []string `json:"ids"`
	Channel string   `json:"channel_id"`
}

// human reports whether a person wrote a message.
func (m *message) human() bool {
	return m.Author != nil && m.Author.ID != "" && !m.Author.Bot && m.Webhook == "" && isWritten(m.Kind)
}

// isWritten reports whether people write messages of a kind. All others are system
// messages.
func isWritten(kind discordgo.MessageType) bool {
	return kind == discordgo.MessageTypeDefault || kind == discordgo.MessageTypeReply
}

// name returns an operator's name: on the server, on Discord, or of the account.
func (m *message) name() string {
	if m.Member != nil && m.Member.Nick != "" {
		return m.Member.Nick
	}
	return m.Author.name()
}

func (a *author) name() string {
	switch {
	case a.Member != nil && a.Member.Nick != "":
		return a.Member.Nick
	case a.GlobalName != "":
		return a.GlobalName
	}
	return a.Username
}

// files returns the message's files.
func (m *message) files() (files []chat.InboundFile) {
	list := m.Attachments
	for i := range m.Snapshots {
		list = append(list, m.Snapshots[i].Message.Attachments...)
	}
	for _, a := range list {
		name := a.Name
		if a.Title != "" && strings.Contains(a.Title, ".") {
			name = a.Title
		}
		kind, _, _ := strings.Cut(a.Type, ";")
		files = append(files, chat.InboundFile{Ref: fileRef(m.Channel, m.ID, a.ID), Filename: name, MimeType: kind, Size: a.Size})
	}
	return files
}

// described describes content that is neither text nor file.
func (c *content) described() string {
	if c.Poll != nil {
		return "📊 " + c.Poll.Question.Text
	}
	var names []string
	for _, s := range c.Stickers {
		names = append(names, "["+s.Name+"]")
	}
	return strings.Join(names, " ")
}
