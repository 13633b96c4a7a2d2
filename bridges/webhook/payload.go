package webhook

import (
	"encoding/json"
	"fmt"

	"github.com/relay-chat/relay/server/chat"
)

// envelope renders the body of a request: exactly these three keys.
func envelope(event string, data json.RawMessage, sentAt chat.Time) []byte {
	return fmt.Appendf(nil, `{"type":"%s","data":%s,"sentAt":"%s"}`, event, data, sentAt)
}

// facts are the fields of all event payloads.
type facts struct {
	Session     json.RawMessage `json:"session"`
	MessageIDs  []string        `json:"messageIds"`
	Status      string          `json:"status"`
	At          chat.Time       `json:"at"`
	Identity    json.RawMessage `json:"identity"`
	Verified    bool            `json:"verified"`
	Duration    float64         `json:"duration"`
	Reason      string          `json:"reason"`
	Score       int             `json:"score"`
	Comment     string          `json:"comment"`
	RespondedAt chat.Time       `json:"respondedAt"`
	Name        string          `json:"name"`
	Data        json.RawMessage `json:"data"`
	Timestamp   chat.Time       `json:"timestamp"`
	Online      bool            `json:"online"`
	Active      bool            `json:"active"`
}

// owner names the session of an event: in flat fields, and as the object that
// receivers written for other servers read.
type owner struct {
	SessionID string  `json:"sessionId"`
	VisitorID string  `json:"visitorId"`
	Session   session `json:"session"`
}

// session is a session's short form.
type session struct {
	ID        string `json:"id"`
	VisitorID string `json:"visitorId"`
}

// message is a message as receivers see it.
type message struct {
	ID          string            `json:"id"`
	Content     *string           `json:"content,omitempty"` // absent when deleted
	ReplyTo     string            `json:"replyTo,omitempty"`
	Attachments []chat.Attachment `json:"attachments,omitempty"`
	EditedAt    chat.Time         `json:"editedAt,omitzero"`
	DeletedAt   chat.Time         `json:"deletedAt,omitzero"`
}

// customEvent is a custom event as receivers see it.
type customEvent struct {
	chat.CustomEvent
	SessionID string `json:"sessionId"`
}

// TypeOf returns an event's type as receivers see it.
func TypeOf(e *chat.Event) string {
	switch e.Type {
	case chat.EventMessage, chat.EventMessageEdited, chat.EventMessageDeleted:
		if m, err := e.Message(); err == nil {
			return typeOfMessage(e.Type, m.Sender)
		}
	}
	return string(e.Type)
}

// typeOfMessage prefixes the type of a message's event with the sender.
func typeOfMessage(t chat.EventType, sender chat.Sender) string {
	return string(sender) + "_" + string(t)
}

// translate renders an event for receivers: its type and data. The type is "" for
// events that are not sent to receivers.
func translate(e *chat.Event, visitorID string, links *chat.FileLinks) (name string, data json.RawMessage, err error) {
	own := owner{e.SessionID, visitorID, session{e.SessionID, visitorID}}
	switch e.Type {
	case chat.EventMessage, chat.EventMessageEdited, chat.EventMessageDeleted:
		return translateMessage(e, own, links)
	}
	var f facts
	if err := json.Unmarshal(e.Payload, &f); err != nil {
		return "", nil, fmt.Errorf("read event %s.%d: %w", e.SessionID, e.Rev, err)
	}
	var body any
	switch e.Type {
	case chat.EventNewSession:
		body = struct {
			owner
			Session json.RawMessage `json:"session"`
		}{own, f.Session}
	case chat.EventMessageRead:
		body = struct {
			owner
			MessageIDs []string  `json:"messageIds"`
			Status     string    `json:"status"`
			At         chat.Time `json:"at"`
		}{own, f.MessageIDs, f.Status, f.At}
	case chat.EventIdentityUpdate:
		body = struct {
			owner
			Identity json.RawMessage `json:"identity"`
			Verified bool            `json:"verified"`
		}{own, f.Identity, f.Verified}
	case chat.EventDisconnect:
		body = struct {
			owner
			Duration float64 `json:"duration"`
			Reason   string  `json:"reason"`
		}{own, f.Duration, f.Reason}
	case chat.EventCSATSubmitted:
		body = struct {
			owner
			Score       int       `json:"score"`
			Comment     string    `json:"comment"`
			RespondedAt chat.Time `json:"respondedAt"`
		}{own, f.Score, f.Comment, f.RespondedAt}
	case chat.EventCustom:
		body = struct {
			owner
			Event customEvent `json:"event"`
		}{own, customEvent{chat.CustomEvent{Name: f.Name, Data: chat.Raw(f.Data), Timestamp: f.Timestamp}, e.SessionID}}
	case chat.EventSessionClosed:
		body = struct {
			owner
			At chat.Time `json:"at"`
		}{own, f.At}
	case chat.EventStatusSet:
		body = struct {
			Online bool      `json:"online"`
			At     chat.Time `json:"at"`
		}{f.Online, f.At}
	case chat.EventAITakeover:
		body = struct {
			owner
			Active bool   `json:"active"`
			Reason string `json:"reason,omitempty"`
		}{own, f.Active, f.Reason}
	default:
		return "", nil, nil
	}
	data, err = encode(body)
	return string(e.Type), data, err
}

// translateMessage renders an event about a message.
func translateMessage(e *chat.Event, own owner, links *chat.FileLinks) (name string, data json.RawMessage, err error) {
	m, err := e.Message()
	if err != nil {
		return "", nil, fmt.Errorf("read event %s.%d: %w", e.SessionID, e.Rev, err)
	}
	links.Show(&m, 0)
	out := message{ID: m.ID}
	switch e.Type {
	case chat.EventMessage:
		out.Content, out.ReplyTo, out.Attachments = &m.Content, m.ReplyTo, m.Attachments.V
	case chat.EventMessageEdited:
		out.Content, out.EditedAt = &m.Content, m.EditedAt
	default:
		out.DeletedAt = m.DeletedAt
	}
	body := struct {
		owner
		Message      message `json:"message"`
		OperatorName string  `json:"operatorName,omitempty"`
		SourceBridge string  `json:"sourceBridge,omitempty"`
	}{owner: own, Message: out}
	if e.Type == chat.EventMessage && m.Sender != chat.SenderVisitor {
		body.OperatorName, body.SourceBridge = m.OperatorName, m.SourceBridge
	}
	data, err = encode(body)
	return typeOfMessage(e.Type, m.Sender), data, err
}
