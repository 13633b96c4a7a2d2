package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGuideHashes runs the backends of the widget's guide, which prove who a visitor is,
// and gives what they make to relay.
func TestGuideHashes(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and runs other programs")
	}
	guide, err := os.ReadFile("../../assets/guides/widget.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(guide), "\n## Signed-in visitors\n")
	const id = "Zoë-42"
	t.Chdir(t.TempDir()) // where relay keeps its database
	t.Setenv("IDENTITY_SECRET", "b1946ac92492d2347c6235b4d2611184")
	in := boot(t, "IDENTITY_SECRET=b1946ac92492d2347c6235b4d2611184", "IDENTITY_REQUIRED=true")
	for _, tt := range []struct {
		language, file, call string
		run                  []string
	}{
		{"js", "hash.mjs", `console.log(userHash("` + id + `"));`, []string{"node", "hash.mjs"}},
		{"php", "hash.php", `echo user_hash("` + id + `");`, []string{"php", "hash.php"}},
		{"python", "hash.py", `print(user_hash("` + id + `"))`, []string{"python3", "hash.py"}},
		{"go", "hash.go", `func main() { println(userHash("` + id + `")) }`, []string{"go", "run", "hash.go"}},
	} {
		t.Run(tt.language, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(codeBlock(t, section, tt.language)+tt.call+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), tt.run[0], tt.run[1:]...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput() // Go's println writes to the second stream
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var opened struct{ SessionID string }
			in.call(t, "POST", in.base+"/api/widget/init", in.public, map[string]any{"visitorId": tt.language}, &opened)
			var answer struct{ Verified bool }
			identity := map[string]any{"id": id, "userHash": strings.TrimSpace(string(out))}
			if code := in.call(t, "POST", in.base+"/api/widget/identify", in.public, map[string]any{"sessionId": opened.SessionID, "identity": identity}, &answer); code != 200 || !answer.Verified {
				t.Errorf("relay answers %d, verified %v to %s", code, answer.Verified, out)
			}
		})
	}
}
