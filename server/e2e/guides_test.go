package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const receiverSecret = "the receivers' secret"

// signedPost is a request as relay made it.
type signedPost struct {
	header http.Header
	body   []byte
}

// TestGuideReceivers runs the receivers of the webhook guide and posts requests
// to them that relay has signed, and forged ones.
func TestGuideReceivers(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and runs other programs")
	}
	guide, err := os.ReadFile("../../assets/guides/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	genuine := capture(t)
	for _, tt := range []struct {
		language, file string
		build, run     []string
	}{
		{"go", "receiver.go", []string{"go", "build", "-o", "receiver", "receiver.go"}, []string{"./receiver"}},
		{"js", "receiver.mjs", nil, []string{"node", "receiver.mjs"}},
		{"python", "receiver.py", nil, []string{"python3", "receiver.py"}},
		{"php", "receiver.php", nil, []string{"php", "-S", "127.0.0.1:$PORT", "receiver.php"}},
	} {
		t.Run(tt.language, func(t *testing.T) {
			code := codeBlock(t, string(guide), tt.language)
			program := append(tt.build, tt.run...)[0]
			if _, err := exec.LookPath(program); err != nil {
				t.Skipf("this machine has no %s to run the guide's receiver with", program)
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(code), 0o600); err != nil {
				t.Fatal(err)
			}
			if tt.build != nil {
				runIn(t, dir, tt.build...)
			}
			testReceiver(t, startReceiver(t, dir, tt.run), genuine)
		})
	}
}

// codeBlock returns the one block of a language.
func codeBlock(t *testing.T, text, language string) string {
	t.Helper()
	_, after, found := strings.Cut(text, "\n```"+language+"\n")
	code, _, closed := strings.Cut(after, "\n```\n")
	if !found || !closed {
		t.Fatalf("the guide has no receiver in %s", language)
	}
	return code + "\n"
}

// capture lets relay post an event and returns the request.
func capture(t *testing.T) signedPost {
	posts := make(chan signedPost, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		posts <- signedPost{r.Header, body}
	}))
	defer hook.Close()
	in := boot(t, "EVENTS_WEBHOOK_URL="+hook.URL, "EVENTS_WEBHOOK_SECRET="+receiverSecret)
	in.say(t, "Grüße an «alle» 👋")
	<-posts // the new session
	genuine := <-posts
	in.stop()
	return genuine
}

func runIn(t *testing.T, dir string, command ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
}

// startReceiver starts a receiver on a free port, waits until it listens and
// returns its address. It is stopped at the end of the test.
func startReceiver(t *testing.T, dir string, command []string) (url string) {
	t.Helper()
	port := freePort(t)
	for i, word := range command {
		command[i] = strings.ReplaceAll(word, "$PORT", port)
	}
	return startReceiverAt(t, dir, port, command, receiverSecret)
}

// startReceiverAt starts a receiver on a port.
func startReceiverAt(t *testing.T, dir, port string, command []string, secret string) (url string) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.Env = append(os.Environ(), "WEBHOOK_SECRET="+secret, "PORT="+port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("it said: %s", &out)
		}
	})
	eventually(t, command[0]+" listens", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return "http://127.0.0.1:" + port + "/"
}

// testReceiver posts the genuine request and others that are not.
func testReceiver(t *testing.T, url string, genuine signedPost) {
	const signature = "X-Service-Signature"
	for _, tt := range []struct {
		name   string
		forge  func(h http.Header, body []byte) []byte
		accept bool
	}{
		{"as relay sent it", func(_ http.Header, body []byte) []byte { return body }, true},
		{"another signature", func(h http.Header, body []byte) []byte {
			h.Set(signature, "sha256="+strings.Repeat("0", 64))
			return body
		}, false},
		{"another body", func(_ http.Header, body []byte) []byte { return bytes.Replace(body, []byte("alle"), []byte("ALLE"), 1) }, false},
		{"a byte more", func(_ http.Header, body []byte) []byte { return append(body, ' ') }, false},
		{"half a signature", func(h http.Header, body []byte) []byte { h.Set(signature, h.Get(signature)[:39]); return body }, false},
		{"no signature", func(h http.Header, body []byte) []byte { h.Del(signature); return body }, false},
		{"once more", func(_ http.Header, body []byte) []byte { return body }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			header := genuine.header.Clone()
			body := tt.forge(header, bytes.Clone(genuine.body))
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			header.Del("Content-Length")
			request.Header = header
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if accepted := response.StatusCode/100 == 2; accepted != tt.accept || (!accepted && response.StatusCode != http.StatusUnauthorized) {
				t.Errorf("it answered %d", response.StatusCode)
			}
		})
	}
}

// The settings that the guide has people send are accepted.
func TestGuideSetsPlatforms(t *testing.T) {
	guide, err := os.ReadFile("../../assets/guides/api.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	down := "http://127.0.0.1:1"
	in := boot(t, "TELEGRAM_API_URL="+down, "DISCORD_API_URL="+down, "SLACK_API_URL="+down)
	bodies := regexp.MustCompile(`-d '(\{"(?:telegram|discord|slack).+\})' \$RELAY/api/admin/settings`).FindAllSubmatch(guide, -1)
	for _, body := range bodies {
		if code := in.call(t, http.MethodPatch, in.base+"/api/admin/settings", in.secret, json.RawMessage(body[1]), nil); code != http.StatusOK {
			t.Errorf("%s answers %d", body[1], code)
		}
	}
	var health struct{ Bridges []string }
	in.get(t, in.base+"/health", "", &health)
	if len(bodies) != 3 || !slices.Equal(health.Bridges, []string{"telegram", "discord", "slack"}) {
		t.Errorf("after %d calls the bridges are %v", len(bodies), health.Bridges)
	}
}
