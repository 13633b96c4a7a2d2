package ai

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestMasks: cards, accounts, tokens and addresses of e-mail are hidden from the model, and other
// numbers stay.
func TestMasks(t *testing.T) {
	for text, want := range map[string]string{
		"my card 4111 1111 1111 1111 fails":                   "my card [card number] fails",
		"٤١١١١١١١١١١١١١١١":                                    "[card number]",
		"order 4111 1111 1111 1112":                           "order 4111 1111 1111 1112",
		"pay to DE89 3704 0044 0532 0130 00, please":          "pay to [bank account], please",
		"gb82west12345698765432":                              "[bank account]",
		"DE89 3704 0044 0532 0130 01":                         "DE89 3704 0044 0532 0130 01",
		"see https://a.example/reset?token=abc#x now":         "see https://a.example/reset now",
		"https://me:pw@a.example/x":                           "https://a.example/x",
		"https://a.example/r/0123456789abcdef01234567":        "https://a.example/r/[secret]",
		"Bearer abcdef0123456789abcdef":                       "[secret]",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.x1": "[secret]",
		"ask ada@home.example or bob@home.example":            "ask [e-mail address] or [e-mail address]",
		"my number is +49 30 1234567":                         "my number is +49 30 1234567",
	} {
		if got := (masks{}).hide(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	messages := []chat.Message{{Sender: chat.SenderVisitor, Content: "I am ada@home.example"}}
	if got := masksOf(messages).restore("Write to [e-mail address]."); got != "Write to ada@home.example." {
		t.Errorf("operators read %q", got)
	}
	messages[0].Content += " or bob@home.example"
	if got := masksOf(messages).restore("[e-mail address]"); strings.Contains(got, "ada") {
		t.Errorf("one of two is guessed: %q", got)
	}
}
