package engine

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestLanguageOf: the last sentence of the AI is in the language that the visitor
// writes, not only in that of its browser.
func TestLanguageOf(t *testing.T) {
	tests := []struct{ browser, text, want string }{
		{"de-AT", "", "de"}, {"en-US", "", "en"}, {"", "", "en"}, {"xx", "?", "en"}, {"no", "", "nb"}, {"zh-Hant-TW", "", "zh"},
		{"de-AT", "What is the price for shipping to Austria?", "en"},
		{"en-US", "Wie lange ist die Lieferzeit und was kostet das?", "de"},
		{"en", "Comment puis-je renvoyer le paquet avec une étiquette pour la France ? Vous avez", "fr"},
		{"en", "¿Cuándo llega el pedido y cómo lo puedo pagar?", "es"},
		{"de", "ok", "de"}, {"de", "Apfelstrudel", "de"},
		{"en", "返品できますか", "ja"}, {"en", "可以退货吗", "zh"}, {"ja", "返品可能", "ja"},
		{"en", "هل يمكنني الإرجاع؟", "ar"}, {"fa-IR", "سلام", "fa"}, {"en", "반품", "ko"}, {"en", "Можно вернуть?", "ru"}, {"uk", "Можна повернути?", "uk"},
	}
	for _, tt := range tests {
		s := &chat.Session{Metadata: chat.Of(chat.Metadata{Language: tt.browser})}
		if got := LanguageOf(s, tt.text); got != tt.want {
			t.Errorf("%q by a browser in %q is %q, want %q", tt.text, tt.browser, got, tt.want)
		}
	}
}

// TestHandBackText: it promises no more than that a person answers here.
func TestHandBackText(t *testing.T) {
	for language, f := range farewells {
		if f.unsure == "" || f.person == "" {
			t.Errorf("%s says not all", language)
		}
		if got := HandBackText("", language, chat.AIEndUnsure); got != f.unsure+" "+f.person || strings.Contains(strings.ToLower(got), "mail") {
			t.Errorf("%s: %q", language, got)
		}
		if got := HandBackText("", language, chat.AIEndAsked); got != f.person {
			t.Errorf("%s: %q", language, got)
		}
	}
}
