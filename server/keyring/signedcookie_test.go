package keyring

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestSignedCookies: a value opens for its name and key until its life is over, and
// nothing else does.
func TestSignedCookies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cookies := Cookies{[]byte("a key of the server"), time.Hour}
		value := cookies.Sign("name", "Ada Löve. 🦊")
		if text, ok := cookies.Open("name", value); !ok || text != "Ada Löve. 🦊" {
			t.Errorf("the value opens as %q, %v", text, ok)
		}
		later := "9" + value
		for what, forged := range map[string]string{"empty": "", "dots": "..", "cut": value[:len(value)-1], "longer life": later, "no signature": value[:strings.LastIndexByte(value, '.')],
			"another text": strings.Replace(value, ".", ".x", 1), "no base64": value + "!"} {
			if text, ok := cookies.Open("name", forged); ok {
				t.Errorf("%s opens as %q", what, text)
			}
		}
		if _, ok := cookies.Open("other", value); ok {
			t.Error("it opens under another cookie's name")
		}
		if _, ok := (Cookies{[]byte("another key"), time.Hour}).Open("name", value); ok {
			t.Error("it opens with another key")
		}
		time.Sleep(time.Hour)
		if _, ok := cookies.Open("name", value); ok {
			t.Error("it opens after its life")
		}
	})
}
