package discordtest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/discord/discordtest"
)

// The fake sees what the official document forbids, and what notifies people.
func TestViolations(t *testing.T) {
	const quiet = `"allowed_mentions":{"parse":[],"replied_user":false}`
	for _, c := range []struct{ body, violation string }{
		{`{"content":"a","nonce":"K","enforce_nonce":true,` + quiet + `}`, ""},
		{`{"content":"a","nonce":"K","enforce_nonce":true}`, "may notify somebody"},
		{`{"content":"a",` + quiet + `}`, "enforced nonce"},
		{`{"content":"a","nonce":"abcdefghijklmnopqrstuvwxyz","enforce_nonce":true,` + quiet + `}`, "nonce"},
		{`{"content":7,"nonce":"K","enforce_nonce":true,` + quiet + `}`, "content is float64"},
		{`{"text":"a","content":"a","nonce":"K","enforce_nonce":true,` + quiet + `}`, "has no text"},
		{`{"content":"a","nonce":"K","enforce_nonce":true,"message_reference":{},` + quiet + `}`, "needs message_id"},
	} {
		f := discordtest.NewInBubble(t)
		r, err := http.NewRequest(http.MethodPost, "http://discord.test/api/v10/channels/"+f.Channel+"/messages", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bot "+f.Token)
		if strings.Contains(c.body, `"message_reference":{}`) || strings.Contains(c.violation, "float64") {
			r.URL.Path = "/api/v10/channels/1/messages" // the schema comes first
		}
		resp, err := f.Transport().RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		got := strings.Join(f.Violations(), "; ")
		if (c.violation == "") != (got == "") || !strings.Contains(got, c.violation) {
			t.Errorf("%s: %q, want %q", c.body, got, c.violation)
		}
	}
}
