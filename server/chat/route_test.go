package chat

import (
	"slices"
	"testing"
	"time"
)

// TestRoute is the whole routing table: every event from every source, to two
// bridges and the webhook.
func TestRoute(t *testing.T) {
	targets := []Target{{Name: "telegram", Kind: TargetBridge}, {Name: "slack", Kind: TargetBridge}, {Name: "webhook", Kind: TargetWebhook}}
	everyone := []string{"telegram", "slack", "webhook"}
	bridges := []string{"telegram", "slack"}
	tests := []struct {
		event  EventType
		source string
		want   []string
	}{
		{EventNewSession, SourceWidget, everyone},
		{EventMessage, SourceWidget, everyone},
		{EventMessage, SourceConsole, everyone},
		{EventMessage, SourceAPI, everyone},
		{EventMessage, "telegram", []string{"slack", "webhook"}},
		{EventMessage, "slack", []string{"telegram", "webhook"}},
		{EventMessageEdited, SourceWidget, everyone},
		{EventMessageEdited, "slack", []string{"telegram", "webhook"}},
		{EventMessageDeleted, SourceWidget, everyone},
		{EventMessageDeleted, "telegram", []string{"slack", "webhook"}},
		{EventMessageRead, SourceWidget, everyone},
		{EventMessageRead, SourceConsole, []string{"webhook"}},
		{EventMessageRead, "telegram", []string{"webhook"}},
		{EventIdentityUpdate, SourceWidget, everyone},
		{EventSessionClosed, SourceConsole, everyone},
		{EventSessionClosed, "slack", []string{"telegram", "webhook"}},
		{EventSessionReopened, SourceWidget, bridges},
		{EventSessionReopened, "telegram", []string{"slack"}},
		{EventCustom, SourceWidget, everyone},
		{EventCustom, SourceAPI, nil},
		{EventCSATSubmitted, SourceWidget, everyone},
		{EventCSATRequest, SourceConsole, nil},
		{EventMerged, SourceConsole, bridges},
		{EventDisconnect, SourceWidget, everyone},
		{EventAITakeover, "ai", everyone},
		{EventLeaving, SourceWidget, []string{LeaveSink}},
		{StateTyping, SourceWidget, nil},
		{EventStatusSet, SourceAPI, everyone},
		{EventNotice, "slack", []string{"telegram"}},
		{EventNotice, "webhook", bridges},
	}
	for _, tt := range tests {
		t.Run(string(tt.event)+" from "+tt.source, func(t *testing.T) {
			var got []string
			for _, d := range Route(&Event{Type: tt.event, Source: tt.source}, &Session{}, targets) {
				got = append(got, d.Dest)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("goes to %v, want %v", got, tt.want)
			}
		})
	}
}

// TestRouteToAI: what visitors write waits for operators, unless the AI answers
// already or only proposes; what operators ask of it does not wait.
func TestRouteToAI(t *testing.T) {
	const delay = 5 * time.Minute
	visitors := Event{Type: EventMessage, Sender: SenderVisitor, Payload: Raw(`{"type":"message","content":"hi","sender":"visitor"}`)}
	operators := Event{Type: EventMessage, Sender: SenderOperator, Payload: Raw(`{"type":"message","content":"\"sender\":\"visitor\"","sender":"operator"}`)}
	draft := Event{Type: EventAIRequest, Payload: Raw(`{"type":"ai_request","kind":"draft"}`)}
	again := Event{Type: EventAIRequest, Payload: Raw(`{"type":"ai_request","kind":"answer"}`)}
	edited := Event{Type: EventMessageEdited, Sender: SenderVisitor, Payload: visitors.Payload}
	tests := []struct {
		name    string
		event   Event
		session Session
		target  Target
		want    []Destination
	}{
		{"a visitor's message", visitors, Session{}, Target{Delay: delay}, []Destination{{AISink, delay}}},
		{"at once", visitors, Session{}, Target{}, []Destination{{AISink, 0}}},
		{"while it answers", visitors, Session{AIActive: true}, Target{Delay: delay}, []Destination{{AISink, AIGather}}},
		{"while it answers, at once", visitors, Session{AIActive: true}, Target{}, []Destination{{AISink, 0}}},
		{"drafts", visitors, Session{}, Target{Delay: delay, Drafts: true}, []Destination{{AISink, AIGather}}},
		{"where it ended", visitors, Session{AIEnded: true}, Target{Delay: delay}, nil},
		{"an operator's message", operators, Session{AIActive: true}, Target{Delay: delay}, nil},
		{"an edit", edited, Session{AIActive: true}, Target{Delay: delay}, nil},
		{"a request", draft, Session{AIEnded: true}, Target{Delay: delay}, []Destination{{AIRequestSink, 0}}},
		{"let again", again, Session{}, Target{Delay: delay}, []Destination{{AISink, AIGather}}},
		{"an event", Event{Type: EventNewSession, Payload: Raw("{}")}, Session{}, Target{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.target.Name, tt.target.Kind = AISink, TargetAI
			if got := Route(&tt.event, &tt.session, []Target{tt.target}); !slices.Equal(got, tt.want) {
				t.Errorf("goes to %v, want %v", got, tt.want)
			}
		})
	}
}
