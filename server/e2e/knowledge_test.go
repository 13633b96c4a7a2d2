package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/ai/aitest"
)

// TestKnowledgeCommands: a site that is added beside a running relay is read, also when
// relay is killed meanwhile, and questions find their passages and the AI's answer.
func TestKnowledgeCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	site := helpPages(t)
	in := boot(t)
	knowledge := func(want int, words ...string) string {
		t.Helper()
		code, stdout, stderr := runCommand(t, in.environ, append([]string{"knowledge"}, words...)...)
		if code != want {
			t.Errorf("knowledge %v answers %d:\n%s%s", words, code, stdout, stderr)
		}
		return stdout + stderr
	}
	if got := knowledge(0, "list"); !strings.HasPrefix(got, "The knowledge base is empty.") {
		t.Errorf("empty, it lists %s", got)
	}
	if got := knowledge(0, "add", site.URL); !strings.Contains(got, "Added "+site.URL) {
		t.Errorf("added: %s", got)
	}
	in.kill()
	in.restart()
	eventually(t, "the site is read", func() bool {
		return containsAll(knowledge(0, "list"), "site  3      0        1       2         Help", site.URL+"/gone: Its server answered 404 Not Found")
	})
	if err := os.WriteFile("gifts.md", []byte("# Gift cards\n\nThey are valid for two years.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := knowledge(0, "add", "gifts.md"); !strings.HasPrefix(got, "Added gifts.md. Passages: 1\n") {
		t.Errorf("added: %s", got)
	}
	if got := knowledge(0, "ask", "Are gift cards valid for ever?"); !containsAll(got, "[1] gifts.md › Gift cards\n    They are valid for two years.", "No AI is set up") {
		t.Errorf("asked: %s", got)
	}
	in.environ = append(in.environ, "AI_MODEL=test", "AI_BASE_URL="+aitest.New(t, aitest.Says("Send it back within 30 days [1].")).Listen())
	if got := knowledge(0, "ask", "Can I send it back?"); !containsAll(got, site.URL+"/returns", "Answer: Send it back within 30 days.") {
		t.Errorf("asked: %s", got)
	}
	if got := knowledge(0, "refresh", site.URL+"/"); !strings.Contains(got, "Help again") {
		t.Errorf("refreshed: %s", got)
	}
	knowledge(1, "refresh", "gifts.md")
	knowledge(0, "remove", "gifts.md")
	knowledge(1, "remove", "gifts.md")
	knowledge(1, "add", "gifts.exe")
	knowledge(2, "add")
}
