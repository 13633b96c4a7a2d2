package outbound

import (
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestNotes: what a thread shows of events that are no messages.
func TestNotes(t *testing.T) {
	for _, tt := range []struct {
		event         chat.EventType
		payload, want string
	}{
		{chat.EventDisconnect, `{"duration":12.6,"reason":"page_unload"}`, "The visitor left the page after 13s."},
		{chat.EventDisconnect, `{"duration":90,"reason":"inactivity"}`, "The visitor was inactive for long after 1m30s."},
		{chat.EventDisconnect, `{"reason":"manual"}`, "The visitor closed the chat."},
		{chat.EventAITakeover, `{"active":true}`, "The AI answers now, until an operator writes."},
		{chat.EventAITakeover, `{"active":false}`, "The AI stopped answering."},
		{chat.EventIdentityUpdate, `{"identity":{"name":"Ada"},"verified":true}`, "Name: Ada\nIdentity: verified"},
	} {
		if got, err := noteOf(&chat.Event{Type: tt.event, Payload: chat.Raw(tt.payload)}); got != tt.want || err != nil {
			t.Errorf("%s %s shows %q, %v; want %q", tt.event, tt.payload, got, err, tt.want)
		}
	}
}

// TestSummary: a thread is called after its visitor and begins with what is known
// of it.
func TestSummary(t *testing.T) {
	s := chat.Session{VisitorID: "v_8f14e45f", Metadata: chat.Of(chat.Metadata{URL: "https://shop.test/a/", Country: "NL", Browser: "Firefox", DeviceType: "mobile", Referrer: "https://search.test/", Language: "nl"})}
	const page = "Page: https://shop.test/a/\nReferrer: https://search.test/\nCountry: NL\nBrowser: Firefox\nDevice: mobile\nLanguage: nl\n"
	const hint = "Write here to answer. !help lists the commands; messages starting with // are internal notes."
	nickname := chat.Nickname(s.VisitorID)
	for _, tt := range []struct{ identity, title, summary string }{
		{"", nickname + " · shop.test/a", page + hint},
		{`{"email":"ada@example.com"}`, "ada@example.com", "Email: ada@example.com\nIdentity: not verified\n" + page + hint},
		{`{"email":"ada@example.com","name":"Ada"}`, "Ada", "Name: Ada\nEmail: ada@example.com\nIdentity: not verified\n" + page + hint},
	} {
		s.Identity = chat.Raw(tt.identity)
		if title, summary := s.Title(nil), summaryOf(s.Describe(), false); title != tt.title || summary != tt.summary {
			t.Errorf("%s: %q\n%s\nwant %q\n%s", tt.identity, title, summary, tt.title, tt.summary)
		}
	}
	s.Identity = nil
	for url, want := range map[string]string{"": nickname, "https://shop.test/": nickname + " · shop.test", "https://shop.test/a b?c=d": nickname + " · shop.test/a b"} {
		s.Metadata = chat.Of(chat.Metadata{URL: url})
		if got := s.Title(nil); got != want {
			t.Errorf("at %q: %q, want %q", url, got, want)
		}
	}
}

// TestAgentsAreMarked: a thread says of what a visitor's own agent wrote that it did.
func TestAgentsAreMarked(t *testing.T) {
	for source, want := range map[string]string{"": "", chat.SourceAgent: "Visitor, through an agent"} {
		if got := authorOf(&chat.Message{Sender: chat.SenderVisitor, SourceBridge: source}); got != want {
			t.Errorf("from %q the author is %q, want %q", source, got, want)
		}
	}
}
