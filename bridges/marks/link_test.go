package marks_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/marks"
)

// TestLinkWords: words that read as an address stand beside the address, not on it;
// widget and console follow the same cases.
func TestLinkWords(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../testdata/linkwords.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Words string
		Lies  bool
	}
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) == 0 {
		t.Fatal(err, len(cases))
	}
	for _, c := range cases {
		if got := marks.AddressLike(c.Words); got != c.Lies {
			t.Errorf("%+q: %v, want %v", c.Words, got, c.Lies)
		}
		if hidden := strings.HasPrefix(marks.Link(c.Words, "https://a.example/x"), "["); hidden == c.Lies {
			t.Errorf("%+q: a link %v", c.Words, hidden)
		}
	}
}
