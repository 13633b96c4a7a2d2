package chat

import (
	"slices"
	"testing"
)

// TestRoute is the whole routing table: every event from every source, to two
// bridges and the webhook.
func TestRoute(t *testing.T) {
	targets := []Target{{"telegram", TargetBridge}, {"slack", TargetBridge}, {"webhook", TargetWebhook}}
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
			for _, d := range route(&Event{Type: tt.event, Source: tt.source}, targets) {
				got = append(got, d.Dest)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("goes to %v, want %v", got, tt.want)
			}
		})
	}
}
