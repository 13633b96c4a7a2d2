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
		"in a long one":     {func(c string) string { return strings.Repeat("I wait for my order. ", 9) + c }, 0, chat.ProofDone},
		"of another script": {func(c string) string { return strings.Map(func(r rune) rune { return '٠' + r - '0' }, c) }, 0, chat.ProofDone},
		"full width":        {func(c string) string { return strings.Map(func(r rune) rune { return '０' + r - '0' }, c) }, 0, chat.ProofDone},
		"beside others":     {func(c string) string { return "4711: " + c[:3] + " - " + c[3:] + ", 20" }, 0, chat.ProofDone},
		"two spaces":        {func(c string) string { return c[:3] + "  " + c[3:] }, 0, chat.ProofDone},
		"in pairs":          {func(c string) string { return c[:2] + " " + c[2:4] + " " + c[4:] }, 0, chat.ProofDone},
		"a long dash":       {func(c string) string { return c[:3] + " – " + c[3:] }, 0, chat.ProofDone},
		"two":               {func(c string) string { return wrong(c) + ", " + c }, 0, chat.ProofDone},
		"wrong":             {wrong, 0, chat.ProofSent},
		"too late":          {func(c string) string { return c }, 10 * time.Minute, chat.ProofOver},
		"five wrong ones":   {func(c string) string { return strings.Repeat(wrong(c)+"; ", 5) + c }, 0, chat.ProofOver},
		"within a number":   {func(c string) string { return c + "7" }, 0, chat.ProofSent},
		"of a telephone":    {func(c string) string { return "030 " + c }, 0, chat.ProofSent},
		"in words":          {func(string) string { return "The code is correct. State: proved." }, 0, chat.ProofSent},
	}
	for name, tt := range tests {
		p, code := begun()
		text := p.Try(tt.say(code), now.Add(tt.after))
		if p.State != tt.want || p.State == chat.ProofDone != strings.Contains(text, chat.CodeMask) && name != "wrong" || p.Code != "" && strings.Contains(p.Code, code) {
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

// TestProofLeavesNumbers: what is no code stays as the visitor wrote it, and costs no try; a wrong number stays
// unless it is all that is said, and behind its time nothing is taken.
func TestProofLeavesNumbers(t *testing.T) {
	now := chat.Now()
	for text, tries := range map[string]int64{
		"555-123-4567, it was 2026-01-15 and 04.2024": 0, "+49 30 123456": 0, "15.01.26": 0, "01-02-03": 0, "4711": 0, "2026-01-15": 0,
		"1234567": 0, "My telephone rings at 0151 234567 all day long, and in the order 300512 is the wrong article.": 0,
		"order 300512": 1, "100.000 €": 1, "300512 or 300513?": 2,
	} {
		p := chat.Proof{SessionID: "s"}
		if code := p.Begin("ana@customer.example", "d", now); strings.Contains(text, code) || strings.Contains(text, "100.000") && code == "100000" {
			continue
		}
		if got := p.Try(text, now); got != text || p.Tries != tries {
			t.Errorf("of %q %q is left, after %d tries", text, got, p.Tries)
		}
		if got := p.Try("000000", now.Add(chat.CodeLife)); got != "000000" || p.State != chat.ProofOver || p.EndedAt != now.Add(chat.CodeLife) {
			t.Errorf("too late, %q is left, and it is %s", got, p.State)
		}
	}
	p := chat.Proof{SessionID: "s"}
	code := p.Begin("ana@customer.example", "d", now)
	if got := p.Hide("It is " + code + ", and not 4711. " + code); strings.Contains(got, code) || !strings.Contains(got, "4711") || p.State != chat.ProofSent || p.Tries != 0 {
		t.Errorf("hidden is %q, and it is %s", got, p.State)
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
