package discord

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/server/chat"
)

// Parse implements [chat.Bridge]. It returns what people do in threads of the
// bridge's channel.
func (r *receiver) Parse(raw []byte) ([]chat.Inbound, error) {
	var e event
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, fmt.Errorf("%w: not an update from Discord: %w", chat.ErrPermanent, err)
	}
	if e.Parent != r.cfg.ChannelID {
		return nil, nil
	}
	list, err := e.inbound()
	if err != nil {
		return nil, fmt.Errorf("%w: unreadable %s: %w", chat.ErrPermanent, e.Type, err)
	}
	return list, nil
}

// inbound translates an event; it is empty when the event does not matter.
func (e *event) inbound() ([]chat.Inbound, error) {
	switch e.Type {
	case "MESSAGE_CREATE", "MESSAGE_UPDATE":
		return e.message()
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		return e.deletions()
	case "THREAD_UPDATE", "THREAD_DELETE":
		return e.threadState()
	case typeListed:
		return e.listed()
	case "INTERACTION_CREATE":
		return e.command()
	}
	return nil, nil
}

// in returns an inbound event of a thread.
func (e *event) in(kind chat.InboundKind, thread string) chat.Inbound {
	return chat.Inbound{Kind: kind, Thread: chat.Thread{Bridge: Name, Channel: e.Parent, Ref: thread}, SessionID: e.Session}
}

var errNoID = errors.New("an id is missing")

// message returns a message or an edit of one. Discord also sends edits that nobody
// made: a preview was added, a message was pinned.
func (e *event) message() ([]chat.Inbound, error) {
	var m message
	if err := json.Unmarshal(e.Data, &m); err != nil {
		return nil, err
	}
	if m.ID == "" || m.Channel == "" {
		return nil, errNoID
	}
	edit := e.Type == "MESSAGE_UPDATE"
	if !m.human() || edit && (m.EditedAt == nil || m.Content == nil) {
		return nil, nil
	}
	in := e.in(chat.InboundMessage, m.Channel)
	in.Remote, in.Operator, in.Text, in.At = m.ID, m.name(), m.text(), chat.TimeOf(m.Timestamp)
	in.Handles = []string{m.Author.ID, m.Author.Username}
	if edit {
		left := len(m.files())
		in.Kind, in.At, in.FilesLeft = chat.InboundEdited, chat.TimeOf(*m.EditedAt), &left
		return []chat.Inbound{in}, nil
	}
	if m.Reference != nil && m.Kind == discordgo.MessageTypeReply {
		in.ReplyTo = m.Reference.Message
	}
	in.Files = m.files()
	if in.Text == "" && len(in.Files) == 0 {
		return nil, nil
	}
	return []chat.Inbound{in}, nil
}

// text returns a message's text, with that of forwarded messages.
func (m *message) text() string {
	var parts []string
	if m.Content != nil && *m.Content != "" {
		parts = append(parts, plain(*m.Content, m.Mentions))
	}
	for i := range m.Snapshots {
		s := &m.Snapshots[i].Message
		if text := plain(s.Content, nil); text != "" {
			parts = append(parts, text)
		} else if text := s.described(); text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return m.described()
	}
	return strings.Join(parts, "\n")
}

// deletions returns deleted messages.
func (e *event) deletions() (list []chat.Inbound, err error) {
	var d deletion
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return nil, err
	}
	if d.ID != "" {
		d.IDs = append(d.IDs, d.ID)
	}
	if d.Channel == "" || len(d.IDs) == 0 {
		return nil, errNoID
	}
	for _, id := range d.IDs {
		in := e.in(chat.InboundDeleted, d.Channel)
		in.Remote = id
		list = append(list, in)
	}
	return list, nil
}

// threadState returns a thread that was archived, reopened or deleted.
func (e *event) threadState() ([]chat.Inbound, error) {
	var c channel
	if err := json.Unmarshal(e.Data, &c); err != nil {
		return nil, err
	}
	if c.ID == "" {
		return nil, errNoID
	}
	kind := chat.InboundThreadReopened
	switch {
	case e.Type == "THREAD_DELETE":
		kind = chat.InboundThreadDeleted
	case c.idle():
		return nil, nil
	case c.archived():
		kind = chat.InboundThreadClosed
	}
	in := e.in(kind, c.ID)
	if c.Thread != nil && !c.Thread.ArchivedAt.IsZero() {
		in.At = chat.TimeOf(c.Thread.ArchivedAt)
	}
	return []chat.Inbound{in}, nil
}

// typeListed is the type of relay's own event after it read a thread.
const typeListed = "RELAY_LISTED"

// listing is what a reading found: the messages of a thread after one of them.
type listing struct {
	Channel string   `json:"channel_id"`
	Since   string   `json:"since"`
	IDs     []string `json:"ids"`
}

func (e *event) listed() ([]chat.Inbound, error) {
	var l listing
	if err := json.Unmarshal(e.Data, &l); err != nil {
		return nil, err
	}
	if l.Channel == "" {
		return nil, errNoID
	}
	in := e.in(chat.InboundListed, l.Channel)
	in.Since, in.Standing = l.Since, l.IDs
	return []chat.Inbound{in}, nil
}
