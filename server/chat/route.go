package chat

import "time"

// TargetKind decides which events a target gets.
type TargetKind int

// The kinds of targets.
const (
	TargetBridge  TargetKind = iota + 1 // a platform: what operators see
	TargetWebhook                       // the outgoing webhook: the events under webhooks in schema/openapi.yaml
	TargetAI                            // the AI: visitors' messages and operators' requests
	TargetPush                          // operators' browsers: visitors' messages
)

// Target is a sink in the routing table.
type Target struct {
	Name string
	Kind TargetKind
	// Delay is how long operators have to answer before the AI does, or before they are
	// notified. Drafts: the AI only proposes answers to them.
	Delay  time.Duration
	Drafts bool
}

// route decides who receives an event. It is the only place that handles
// fan-out and loops: an event never returns to the platform it came from.
func route(e *Event, s *Session, targets []Target) []Destination {
	if e.Type == EventLeaving {
		return []Destination{{Dest: LeaveSink, Delay: leaveGrace}}
	}
	var to []Destination
	for i := range targets {
		t := &targets[i]
		if t.Kind == TargetAI {
			to = append(to, t.aiDestinations(e, s)...)
			continue
		}
		if t.Kind == TargetPush {
			if e.byVisitor() {
				to = append(to, Destination{Dest: t.Name, Delay: t.Delay})
			}
			continue
		}
		if t.Name != e.Source && wants(t.Kind, e) {
			to = append(to, Destination{Dest: t.Name})
		}
	}
	return to
}

// wants is the routing table.
func wants(kind TargetKind, e *Event) bool {
	switch e.Type {
	case EventNewSession, EventMessage, EventMessageEdited, EventMessageDeleted,
		EventIdentityUpdate, EventSessionClosed, EventCSATSubmitted, EventDisconnect, EventAITakeover, EventStatusSet:
		return true
	case EventCustom:
		return e.Source == SourceWidget
	case EventMessageRead: // delivery receipts are for the streams only
		return e.Source == SourceWidget || (kind == TargetWebhook && e.Source != SourceRelay)
	case EventSessionReopened, EventNotice, EventNote, EventNoteEdited, EventNoteDeleted:
		return kind == TargetBridge
	}
	return false
}

// The sources that are not bridges.
const (
	SourceWidget  = "widget"
	SourceConsole = "console"
	SourceAPI     = "api"
	SourceAI      = "ai"
	SourceRelay   = "relay" // relay itself
)
