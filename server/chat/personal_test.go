package chat

import (
	"strings"
	"testing"
)

// TestWithoutPersonal: what tells who somebody is does not go on, and what was asked does.
func TestWithoutPersonal(t *testing.T) {
	for text, want := range map[string]string{
		"Where is my order? My mail is ada.lovelace@example.com": "Where is my order? My mail is […]",
		"Call me at +44 20 7946 0958, please":                    "Call me at […], please",
		"Rufen Sie 0316/123456 an":                               "Rufen Sie […] an",
		"My card is 4111 1111 1111 1111":                         "My card is […]",
		"IBAN AT61 1904 3002 3457 3201 is right":                 "IBAN […] is right",
		"Order A-2024118 is late":                                "Order […] is late",
		"Why does https://shop.example/o?token=hunter2 fail?":    "Why does https://shop.example/o fail?",
		"Hello, my name is Ada Lovelace. Do you ship?":           "Hello, my name is […]. Do you ship?",
		"Ich heiße Jörg Müller und suche Schuhe":                 "Ich heiße […] und suche Schuhe",
		"Liefern Sie in die Hauptstraße 12?":                     "Liefern Sie in die […]?",
		"I live at 221b Baker Street":                            "I live at […]",
		"I am GRACE, is it Grace's parcel?":                      "I am […], is it […]'s parcel?",
		"Do you sell carpets?":                                   "Do you sell carpets?",
		"Do size 42 and 1,200 W fit 230 V?":                      "Do size 42 and 1,200 W fit 230 V?",
		"Is the 2024 model gracefully made?":                     "Is the 2024 model gracefully made?",
		"Open on 24 December?":                                   "Open on 24 December?",
	} {
		if got := WithoutPersonal(text, "Grace", "Hopper", "x"); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	s := Session{Identity: Raw(`{"name":"Grace Hopper","plan":"gold"}`), PreChat: Raw(`{"email":"g@example.com"}`)}
	if got := WithoutPersonal("Hopper, the gold plan of g@example.com", s.PersonalWords()...); strings.Contains(got, "Hopper") || !strings.Contains(got, "gold plan") {
		t.Errorf("what is known is %q", got)
	}
}
