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

// owner names the session of an event: in flat fields, and as the object that
// receivers written for other servers read.
type owner struct {
	SessionID string  `json:"sessionId"`
	Site      string  `json:"site,omitempty"` // as soon as there are several
	VisitorID string  `json:"visitorId"`
	Session   session `json:"session"`
}

func (o *owner) belongTo(own owner) { *o = own }

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
	Sources     chat.Sources      `json:"sources,omitempty"`
	Buttons     chat.Buttons      `json:"buttons,omitempty"`
	EditedAt    chat.Time         `json:"editedAt,omitzero"`
	DeletedAt   chat.Time         `json:"deletedAt,omitzero"`
}

// typeOfMessage prefixes the type of a message's event with the sender.
func typeOfMessage(t chat.EventType, sender chat.Sender) string {
	return string(sender) + "_" + string(t)
}

// body is the data of an event as receivers see it, read from the event's payload.
type body interface{ belongTo(own owner) }

// bodies make the body of each type of event. Types without one are not sent.
var bodies = map[chat.EventType]func() body{
	chat.EventNewSession: func() body {
		return &struct {
			owner
			Session json.RawMessage `json:"session"`
		}{}
	},
	chat.EventMessageRead: func() body {
		return &struct {
			owner
			MessageIDs []string  `json:"messageIds"`
			Status     string    `json:"status"`
			At         chat.Time `json:"at"`
		}{}
	},
	chat.EventIdentityUpdate: func() body {
		return &struct {
			owner
			Identity json.RawMessage `json:"identity"`
			Verified bool            `json:"verified"`
		}{}
	},
	chat.EventDisconnect: func() body {
		return &struct {
			owner
			Duration float64 `json:"duration"`
			Reason   string  `json:"reason"`
		}{}
	},
	chat.EventCSATSubmitted: func() body {
		return &struct {
			owner
			Score       int       `json:"score"`
			Comment     string    `json:"comment"`
			RespondedAt chat.Time `json:"respondedAt"`
		}{}
	},
	chat.EventCustom: func() body { return &customEvent{} },
	chat.EventSessionClosed: func() body {
		return &struct {
			owner
			At chat.Time `json:"at"`
		}{}
	},
	chat.EventSessionReopened: func() body {
		return &struct {
			owner
			At chat.Time `json:"at"`
		}{}
	},
	chat.EventTagged: func() body {
		return &struct {
			owner
			Tags chat.Tags `json:"tags"`
			By   string    `json:"by,omitempty"`
			At   chat.Time `json:"at"`
		}{}
	},
	chat.EventStatusSet: func() body { return &operatorStatus{} },
	chat.EventAITakeover: func() body {
		return &struct {
			owner
			Active bool   `json:"active"`
			Reason string `json:"reason,omitempty"`
		}{}
	},
}

// customEvent is the body of a custom event, which names its session once more.
type customEvent struct {
	owner
	Event struct {
		chat.CustomEvent
		SessionID string `json:"sessionId"`
	} `json:"event"`
}

// UnmarshalJSON reads the payload, which is the event itself.
func (c *customEvent) UnmarshalJSON(payload []byte) error {
	return json.Unmarshal(payload, &c.Event.CustomEvent)
}

func (c *customEvent) belongTo(own owner) { c.owner, c.Event.SessionID = own, own.SessionID }

// operatorStatus is the body of a status that a backend set. It belongs to no
// session.
type operatorStatus struct {
	Online bool      `json:"online"`
	At     chat.Time `json:"at"`
}

func (*operatorStatus) belongTo(owner) {}

// translate renders an event for receivers: its type and data. The type is "" for
// events that are not sent to receivers.
func translate(e *chat.Event, site, visitorID string, links *chat.FileLinks) (name string, data json.RawMessage, err error) {
	own := owner{e.SessionID, site, visitorID, session{e.SessionID, visitorID}}
	switch e.Type {
	case chat.EventMessage, chat.EventMessageEdited, chat.EventMessageDeleted:
		return translateMessage(e, own, links)
	}
	newBody, sent := bodies[e.Type]
	if !sent {
		return "", nil, nil
	}
	out := newBody()
	if err := json.Unmarshal(e.Payload, out); err != nil {
		return "", nil, fmt.Errorf("read event %s.%d: %w", e.SessionID, e.Rev, err)
	}
	out.belongTo(own)
	data, err = encode(out)
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
		out.Sources, out.Buttons = m.Sources, m.Buttons
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
	if e.Type == chat.EventMessage { // a visitor's has no name, and a source only through an agent
		body.OperatorName, body.SourceBridge = m.OperatorName, m.SourceBridge
	}
	data, err = encode(body)
	return typeOfMessage(e.Type, m.Sender), data, err
}
