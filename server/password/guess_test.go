package password

import (
	"strings"
	"testing"
)

func TestGuessable(t *testing.T) {
	for given, want := range map[string]bool{
		"1234567890": true, "12341234123": true, "qwertyuiop": true, "abcdefghij": true, "password12": true, "Password1!": true, "iloveyou12": true, "dragon1986": true,
		"passwordpassword": true, "Welcome2026": true, "adalovelace": true, "Ada.Lovelace1": true, "lovelace1815": true, "relayrelay1": true, strings.Repeat("w", 200): true,
		"correct horse battery": false, "kX9$fQ2!mz": false, "katze hund maus": false, "Tr0ub4dor&3": false, "мойпароль1": false, "密码密码密码密码密码": false,
		strings.Repeat("correct horse battery staple ", 40): false, "\xff\xfe and other bytes": false,
	} {
		if got := Guessable(given, "Ada Lovelace", "ada.lovelace@example.com"); got != want {
			t.Errorf("%.40q: guessable %t, want %t", given, got, want)
		}
	}
}

// FuzzGuessable: no password makes the check fail, however long or odd it is.
func FuzzGuessable(f *testing.F) {
	f.Add("correct horse battery", "Ada")
	f.Add("\xff1111111111", "")
	f.Fuzz(func(_ *testing.T, given, own string) { Guessable(given, own) })
}
