package onetime_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/onetime"
)

// The codes of RFC 6238, Appendix B, in six digits; and the clock may be one period off.
func TestStep(t *testing.T) {
	secret := "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" // 12345678901234567890
	for at, code := range map[int64]string{1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130"} {
		step := at / 30
		for off := int64(-2); off <= 2; off++ {
			got, right := onetime.Step(secret, code, time.Unix(at+30*off, 0))
			if want := off >= -1 && off <= 1; right != want || want && got != step {
				t.Errorf("%s %d periods off: step %d, %t; want %d", code, off, got, right, step)
			}
		}
	}
	for _, code := range []string{"", "28708", "2870820", "287083", "28708a", "２８７０８２", strings.Repeat("2", 100000), "\x00\xff"} {
		if _, right := onetime.Step(secret, code, time.Unix(59, 0)); right {
			t.Errorf("%.20q is right", code)
		}
	}
	if _, right := onetime.Step("not base32!", "287082", time.Unix(59, 0)); right {
		t.Error("a damaged secret has a code")
	}
}

// An app reads the secret and its names from the address.
func TestNew(t *testing.T) {
	secret, address, err := onetime.New("relay [::1]", "ada+x@example.com")
	other, _, _ := onetime.New("relay", "ada@example.com")
	if err != nil || len(secret) != 32 || secret == other {
		t.Fatalf("secrets %q and %q, %v", secret, other, err)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/relay [  1]:ada+x@example.com" || u.Query().Get("secret") != secret || u.Query().Get("issuer") != "relay [  1]" {
		t.Errorf("the address is %s, %v", address, err)
	}
}

// Recovery codes differ, and are read however they are typed.
func TestRecovery(t *testing.T) {
	seen := map[string]bool{}
	for _, code := range append(onetime.Recovery(), onetime.Recovery()...) {
		plain := onetime.Plain(code)
		if !onetime.IsRecovery(plain) || onetime.Plain(" "+strings.ToLower(strings.ReplaceAll(code, "-", " "))) != plain {
			t.Errorf("%q is read as %q", code, plain)
		}
		seen[plain] = true
	}
	if len(seen) != 20 || onetime.IsRecovery("123456") {
		t.Errorf("%d codes differ", len(seen))
	}
}

// FuzzStep: no code makes the check fail.
func FuzzStep(f *testing.F) {
	f.Add("GEZDGNBV", "287082")
	f.Fuzz(func(_ *testing.T, secret, code string) { onetime.Step(secret, onetime.Plain(code), time.Unix(59, 0)) })
}
