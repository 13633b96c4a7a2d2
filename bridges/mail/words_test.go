package mail

import (
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// TestHeadsInEachLanguage: in a transcript dates and the word for the AI are those of the language.
func TestHeadsInEachLanguage(t *testing.T) {
	m := chat.Message{Sender: chat.SenderAI, Timestamp: chat.TimeOf(time.Date(2026, 3, 7, 14, 5, 0, 0, time.UTC))}
	for language, want := range map[string]string{
		"en": "Mia (AI) · 7 March 2026, 14:05 UTC", "de": "Mia (KI) · 7. März 2026, 14:05 UTC", "es": "Mia (IA) · 7 de marzo de 2026, 14:05 UTC",
		"fr": "Mia (IA) · 7 mars 2026, 14:05 UTC", "it": "Mia (IA) · 7 marzo 2026, 14:05 UTC", "pt": "Mia (IA) · 7 de março de 2026, 14:05 UTC",
		"nl": "Mia (AI) · 7 maart 2026, 14:05 UTC", "pl": "Mia (AI) · 7 marca 2026, 14:05 UTC", "sv": "Mia (AI) · 7 mars 2026, 14:05 UTC",
		"tr": "Mia (YZ) · 7 Mart 2026, 14:05 UTC", "ja": "Mia (AI) · 2026年3月7日 14:05 UTC", "zh": "Mia (AI) · 2026年3月7日 14:05 UTC",
		"ar": "Mia (ذكاء اصطناعي) · 7 مارس 2026، 14:05 UTC", "he": "Mia (AI) · 7 במרץ 2026, 14:05 UTC",
	} {
		p := page{phrases: languages()[language], zone: time.UTC, name: "Shop"}
		if got := p.headOf(&m, "Mia"); got != want {
			t.Errorf("%s: %q, want %q", language, got, want)
		}
		if p.fill(); !strings.Contains(p.Copy, "Shop") || len(strings.Fields(p.Months)) != 12 {
			t.Errorf("%s: %q, %q", language, p.Copy, p.Months)
		}
	}
	if len(languages()) != 14 {
		t.Errorf("%d languages", len(languages()))
	}
}
