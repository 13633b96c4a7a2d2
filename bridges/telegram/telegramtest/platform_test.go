package telegramtest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

// ask makes a call of the Bot API and returns the description of the refusal,
// "" when there was none.
func ask(t *testing.T, f *telegramtest.Platform, method, body string) string {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://telegram.test/bot"+f.Token+"/"+method, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := f.Transport().RoundTrip(r)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct{ Description string }
	if err := json.NewDecoder(bytes.NewReader(answer)).Decode(&parsed); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	return parsed.Description
}

const chat = `{"chat_id":-1001234567890,`

// The fake sees what the official schema forbids.
func TestViolations(t *testing.T) {
	for _, c := range []struct{ method, body, violation string }{
		{"sendMessage", chat + `"text":"a"}`, ""},
		{"sendMessage", chat + `"text":"a","reply_to_message_id":4}`, "sendMessage has no reply_to_message_id"},
		{"sendMessage", chat[:len(chat)-1] + `}`, "sendMessage needs text"},
		{"sendMessage", chat + `"text":7}`, "sendMessage.text is float64, not String"},
		{"sendMessage", chat + `"text":"a","message_thread_id":"5"}`, "sendMessage.message_thread_id is string, not Integer"},
		{"sendMessage", chat + `"text":"a","link_preview_options":{"disabled":true}}`, "sendMessage.link_preview_options has no disabled"},
		{"sendMessage", chat + `"text":"a","reply_parameters":{}}`, "sendMessage.reply_parameters needs message_id"},
		{"setMessageReaction", chat + `"message_id":1,"reaction":[{"type":"emoji","emoji":"✅"}]}`, `must not be "✅"`},
		{"setMessageReaction", chat + `"message_id":1,"reaction":[{"type":"emoji","emoji":"👌"}]}`, ""},
		{"createForumTopic", chat + `"name":"` + strings.Repeat("a", 129) + `"}`, "129 characters, not 1 to 128"},
		{"getUpdates", `{"limit":101}`, "101, not 1 to 100"},
		{"setWebhook", `{"url":"https://x","allowed_updates":["message",1]}`, "allowed_updates[1] is float64"},
		{"sendGift", `{}`, "there is no method sendGift"},
	} {
		f := telegramtest.NewInBubble(t)
		ask(t, f, c.method, c.body)
		got := strings.Join(f.Violations(), "; ")
		if (got == "") != (c.violation == "") || !strings.Contains(got, c.violation) {
			t.Errorf("%s %s: %q, want %q", c.method, c.body, got, c.violation)
		}
	}
}

// The fake refuses in the server's words.
func TestRefusals(t *testing.T) {
	f := telegramtest.NewInBubble(t)
	f.Shut()
	thread := f.MakeTopic("by hand")
	theirs := f.Write(thread, "Ada", "hello", "")
	for _, c := range []struct{ method, body, want string }{
		{"sendMessage", chat + `"text":"a","message_thread_id":1}`, ""},
		{"sendMessage", chat + `"text":"a","message_thread_id":99}`, "message thread not found"},
		{"sendMessage", chat + `"text":" "}`, "message text is empty"},
		{"sendMessage", chat + `"text":"` + strings.Repeat("😀", 2049) + `"}`, "message is too long"},
		{"sendMessage", chat + `"text":"1 < 2","parse_mode":"HTML"}`, "can't parse entities"},
		{"sendMessage", chat + `"text":"<b>a","parse_mode":"HTML"}`, "can't parse entities"},
		{"sendMessage", chat + `"text":"<script>a</script>","parse_mode":"HTML"}`, "can't parse entities"},
		{"sendMessage", chat + `"text":"<b>a &amp; b</b> & &copy;","parse_mode":"HTML"}`, ""},
		{"sendMessage", chat + `"text":"a","reply_parameters":{"message_id":98}}`, "message to be replied not found"},
		{"sendMessage", `{"chat_id":5,"text":"a"}`, "chat not found"},
		{"editMessageText", chat + `"message_id":` + theirs + `,"text":"a"}`, "message can't be edited"},
		{"deleteMessage", chat + `"message_id":1}`, "message can't be deleted"},
		{"closeForumTopic", chat + `"message_thread_id":1}`, ""},
		{"closeForumTopic", chat + `"message_thread_id":1}`, "TOPIC_NOT_MODIFIED"},
		{"sendMessage", chat + `"text":"a","message_thread_id":1}`, "TOPIC_CLOSED"},
		{"setWebhook", `{"url":"http://example.com"}`, "HTTPS URL must be provided"},
		{"setWebhook", `{"url":"https://example.com"}`, ""},
		{"getUpdates", `{}`, "can't use getUpdates method while webhook is active"},
		{"getFile", `{"file_id":"x"}`, "wrong file_id"},
		{"setMessageReaction", chat + `"message_id":` + theirs + `,"reaction":[{"type":"emoji","emoji":"🗑"}]}`, "REACTION_INVALID"},
	} {
		if got := ask(t, f, c.method, c.body); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.method, c.body, got, c.want)
		}
	}
}

// The group takes its budget in any minute, and no more.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		f.Budget = 3
		for i, want := range []string{"", "", "", "Too Many Requests: retry after 30", ""} {
			if got := ask(t, f, "sendMessage", chat+`"text":"a"}`); got != want {
				t.Errorf("message %d: %q", i, got)
			}
			time.Sleep(10 * time.Second)
			if i == 3 {
				time.Sleep(20 * time.Second)
			}
		}
	})
}

// Faults come when they are set, and a lost answer has had its effect.
func TestFaults(t *testing.T) {
	f := telegramtest.NewInBubble(t)
	thread := f.MakeTopic("by hand")
	post := chat + `"text":"a","message_thread_id":` + thread + `}`
	for i, fault := range []bridgetest.Fault{bridgetest.FaultRateLimited, bridgetest.FaultServer, bridgetest.FaultAnswerLost, bridgetest.FaultOutage, bridgetest.FaultUnauthorized} {
		f.Fail(1, fault)
		if got := ask(t, f, "getMe", "{}"); got != "" {
			t.Errorf("reading fails: %s", got)
		}
		want := []string{"Too Many Requests: retry after 1", "Internal Server Error: restart", "unexpected EOF", "connection refused", "Unauthorized"}[i]
		if got := ask(t, f, "sendMessage", post); !strings.HasSuffix(got, want) {
			t.Errorf("fault %d: %q", fault, got)
		}
	}
	if n := len(f.Threads()[0].Messages); n != 1 {
		t.Errorf("%d messages had an effect", n)
	}
	f.Storm(bridgetest.Storm{Seed: 1, RateLimited: 0.5})
	failed := 0
	for range 200 {
		if ask(t, f, "sendMessage", post) != "" {
			failed++
		}
	}
	if failed < 70 || failed > 130 {
		t.Errorf("%d of 200 failed", failed)
	}
}
