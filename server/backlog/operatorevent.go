package backlog

import (
	"encoding/json"

	"github.com/relay-chat/relay/server/chat"
)

// operatorMessage is an operator's event about a message, see OperatorEvent in
// schema/openapi.yaml.
type operatorMessage struct {
	Type         string            `json:"type"`
	SessionID    string            `json:"sessionId"`
	MessageID    string            `json:"messageId"`
	Content      *string           `json:"content,omitempty"` // absent of a deleted one
	SourceBridge string            `json:"sourceBridge"`
	OperatorName string            `json:"operatorName,omitempty"`
	Timestamp    chat.Time         `json:"timestamp"`
	ReplyTo      string            `json:"replyTo,omitempty"`
	Attachments  []chat.Attachment `json:"attachments,omitempty"`
	Sources      chat.Sources      `json:"sources,omitempty"`
	Buttons      chat.Buttons      `json:"buttons,omitempty"`
	EditedAt     chat.Time         `json:"editedAt,omitzero"`
	DeletedAt    chat.Time         `json:"deletedAt,omitzero"`
}

// operatorAct is an operator's event about a session, which only
// ?types=all shows.
type operatorAct struct {
	Type         string    `json:"type"`
	SessionID    string    `json:"sessionId"`
	SourceBridge string    `json:"sourceBridge"`
	OperatorName string    `json:"operatorName,omitempty"`
	Timestamp    chat.Time `json:"timestamp"`
	MessageIDs   []string  `json:"messageIds,omitempty"`
	Status       string    `json:"status,omitempty"`
	Active       *bool     `json:"active,omitempty"`
	Reason       string    `json:"reason,omitempty"`
}

// operatorEvent renders an operator's event for backends, and reports
// whether it is about a message. It returns nil for the backend's own events,
// which do not return to it.
func operatorEvent(e *chat.Event, files *chat.FileLinks) (data []byte, common bool) {
	if !e.For(chat.StreamBackend) {
		return nil, false
	}
	switch e.Type {
	case chat.EventMessage, chat.EventMessageEdited, chat.EventMessageDeleted:
		m, err := e.Message()
		if err != nil || m.Sender == chat.SenderVisitor || m.Sender == chat.SenderAI && e.Source != chat.SourceAI {
			return nil, false
		}
		files.Show(&m, 0)
		data, _ = json.Marshal(operatorMessageOf(e, &m))
		return data, m.Sender == chat.SenderOperator
	}
	act := operatorAct{}
	if json.Unmarshal(e.Payload, &act) != nil {
		return nil, false
	}
	act.Type, act.SessionID, act.SourceBridge, act.Timestamp = string(e.Type), e.SessionID, e.Source, e.At
	if e.Type == chat.StateTyping {
		act.Type = "operator_typing"
	}
	data, _ = json.Marshal(act)
	return data, false
}

func operatorMessageOf(e *chat.Event, m *chat.Message) operatorMessage {
	out := operatorMessage{Type: string(m.Sender) + "_" + string(e.Type), SessionID: e.SessionID, MessageID: m.ID, SourceBridge: e.Source,
		OperatorName: m.OperatorName, Timestamp: m.Timestamp}
	switch e.Type {
	case chat.EventMessage:
		out.Content, out.ReplyTo, out.Attachments = &m.Content, m.ReplyTo, m.Attachments.V
		out.Sources, out.Buttons = m.Sources, m.Buttons
	case chat.EventMessageEdited:
		out.Content, out.EditedAt = &m.Content, m.EditedAt
	default:
		out.DeletedAt = m.DeletedAt
	}
	return out
}
