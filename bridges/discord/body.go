package discord

import (
	"strings"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/server/chat"
)

// noMentions notifies nobody, whatever the text says.
var noMentions = discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}}

// newMessage creates a message. Links have no preview: that would visit a
// visitor's links.
type newMessage struct {
	Content      string                           `json:"content,omitempty"`
	Embeds       []embed                          `json:"embeds,omitempty"`
	Flags        discordgo.MessageFlags           `json:"flags,omitempty"`
	Mentions     discordgo.MessageAllowedMentions `json:"allowed_mentions"`
	Reference    *reference                       `json:"message_reference,omitempty"`
	Attachments  []fileHead                       `json:"attachments,omitempty"`
	Nonce        string                           `json:"nonce,omitempty"`
	EnforceNonce bool                             `json:"enforce_nonce,omitempty"`
}

// messageChange edits a message. Without allowed_mentions Discord would notify
// again.
type messageChange struct {
	Content  string                           `json:"content"`
	Flags    discordgo.MessageFlags           `json:"flags"`
	Mentions discordgo.MessageAllowedMentions `json:"allowed_mentions"`
}

// reference is the message that is answered. A deleted one is no obstacle.
type reference struct {
	Message         string `json:"message_id"`
	FailIfNotExists bool   `json:"fail_if_not_exists"`
}

// embed is the first message of a thread.
type embed struct {
	Author      *embedAuthor `json:"author,omitempty"`
	Description string       `json:"description,omitempty"`
	Footer      *embedFooter `json:"footer,omitempty"`
	URL         string       `json:"url,omitempty"`
	Color       int          `json:"color,omitempty"`
}

type embedAuthor struct {
	Name string `json:"name"`
}

type embedFooter struct {
	Text string `json:"text"`
}

// newThread creates a thread from a message.
type newThread struct {
	Name    string `json:"name"`
	Archive int    `json:"auto_archive_duration"`
}

// newPost creates a thread in a forum.
type newPost struct {
	newThread
	Tags    []string   `json:"applied_tags,omitempty"`
	Message newMessage `json:"message"`
}

// threadChange archives, reopens or unlocks a thread.
type threadChange struct {
	Archived *bool `json:"archived,omitempty"`
	Locked   *bool `json:"locked,omitempty"`
}

// keepOpen is how many minutes a thread stays open without a message: a week, the
// longest that Discord allows.
const keepOpen = 10080

// messageOf returns the message of an op.
func messageOf(op chat.Op) newMessage {
	m := newMessage{Content: render(op), Flags: discordgo.MessageFlagsSuppressEmbeds, Mentions: noMentions, Nonce: op.Key, EnforceNonce: op.Key != ""}
	if op.Kind == chat.OpNote {
		m.Flags |= discordgo.MessageFlagsSuppressNotifications
	}
	if op.File == nil && blank(m.Content) {
		m.Content = "(no visible text)"
	}
	if isSnowflake(op.ReplyTo) {
		m.Reference = &reference{Message: op.ReplyTo}
	}
	return m
}

// blank reports whether a text has no visible characters: Discord rejects such a
// message.
func blank(text string) bool {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }) == ""
}

// markAddress is the prefix of an invisible, unreachable address in a thread's
// first message, which identifies the call that created it.
const markAddress = "https://relay.invalid/"

// firstMessage returns a thread's first message. It leads back to the session even
// if the thread is renamed.
func firstMessage(op chat.Op) newMessage {
	e := embed{Author: &embedAuthor{naming.Title(op.Title, 200)}, Description: escape(op.Text), Color: 0x5865F2}
	if token := anchors.Token(op.SessionID); token != "" {
		e.Footer = &embedFooter{token}
	}
	if op.Key != "" {
		e.URL = markAddress + op.Key
	}
	return newMessage{Embeds: []embed{e}, Mentions: noMentions}
}
