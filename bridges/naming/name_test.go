package naming

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/cut"
)

var short = Names{Limit: 100, Plain: 40, Encoded: 40}

func TestName(t *testing.T) {
	for _, c := range []struct{ title, session, want, back string }{
		{"Alice", "s-1", "Alice · #s-1", "s-1"},
		{"Alice\n #fake", "", "Alice #fake ·", ""},
		{"", "", "Visitor", ""},
		{"Bob #x", "a b/c", "Bob #x · #~YSBiL2M", "a b/c"},
		{"Bob", "~YQ", "Bob · #~fllR", "~YQ"},
		{strings.Repeat("x", 200), "s-1", strings.Repeat("x", 92) + "… · #s-1", "s-1"},
		{"Plain", strings.Repeat("s", 41), "Plain", ""},
		{"Long", strings.Repeat("é", 30), "Long", ""},
		{"\u202eevil\u0000", "", "evil", ""},
	} {
		got := short.Name(c.title, c.session)
		if back := short.Session(got); got != c.want || back != c.back {
			t.Errorf("it is %q of %q, want %q of %q", got, back, c.want, c.back)
		}
	}
}

// FuzzName: whatever visitor and session are called, the name fits and leads
// back to the session, or to none.
func FuzzName(f *testing.F) {
	f.Add("Alice", "s-1")
	f.Add("Bob #x", "a b/c")
	f.Add("#~YQ", strings.Repeat("é", 30))
	f.Fuzz(func(t *testing.T, title, session string) {
		for _, names := range []Names{short, {Limit: 128, Plain: 110, Encoded: 82}} {
			want := session
			if names.Token(session) == "" {
				want = ""
			}
			got := names.Name(title, session)
			if back := names.Session(got); back != want || got == "" || cut.Units(got) > names.Limit {
				t.Errorf("%q (%d units) leads back to %q, want %q", got, cut.Units(got), back, want)
			}
		}
	})
}
