package e2e

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/db/dbtest"
)

// canary is in every secret and in everything that people say below. What relay
// puts out must not have it.
const canary = "canary"

// TestCanary runs the whole program on secrets and conversations with a canary in
// them, lets much of it fail, and looks for the canary in all that is meant for
// others: output, metrics, profiles and the answers to wrong requests.
func TestCanary(t *testing.T) {
	t.Parallel()
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write(body)
	}))
	defer echo.Close()
	f := telegramtest.New(t)
	in := boot(t, "DATABASE_URL="+dbtest.FileURL(t), "METRICS_ADDR=127.0.0.1:0", "LOG_LEVEL=debug", "RELAY_SECRET_KEY=sk_canary_0123456789", "RELAY_PUBLIC_KEY=pk_test_0123456789",
		"IDENTITY_SECRET=canary-identity", "EVENTS_WEBHOOK_URL="+echo.URL+"/hook/canary", "EVENTS_WEBHOOK_SECRET=whsec_canary",
		"TELEGRAM_BOT_TOKEN="+f.Token, fmt.Sprint("TELEGRAM_CHAT_ID=", f.Group), "TELEGRAM_API_URL="+f.URL,
		"SLACK_BOT_TOKEN=xoxb-canary", "SLACK_CHANNEL_ID=C0123456789", "SLACK_API_URL="+echo.URL)
	in.public, in.secret = "pk_test_0123456789", "sk_canary_0123456789"

	session := in.say(t, "canary: what the visitor says")
	widget := func(path string, body map[string]any) {
		body["sessionId"] = session
		in.call(t, "POST", in.base+"/api/widget/"+path, in.public, body, nil)
	}
	widget("identify", map[string]any{"name": "canary", "email": "canary@example.com"})
	widget("page", map[string]any{"url": "https://shop.example/canary", "title": "canary"})
	widget("events", map[string]any{"name": "canary", "data": map[string]any{"canary": "canary"}})
	in.upload(t, session)
	in.call(t, "POST", in.base+"/api/admin/sessions/"+session+"/messages", in.secret, map[string]any{"content": "canary: what the operator says"}, nil)
	eventually(t, "the visitor's message is in a topic", func() bool { return strings.Contains(shown(f), "what the visitor says") })
	f.Write(f.Threads()[0].Ref, "canary", "canary: what the operator says on Telegram", "")
	f.Write(f.Threads()[0].Ref, "canary", "!canary", "")
	eventually(t, "the operator's answer arrives", func() bool { return strings.Contains(in.history(t, session), "on Telegram") })

	var out strings.Builder
	for _, q := range []struct{ method, path, key, body string }{
		{"POST", "/api/widget/messages", in.public, `{"sessionId":"` + session + `","content":["canary"]}`},
		{"POST", "/api/widget/messages", in.public, `{"sessionId":"canary","content":"canary"}`},
		{"POST", "/api/widget/messages", in.public, `{"sessionId":"canary`},
		{"POST", "/api/widget/init", "sk_canary_0123456789", `{}`},
		{"POST", "/api/widget/identify", in.public, `{"sessionId":"` + session + `","id":"canary","userHash":"canary"}`},
		{"GET", "/api/admin/settings", in.secret, ""},
		{"PATCH", "/api/admin/settings", in.secret, `{"telegramBotToken":"canary"}`},
		{"PATCH", "/api/admin/settings", in.secret, `{"eventsWebhookUrl":"canary://canary"}`},
		{"GET", "/api/admin/bridges", in.secret, ""},
		{"POST", "/api/admin/bridges/slack/test", in.secret, ""},
		{"GET", "/api/admin/sessions", "sk_canary_9876543210", ""},
		{"GET", "/files/canary/canary", "", ""},
		{"POST", "/api/webhooks/telegram", "", `{"canary":"canary"}`},
		{"GET", "/health", "", ""}, {"GET", "/ready", "", ""},
	} {
		status, answer := in.raw(t, q.method, q.path, q.key, q.body)
		fmt.Fprintf(&out, "%s %s answers %d %s\n", q.method, q.path, status, answer)
	}
	watch := in.metricsURL(t)
	for _, path := range []string{"/metrics", "/debug/pprof/goroutine?debug=2", "/debug/pprof/heap?debug=1", "/debug/pprof/allocs", "/debug/pprof/cmdline"} {
		_, body := fetch(t, watch+path)
		fmt.Fprintf(&out, "%s:\n%s\n", path, body)
	}
	code, stdout, stderr := runCommand(t, append(in.environ, "PORT="+in.port()), "doctor")
	fmt.Fprintf(&out, "doctor ends with %d:\n%s%s\n", code, stdout, stderr)
	eventually(t, "the webhook has failed more than once", func() bool { return strings.Contains(in.stderr.String(), "deliveries fail") })
	in.stop()
	fmt.Fprintf(&out, "output:\n%s%s", in.stdout, in.stderr)
	// The address of the webhook is no secret to who has the secret key.
	known := strings.NewReplacer("/files/canary/canary", "", `"eventsWebhookUrl":"`+echo.URL+`/hook/canary"`, "")
	for line := range strings.Lines(out.String()) {
		if strings.Contains(known.Replace(line), canary) {
			t.Errorf("this shows the canary: %s", line)
		}
	}
}

// raw makes a request with a body as it is.
func (in *instance) raw(t *testing.T, method, path, key, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, in.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// upload uploads a file that has the canary in its name and its content.
func (in *instance) upload(t *testing.T, session string) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("sessionId", session)
	part, err := form.CreateFormFile("file", "canary.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(part, "canary")
	form.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, in.base+"/api/widget/attachments", &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+in.public)
	req.Header.Set("Content-Type", form.FormDataContentType())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the upload answers %d", resp.StatusCode)
	}
}
