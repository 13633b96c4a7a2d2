package chat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"time"
)

// EventType names an event; it is also the name of the stream's SSE event.
type EventType string

// The facts. Each takes the next revision of its session and is stored.
const (
	EventNewSession     EventType = "new_session"
	EventMessage        EventType = "message"
	EventMessageEdited  EventType = "message_edited"
	EventMessageDeleted EventType = "message_deleted"
	EventMessageRead    EventType = "message_read"
	// The same for internal notes. They have types of their own, so that clients that
	// do not request notes get none.
	EventNote            EventType = "note"
	EventNoteEdited      EventType = "note_edited"
	EventNoteDeleted     EventType = "note_deleted"
	EventIdentityUpdate  EventType = "identity_update"
	EventSessionClosed   EventType = "session_closed"
	EventSessionReopened EventType = "session_reopened"
	EventCustom          EventType = "custom_event"
	EventCSATRequest     EventType = "csat_request"
	EventCSATSubmitted   EventType = "csat_submitted"
	EventDisconnect      EventType = "visitor_disconnect"
	EventAITakeover      EventType = "ai_takeover"
	// Operators organise conversations; visitors do not see these events.
	EventAssigned EventType = "session_assigned"
	EventTagged   EventType = "session_tagged"
	EventSnoozed  EventType = "session_snoozed"
	// EventMerged stands in both sessions, of which the team merged one into the other.
	EventMerged EventType = "session_merged"
	// EventStatusSet: the operators' status was set. EventNotice: relay itself
	// notifies operators. They belong to no session, see SystemSession.
	EventStatusSet EventType = "operator_status"
	EventNotice    EventType = "notice"
	// EventLeaving is a disconnect that may turn out to be a change of
	// page. Only the leave sink gets it, after a delay.
	EventLeaving EventType = "visitor_leaving"
	// EventUnanswered: a visitor still waits for an answer, and operators are notified again.
	// EventStepDue waits for the next step of the rule for that; relay alone gets it.
	EventUnanswered EventType = "unanswered"
	EventStepDue    EventType = "step_due"
	// EventMailed: what the visitor had not read went out by e-mail, or did not.
	EventMailed EventType = "mailed"
	// EventTeamMail asks for an e-mail to somebody of the team. Only the mail sink gets it.
	EventTeamMail EventType = "team_mail"
	// EventDailyMail asks for somebody's daily e-mail. It belongs to no session.
	EventDailyMail EventType = "daily_mail"
	// EventMailReply asks for an e-mail that answers one of somebody of the team.
	EventMailReply EventType = "mail_reply"
	// EventTranscriptMail asks for an e-mail to the visitor with all that was said.
	EventTranscriptMail EventType = "transcript_mail"
	// EventInvitationMail asks for an e-mail with an invitation. It belongs to no session.
	EventInvitationMail EventType = "invitation_mail"
	// EventAIRequest is an operator's request to the AI. Only the AI gets it.
	EventAIRequest EventType = "ai_request"
)

// EntryPage: the visitor went to another page. It is on the timeline, and no event.
const EntryPage EventType = "page_view"

// The states. They have no revision, are not stored and may be lost.
const (
	StateConnected      EventType = "connected"
	StateTyping         EventType = "typing"
	StateOperatorStatus EventType = "operator_status"
	StatePresence       EventType = "operator_presence" // for the console only
	StateConfig         EventType = "config"
	StateResync         EventType = "resync"
	StateSessionErased  EventType = "session_erased"
	StateSessionBlocked EventType = "session_blocked"
	// StateSessionUnread shows operators how many messages of a session are unread, where no
	// receipt says it.
	StateSessionUnread  EventType = "session_unread"
	StateDeliveryFailed EventType = "delivery_failed"
	// StateOperatorViewing shows operators that one of them has a session on the screen, or left it.
	StateOperatorViewing EventType = "operator_viewing"
	// StateVisitorPage shows operators which page a visitor went to.
	StateVisitorPage EventType = "visitor_page"
	// StateVisitorDraft shows the console what a visitor is writing and has not sent.
	StateVisitorDraft EventType = "visitor_draft"
	// StateVisitorPresence shows operators whether a session's visitor is there.
	StateVisitorPresence EventType = "visitor_presence"
	StateDeliveryDone    EventType = "delivery_done"
)

// Event is the only thing that moves through relay.
type Event struct {
	SessionID string    `db:"session_id"`
	Rev       int64     `db:"rev"` // 0 for a state
	Type      EventType `db:"type"`
	// Source is where the event came from: a bridge's name, "console", "api",
	// "widget" or "ai". The event is never sent back there.
	Source string `db:"source"`
	// MessageID is the message the event is about, or empty.
	MessageID string `db:"message_id"`
	// Sender wrote that message. It is known of new events, not of those that are read
	// from the store: they were routed when they were new.
	Sender Sender `db:"-"`
	// Payload is the event as the streams write it, a JSON object with type
	// and sessionId, rendered once. Attachments carry no URL in it.
	Payload Raw  `db:"payload"`
	At      Time `db:"at"`
	// OfMessage: this is the event that [EventOf] derives from the message with its
	// revision. A store that holds the message need not hold the event.
	OfMessage bool `db:"-"`
	// Wait is how long relay waits with a new [EventStepDue] or [EventTeamMail].
	Wait time.Duration `db:"-"`
}

// EventOf returns the event that brought a message, as it is read from the store. It
// shows the original message, unless that was deleted: then it is gone
// from here too.
func EventOf(m Message) Event {
	if m.DeletedAt == 0 {
		m.DeliveredAt, m.ReadAt, m.SentAt = 0, 0, 0
	}
	e := NewMessageEvent(m.EventType(EventMessage), cmp.Or(m.SourceBridge, SourceWidget), m.Timestamp, &m)
	e.Rev, e.Sender = m.Seq, ""
	return e
}

// Name identifies an event within its session, also across a
// restart of bridge mode, which loses the revisions.
func (e *Event) Name() string { return itoa(e.Rev) + "." + itoa(int64(e.At)) }

// Message decodes the message of a message event.
func (e *Event) Message() (Message, error) {
	var m Message
	err := json.Unmarshal(e.Payload, &m)
	return m, err
}

// HideFromOthers removes what is not for one side: the client id of the other one and, for the
// visitor, that an assistant wrote.
func (m *Message) HideFromOthers(forOperators bool) {
	if (m.Sender == SenderVisitor) == forOperators {
		m.ClientID = ""
	}
	if !forOperators && m.SourceBridge == SourceAssistant {
		m.SourceBridge = SourceAPI
	}
}

// Show returns the payload for an audience: attachments with their
// links, and without fields that only the other side sees.
func (e *Event) Show(links *FileLinks, until Time, forOperators bool) Raw {
	files := bytes.Contains(e.Payload, []byte(`"attachments":[{`))
	// Inside texts quotes are escaped, so that no content looks like a field.
	private := bytes.Contains(e.Payload, []byte(`"sender":"visitor"`)) == forOperators && bytes.Contains(e.Payload, []byte(`"clientId"`))
	private = private || !forOperators && bytes.Contains(e.Payload, []byte(`"sourceBridge":"`+SourceAssistant+`"`))
	if e.MessageID == "" || !files && !private {
		return e.Payload
	}
	m, err := e.Message()
	if err != nil {
		return e.Payload
	}
	m.HideFromOthers(forOperators)
	links.Show(&m, until)
	return Render(e.Type, "", m)
}

// ByRelay reports whether relay itself said it, to a visitor who waits or at the end of an idle
// conversation: that answers nothing.
func (m *Message) ByRelay() bool { return m.SourceBridge == SourceRelay }

// noteEvents maps message events to the same events about notes.
var noteEvents = map[EventType]EventType{EventMessage: EventNote, EventMessageEdited: EventNoteEdited, EventMessageDeleted: EventNoteDeleted}

// EventType returns the type of an event about the message.
func (m *Message) EventType(t EventType) EventType {
	if m.Internal {
		return noteEvents[t]
	}
	return t
}

// Receipt is the payload of [EventMessageRead].
type Receipt struct {
	MessageIDs []string `json:"messageIds"`
	Status     string   `json:"status"` // delivered or read
	At         Time     `json:"at"`
}

// NewMessageEvent renders an event about a message; the payload is the message
// itself behind its type.
func NewMessageEvent(t EventType, source string, at Time, m *Message) Event {
	payload := append(append(append(make([]byte, 0, 384+len(m.Content)), `{"type":"`...), t...), `",`...)
	return Event{SessionID: m.SessionID, Type: t, Source: source, MessageID: m.ID, Sender: m.Sender, At: at, Payload: m.appendFields(payload)}
}

// NewEvent renders an event about a session. Its revision is set by the
// transaction that appends it.
func NewEvent(t EventType, source string, at Time, sessionID string, body any) Event {
	return Event{SessionID: sessionID, Type: t, Source: source, Payload: Render(t, sessionID, body), At: at}
}

// Render makes the payload: type, sessionId, then body's fields.
func Render(t EventType, sessionID string, body any) Raw {
	head := struct {
		Type      EventType `json:"type"`
		SessionID string    `json:"sessionId,omitempty"`
	}{t, sessionID}
	out := MustJSON(head)
	if body == nil {
		return out
	}
	fields := MustJSON(body)
	if len(fields) <= 2 {
		return out
	}
	out = append(out[:len(out)-1], ',')
	return append(out, fields[1:]...)
}

// MustJSON marshals relay's own types, which always succeeds.
func MustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
