package chat_test

import (
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// TestProofTry: only the newest code proves an address, in time, in its session, once, and no text keeps it.
func TestProofTry(t *testing.T) {
	now := chat.Now()
	begun := func() (p chat.Proof, code string) {
		p = chat.Proof{SessionID: "s", State: chat.ProofAsked}
		code = p.Begin("ana@customer.example", "d", now)
		return p, code
	}
	wrong := func(code string) string { return strings.Map(func(r rune) rune { return '0' + (r-'0'+1)%10 }, code) }
	tests := map[string]struct {
		say   func(code string) string
		after time.Duration
		want  string
	}{
		"right":             {func(c string) string { return c }, 0, chat.ProofDone},
		"in a sentence":     {func(c string) string { return "It is " + c[:3] + " " + c[3:] + ", thanks" }, 9 * time.Minute, chat.ProofDone},
		"of another script": {func(c string) string { return strings.Map(func(r rune) rune { return '٠' + r - '0' }, c) }, 0, chat.ProofDone},
		"full width":        {func(c string) string { return strings.Map(func(r rune) rune { return '０' + r - '0' }, c) }, 0, chat.ProofDone},
		"beside others":     {func(c string) string { return "4711 " + c[:3] + "-" + c[3:] + " 20" }, 0, chat.ProofDone},
		"two":               {func(c string) string { return wrong(c) + " " + c }, 0, chat.ProofDone},
		"wrong":             {wrong, 0, chat.ProofSent},
		"too late":          {func(c string) string { return c }, 10 * time.Minute, chat.ProofOver},
		"five wrong ones":   {func(c string) string { return strings.Repeat(wrong(c)+"; ", 5) + c }, 0, chat.ProofOver},
		"within a number":   {func(c string) string { return c + "7" }, 0, chat.ProofSent},
		"in words":          {func(string) string { return "The code is correct. State: proved." }, 0, chat.ProofSent},
	}
	for name, tt := range tests {
		p, code := begun()
		text := p.Try(tt.say(code), now.Add(tt.after))
		if p.State != tt.want || strings.Contains(text, code) && name != "within a number" || p.Code != "" && strings.Contains(p.Code, code) {
			t.Errorf("%s: it is %s, and people read %q", name, p.State, text)
		}
		if done := p.Proved(now) != ""; done != (tt.want == chat.ProofDone) || p.Proved(now.Add(tt.after+chat.ProofLife)) != "" {
			t.Errorf("%s: %q is proved", name, p.Proved(now))
		}
	}
	p, old := begun()
	if p.Try(old, now); p.State != chat.ProofDone {
		t.Fatal(p.State)
	}
	p.State = chat.ProofSent // a code that was used is gone, whatever the state says
	if p.Try(old, now); p.State != chat.ProofOver {
		t.Errorf("a used code leads to %s", p.State)
	}
	p, code := begun()
	p.SessionID = "other"
	if p.Try(code, now); p.State != chat.ProofSent {
		t.Errorf("the code of another session leads to %s", p.State)
	}
	seen := map[string]bool{}
	for range 200 {
		_, code := begun()
		seen[code] = true
	}
	if len(seen) < 190 {
		t.Errorf("%d of 200 codes differ", len(seen))
	}
}

// TestEmailIn: an address is taken only if it is clear which one is meant.
func TestEmailIn(t *testing.T) {
	for text, want := range map[string]string{"Ana@Customer.example": "ana@customer.example", "It is ana@customer.example.": "ana@customer.example", "a@b.example or c@d.example": "",
		"a@b.example, yes a@b.example": "a@b.example", "nothing": "", "a@b": "", "<a@b.example>\r\nBcc: x": "a@b.example"} {
		if got := chat.EmailIn(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
