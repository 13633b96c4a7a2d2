package chat

import "time"

// Target is a sink in the routing table.
type Target struct {
	Name string
	Kind Audience
	// Delay is how long operators have to answer before the AI does, or before they are
	// notified or get an e-mail, or visitors to read before they get an e-mail. Drafts: the AI only proposes answers to them.
	Delay  time.Duration
	Drafts bool
	// Rehearses: the AI answers topics alone that have earned it.
	Rehearses bool
	// Events are the only ones that a webhook beside the first gets.
	Events Words
}

// Route decides who receives an event. It is the only place that handles
// fan-out and loops: an event never returns to the platform it came from.
func Route(e *Event, s *Session, targets []Target) []Destination {
	if e.For(TargetLeave) {
		return []Destination{{Dest: LeaveSink, Delay: LeaveGrace}}
	}
	if e.For(TargetSteps) {
		return []Destination{{Dest: UnansweredSink, Delay: e.Wait}}
	}
	var to []Destination
	for i := range targets {
		switch t := &targets[i]; {
		case t.Name == e.Source || !e.For(t.Kind):
		case t.Kind == TargetHook && !t.Events.Has(e.ReceivedType()):
		case t.Kind == TargetAI:
			to = append(to, t.aiDestinations(e, s)...)
		case t.Kind == TargetPush, t.Kind == TargetMembers:
			to = append(to, Destination{Dest: t.Name, Delay: t.Delay})
		case t.Kind == TargetMail:
			to = append(to, t.mailDestinations(e, s)...)
		default:
			to = append(to, Destination{Dest: t.Name})
		}
	}
	return to
}

// The sources that are not bridges.
const (
	SourceWidget  = "widget"
	SourceConsole = "console"
	SourceAPI     = "api"
	// SourceAssistant marks, for the team, what an assistant wrote by the API.
	SourceAssistant = "assistant"
	SourceAI        = "ai"
	// SourceAgent marks a visitor's message that the visitor's own agent wrote, at the front door.
	SourceAgent = "agent"
	SourceRelay = "relay" // relay itself
)

// The destinations of what relay itself does later: announced leaves, the steps for who is not
// answered, and asking for e-mails to the team.
const (
	LeaveSink      = "leave"
	UnansweredSink = "unanswered"
	MembersSink    = "members"
)

// OwnSinks are the destinations whose deliveries go to nobody.
var OwnSinks = []string{LeaveSink, UnansweredSink, MembersSink}

// LeaveGrace is how long a visitor may be away between two pages.
const LeaveGrace = 30 * time.Second
