package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

var bridgeLines = regexp.MustCompile(`API +(\S+)/api\n`)

const backendKey = "a-long-random-text"

// bootBridge starts relay bridge beside a Telegram group.
func bootBridge(t *testing.T, group *telegramtest.Platform, environ ...string) *instance {
	t.Helper()
	in := launch(t, bridgeLines, []string{"bridge"}, append(environ, "API_KEY="+backendKey, "TELEGRAM_API_URL="+group.URL,
		"TELEGRAM_BOT_TOKEN="+group.Token, fmt.Sprint("TELEGRAM_CHAT_ID=", group.Group)))
	in.base = bridgeLines.FindStringSubmatch(in.stdout.String())[1]
	return in
}

// guideBlock is the block of a language in the guide on bridge mode that
// contains a text.
func guideBlock(t *testing.T, language, text string) string {
	t.Helper()
	guide, err := os.ReadFile("../../assets/guides/bridge-mode.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(guide), "```"+language+"\n")[1:] {
		if code, _, _ := strings.Cut(block, "```"); strings.Contains(code, text) {
			return code
		}
	}
	t.Fatalf("the guide has no %s with %s", language, text)
	return ""
}

// TestBridgeMode follows the guide: a backend that calls relay as it says, a
// Telegram group that sees all of it, and the guide's client that receives what
// the operator answers, also after a restart that forgot everything.
func TestBridgeMode(t *testing.T) {
	calls, client := guideBlock(t, "sh", "post()"), guideBlock(t, "js", "Last-Event-ID")
	t.Chdir(t.TempDir())
	group := telegramtest.New(t)
	in := bootBridge(t, group)

	out, err := exec.CommandContext(t.Context(), "bash", "-euc", strings.Replace(calls, "http://localhost:3001", in.base, 1)).CombinedOutput()
	if err != nil || strings.Count(string(out), `{"ok":true}`) != 6 || !strings.Contains(string(out), `{"bridges":["telegram"],"status":"ok"}`) {
		t.Fatalf("the guide's calls: %v\n%s", err, out)
	}
	var thread bridgetest.Thread
	eventually(t, "the group sees what the backend said", func() bool {
		list := group.Threads()
		if len(list) != 2 {
			return false
		}
		if list[0].Title == "relay" {
			list[0], list[1] = list[1], list[0]
		}
		thread = list[0]
		return containsAll(fmt.Sprintf("%+v", thread), "Vera", "Hello!", "added_to_basket", "left") &&
			containsAll(fmt.Sprintf("%+v", list[1]), "relay", "Operators are online now.")
	})

	heard := listen(t, client, in.base)
	group.Write(thread.Ref, "Olga", "We do!", "")
	eventually(t, "the backend hears the operator", func() bool {
		return containsAll(heard.String(), "operator_message", "'sess_1'", "'We do!'", "'Olga'", "'telegram'")
	})

	if code := in.stop(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	in = bootBridge(t, group)
	heard = listen(t, client, in.base)
	group.Write(thread.Ref, "Olga", "Still there?", "")
	eventually(t, "the thread leads back to its session after a restart", func() bool {
		return containsAll(heard.String(), "'sess_1'", "'Still there?'")
	})
	for _, violation := range group.Violations() {
		t.Error(violation)
	}
	if logs := in.stderr.String(); strings.Contains(logs, group.Token) || strings.Contains(logs, backendKey) {
		t.Errorf("a secret is in the log: %s", logs)
	}
	if files, _ := filepath.Glob("*"); len(files) > 0 {
		t.Errorf("it left files behind: %v", files)
	}
}

// TestBridgeModeSites: a backend names the website of a session, which SITES_FILE declares;
// its thread begins with the website's name, also of what comes after a restart.
func TestBridgeModeSites(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "sites.yaml")
	if err := os.WriteFile(file, []byte("sites:\n  - id: berlin\n    name: Shop Berlin\n  - id: main\n    name: Headquarters\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	group := telegramtest.New(t)
	in := bootBridge(t, group, "SITES_FILE="+file)
	say := func(id, site string) int {
		return in.call(t, "POST", in.base+"/api/messages", backendKey, map[string]any{"session": map[string]any{"id": id, "visitorId": "v-" + id, "site": site},
			"message": map[string]any{"id": "m-" + id, "content": "Hello", "sender": "visitor"}}, nil)
	}
	if code := say("s0", "paris"); code != 400 {
		t.Errorf("an undeclared site answers %d", code)
	}
	titled := func(start string) func() bool {
		return func() bool {
			return slices.ContainsFunc(group.Threads(), func(th bridgetest.Thread) bool { return strings.HasPrefix(th.Title, start+" · ") })
		}
	}
	say("s1", "berlin")
	eventually(t, "the thread of Berlin's visitor is named so", titled("Shop Berlin"))
	if code := in.stop(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	in = bootBridge(t, group, "SITES_FILE="+file)
	say("s2", "main")
	eventually(t, "the thread of the first site's visitor is named so", titled("Headquarters"))
}

// listen runs the guide's client until the end of the test, as soon as its
// stream is open.
func listen(t *testing.T, client, base string) *buffer {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("this machine has no node to run the guide's client with")
	}
	heard := &buffer{}
	client = strings.Replace(client, "let text = ", `console.log("listening"); let text = `, 1)
	cmd := exec.CommandContext(t.Context(), "node", "--input-type=module", "--eval", client)
	cmd.Env = append(os.Environ(), "RELAY="+base, "KEY="+backendKey)
	cmd.Stdout, cmd.Stderr = heard, heard
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	eventually(t, "the guide's client listens", func() bool { return strings.Contains(heard.String(), "listening") })
	return heard
}

// TestBridgeWithoutAKey: who starts it is told, where it says that it runs.
func TestBridgeWithoutAKey(t *testing.T) {
	t.Chdir(t.TempDir())
	open := launch(t, bridgeLines, []string{"bridge"}, nil)
	if !strings.Contains(open.stdout.String(), "Key     none! Everybody") {
		t.Errorf("it says %s", open.stdout)
	}
	if locked := bootBridge(t, telegramtest.New(t)); !strings.Contains(locked.stdout.String(), "Key     API_KEY\n") {
		t.Errorf("with a key it says %s", locked.stdout)
	}
}
