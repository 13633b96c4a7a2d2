package webhook

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

var update = flag.Bool("update", false, "write the golden files of events that nothing makes yet")

const moment = "2026-01-31T12:00:00.000Z"

// TestPayloads renders the events that no part of relay makes yet, and those that the first
// webhook does not get. Those of all others are held to their golden files where they happen, in package server.
func TestPayloads(t *testing.T) {
	for _, tt := range []struct {
		name    string
		event   chat.EventType
		payload string
	}{
		{"ai_message", chat.EventMessage, `{"type":"message","id":"ID","sessionId":"ID","content":"We open at nine.","sender":"ai","timestamp":"` + moment + `","attachments":[],"operatorName":"AI","sourceBridge":"ai","sources":[{"title":"Opening hours","url":"https://shop.example/hours"}]}`},
		{"session_reopened", chat.EventSessionReopened, `{"type":"session_reopened","sessionId":"ID","at":"` + moment + `"}`},
		{"session_tagged", chat.EventTagged, `{"type":"session_tagged","sessionId":"ID","by":"Olga","at":"` + moment + `","tags":["bug"]}`},
		{"ai_takeover", chat.EventAITakeover, `{"type":"ai_takeover","sessionId":"ID","active":true,"reason":"no operator answered"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name, data, err := translate(&chat.Event{SessionID: "ID", Type: tt.event, Payload: chat.Raw(tt.payload)}, "", "visitor-1", nil)
			if name != tt.name || err != nil {
				t.Fatalf("it is called %q, %v", name, err)
			}
			golden(t, name, strings.ReplaceAll(string(envelope(name, data, 0)), chat.Time(0).String(), "TIME")+"\n")
		})
	}
}

// TestButtons: receivers get what the visitor is offered.
func TestButtons(t *testing.T) {
	payload := chat.Raw(`{"type":"message","id":"ID","sessionId":"ID","content":"Which one?","sender":"operator","timestamp":"` + moment +
		`","attachments":[],"buttons":[{"text":"Red"},{"text":"All","url":"https://shop.example/"}]}`)
	_, data, err := translate(&chat.Event{SessionID: "ID", Type: chat.EventMessage, Payload: payload}, "", "visitor-1", nil)
	if want := `"message":{"id":"ID","content":"Which one?","buttons":[{"text":"Red"},{"text":"All","url":"https://shop.example/"}]}`; !strings.Contains(string(data), want) || err != nil {
		t.Errorf("%s, %v; want %s", data, err, want)
	}
}

// TestVerified: receivers are told whether an identity is proven.
func TestVerified(t *testing.T) {
	const want = `{"sessionId":"ID","visitorId":"visitor-1","session":{"id":"ID","visitorId":"visitor-1"},"identity":{"id":"7"},"verified":true}`
	_, data, err := translate(&chat.Event{SessionID: "ID", Type: chat.EventIdentityUpdate, Payload: chat.Raw(`{"identity":{"id":"7"},"verified":true}`)}, "", "visitor-1", nil)
	if string(data) != want || err != nil {
		t.Errorf("%s, %v; want %s", data, err, want)
	}
}

// TestEventsNobodyHearsOf: what is not in the list of webhooks has no name.
func TestEventsNobodyHearsOf(t *testing.T) {
	for _, e := range []chat.EventType{chat.EventAssigned, chat.EventCSATRequest, chat.EventLeaving} {
		if name, _, err := translate(&chat.Event{Type: e, Payload: chat.Raw(`{}`)}, "", "visitor-1", nil); name != "" || err != nil {
			t.Errorf("%s is posted as %q, %v", e, name, err)
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "webhook", name+".json")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is\n%swant\n%s", name, got, want)
	}
}

// TestAgentsAreMarked: receivers learn that a visitor's own agent wrote, and of others nothing more.
func TestAgentsAreMarked(t *testing.T) {
	for source, want := range map[string]string{"": "", chat.SourceAgent: `,"sourceBridge":"agent"}`} {
		m := chat.Message{ID: "m1", Content: "hi", Sender: chat.SenderVisitor, SourceBridge: source}
		name, data, err := translate(&chat.Event{SessionID: "ID", Type: chat.EventMessage, Payload: chat.MustJSON(m)}, "", "visitor-1", nil)
		if err != nil || name != "visitor_message" || !strings.HasSuffix(string(data), want) || (want == "") == strings.Contains(string(data), "sourceBridge") {
			t.Errorf("from %q they get %s %s, %v", source, name, data, err)
		}
	}
}
