package e2e

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sayAs lets a visitor with an e-mail address write.
func (in *instance) sayAs(t *testing.T, visitor, email, content string) (sessionID string) {
	t.Helper()
	var opened struct{ SessionID string }
	in.call(t, "POST", in.base+"/api/widget/init", in.public, map[string]any{"visitorId": visitor}, &opened)
	if code := in.call(t, "POST", in.base+"/api/widget/identify", in.public,
		map[string]any{"sessionId": opened.SessionID, "identity": map[string]any{"id": visitor, "email": email}}, nil); code != 200 {
		t.Fatalf("identifying answers %d", code)
	}
	if code := in.call(t, "POST", in.base+"/api/widget/messages", in.public,
		map[string]any{"sessionId": opened.SessionID, "content": content}, nil); code != 200 {
		t.Fatalf("sending answers %d", code)
	}
	return opened.SessionID
}

// unzip returns the content of an archive's files by name.
func unzip(t *testing.T, path string) map[string]string {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	return files
}

// TestExportAndErase: what one visitor said is exported, beside the others or alone,
// and erased alone, while relay runs.
func TestExportAndErase(t *testing.T) {
	t.Chdir(t.TempDir())
	in := boot(t)
	ann, bob := in.sayAs(t, "v-ann", "ann@example.com", "I am Ann"), in.sayAs(t, "v-bob", "bob@example.com", "I am Bob")
	for _, tt := range []struct {
		args []string
		want map[string]bool // sessions
	}{
		{[]string{"export", "all.zip"}, map[string]bool{ann: true, bob: true}},
		{[]string{"export", "ann.zip", "Ann@example.com"}, map[string]bool{ann: true, bob: false}},
		{[]string{"export", "bob.zip", "v-bob"}, map[string]bool{ann: false, bob: true}},
	} {
		if code, _, stderr := runCommand(t, nil, tt.args...); code != 0 {
			t.Fatalf("%q answers %d: %s", tt.args, code, stderr)
		}
		files := unzip(t, tt.args[1])
		for session, there := range tt.want {
			if _, ok := files["sessions/"+session+"/session.json"]; ok != there {
				t.Errorf("%q: %s is there: %t", tt.args, session, ok)
			}
		}
		if tt.want[ann] && (!strings.Contains(files["sessions/"+ann+"/messages.json"], "I am Ann") || !strings.Contains(files["sessions/"+ann+"/session.json"], "ann@example.com")) {
			t.Errorf("%q: %v", tt.args, files)
		}
	}
	in.sayAs(t, "v-carl", "", "I am Carl")
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"export", "all.zip"}, 1, "exists"},
		{[]string{"export", "none.zip", "carl@example.com"}, 1, `no conversation is of "carl@example.com"`},
		{[]string{"erase", "carl@example.com", "--yes"}, 1, "no conversation"},
		{[]string{"erase", "ann@example.com"}, 1, "nothing was erased yet. Add --yes"},
		{[]string{"erase", "ann@example.com", "--yes", "--json", "--port", in.base[strings.LastIndex(in.base, ":")+1:]}, 0, `"conversations": 1`},
		{[]string{"erase", "v-carl", "--yes", "--port", "1"}, 0, "relay was not reached at its port"},
	} {
		if code, stdout, stderr := runCommand(t, nil, tt.args...); code != tt.code || !strings.Contains(stdout+stderr, tt.says) {
			t.Errorf("%q answers %d: %s%s", tt.args, code, stdout, stderr)
		} else if strings.Contains(stdout, `"conversations": 1`) && strings.Contains(stdout, "not reached") {
			t.Errorf("the relay that runs did not erase: %s", stdout)
		}
	}
	if _, err := os.Stat("none.zip"); err == nil {
		t.Error("an export of nobody is left")
	}
	if code := in.get(t, in.base+"/api/admin/sessions/"+ann, in.secret, nil); code != 404 {
		t.Errorf("the erased session answers %d", code)
	}
	if got := in.history(t, bob); got != "I am Bob" {
		t.Errorf("the other session has %q", got)
	}
}

// TestWebhookCommands: the webhook is tried, its events are listed, and one that
// failed is posted again, by the relay that runs.
func TestWebhookCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	shop := newReceiver(t)
	environ := []string{"EVENTS_WEBHOOK_URL=" + shop.URL, "EVENTS_WEBHOOK_RETRIES=0", "RELAY_SECRET_KEY=sk_0123456789abcdef"}
	in := boot(t, environ...)
	if code, stdout, stderr := runCommand(t, environ, "webhook", "test"); code != 0 || !strings.Contains(stdout, "answered 200") {
		t.Errorf("test answers %d: %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := runCommand(t, append([]string{"RELAY_MODE=bridge"}, environ[:1]...), "webhook", "test"); code != 0 || !strings.Contains(stdout, "answered 200") {
		t.Errorf("test answers %d in bridge mode without a database: %s%s", code, stdout, stderr)
	}
	in.say(t, "hello")
	var list []struct{ ID, State string }
	newest := func(state string) {
		t.Helper()
		eventually(t, "an event that is "+state, func() bool {
			code, stdout, stderr := runCommand(t, environ, "webhook", "list", "--json")
			if err := json.Unmarshal([]byte(stdout), &list); err != nil || code != 0 {
				t.Fatalf("list answers %d: %v, %s%s", code, err, stdout, stderr)
			}
			return len(list) > 0 && list[0].State == state
		})
	}
	newest("done")
	if code, stdout, _ := runCommand(t, environ, "webhook", "list"); code != 0 || !strings.Contains(stdout, list[0].ID) {
		t.Errorf("list answers %d: %s", code, stdout)
	}
	done := list[0].ID
	shop.status.Store(400)
	in.say(t, "refused")
	newest("failed")
	shop.status.Store(200)
	again := append([]string{"PORT=" + in.port()}, environ...)
	for _, tt := range []struct {
		environ []string
		id      string
		code    int
		says    string
	}{
		{again, done, 1, "only one that failed can be tried again"}, // the running relay says so
		{append(again[:1:1], environ[:2]...), done, 1, "--relay-secret-key-file"},
		{again, "telegram.x.1", 1, "is no delivery to the webhook"},
		{again, list[0].ID, 0, "posted again now"},
	} {
		if code, stdout, stderr := runCommand(t, tt.environ, "webhook", "redeliver", tt.id); code != tt.code || !strings.Contains(stdout+stderr, tt.says) {
			t.Errorf("redeliver %s answers %d: %s%s", tt.id, code, stdout, stderr)
		}
	}
	newest("done")
	in.stop()
	if code, _, stderr := runCommand(t, again, "webhook", "redeliver", done); code != 1 || !strings.Contains(stderr, "only one that failed") {
		t.Errorf("without relay: %d, %s", code, stderr)
	}
}

// TestConfigCommands: the settings are printed with where they come from and without
// secrets, and a mistake is one for every command.
func TestConfigCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	credentials := t.TempDir()
	for path, text := range map[string]string{"relay.env": "PORT=8080\nLOG_LEVEL=debug\n", filepath.Join(credentials, "API_KEY"): "rk_canary_credential\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	environ := []string{"RELAY_SECRET_KEY=sk_canary_environment", "PORT=9090", "CREDENTIALS_DIRECTORY=" + credentials}
	code, stdout, stderr := runCommand(t, environ, "config", "print", "--json", "--host", "127.0.0.1")
	var list []struct{ Name, Value, Source string }
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || code != 0 {
		t.Fatalf("%d: %v, %s", code, err, stderr)
	}
	got := map[string]string{}
	for _, e := range list {
		got[e.Name] = e.Value + " from " + e.Source
	}
	for name, want := range map[string]string{"PORT": "9090 from environment", "LOG_LEVEL": "debug from relay.env", "HOST": "127.0.0.1 from flag",
		"RELAY_SECRET_KEY": "[redacted] from environment", "API_KEY": "[redacted] from credential", "RATE_LIMIT": "true from default"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	for _, args := range [][]string{{"config", "print"}, {"config", "print", "--json"}, {"config", "check"}} {
		if code, stdout, stderr := runCommand(t, environ, args...); code != 0 || strings.Contains(stdout+stderr, "canary") {
			t.Errorf("%q answers %d: %s%s", args, code, stdout, stderr)
		}
	}
	if code, _, stderr := runCommand(t, []string{"PORT=many"}, "config", "check"); code != 2 || !strings.Contains(stderr, "PORT (environment) is wrong") {
		t.Errorf("a mistake answers %d: %s", code, stderr)
	}
}

// TestJSON: what scripts read is JSON, and nothing else is beside it.
func TestJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	in := boot(t)
	var keys struct{ PublicKey, SecretKey string }
	if _, stdout, _ := runCommand(t, nil, "keys", "--json"); json.Unmarshal([]byte(stdout), &keys) != nil || keys.PublicKey != in.public {
		t.Errorf("keys: %s", stdout)
	}
	var checks []struct {
		Name     string
		Findings []struct{ Subject, Level, Text string }
	}
	if _, stdout, _ := runCommand(t, nil, "doctor", "--json"); json.Unmarshal([]byte(stdout), &checks) != nil || len(checks) < 3 || checks[0].Name != "database" || checks[0].Findings[0].Level != "ok" {
		t.Errorf("doctor: %s", stdout)
	}
}

// TestCompletion: bash completes the commands.
func TestCompletion(t *testing.T) {
	_, script, _ := runCommand(t, nil, "completion", "bash")
	for typed, want := range map[string]string{"relay ke": "keys", "relay keys ro": "rotate", "relay keys rotate ": "public secret", "relay webhook ": "test list redeliver", "relay serve --database-u": "--database-url"} {
		words := strings.Split(typed, " ")
		program := fmt.Sprintf("%s\nCOMP_WORDS=(%s '%s')\nCOMP_CWORD=%d\n_relay\necho \"${COMPREPLY[*]}\"", script, strings.Join(words[:len(words)-1], " "), words[len(words)-1], len(words)-1)
		out, err := exec.Command("bash", "-c", program).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%q becomes %q, %v; want %q", typed, out, err, want)
		}
	}
	if code, _, stderr := runCommand(t, nil, "completion", "csh"); code != 2 || !strings.Contains(stderr, "bash, zsh, fish") {
		t.Errorf("csh answers %d: %s", code, stderr)
	}
}
