package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGeneratedClients runs the guide's commands that generate clients, and its programs with
// these clients against a relay that runs: in Python with a client of its own.
func TestGeneratedClients(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles a megabyte of code")
	}
	t.Parallel()
	text, err := os.ReadFile("../../assets/guides/keys.md")
	if err != nil {
		t.Fatal(err)
	}
	guide := string(text)
	in := boot(t, "DATABASE_URL=sqlite://"+t.TempDir()+"/relay.db")
	session := in.say(t, "Is the lamp in stock?")
	document := string(download(t, in.base+"/openapi.yaml"))
	environ := append(os.Environ(), "RELAY_URL="+in.base, "RELAY_API_KEY="+in.secret)
	for language, client := range map[string]func(*testing.T, string, string) *exec.Cmd{"ts": typeScriptClient, "go": goClient, "python": pythonClient} {
		t.Run(language, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "openapi.yaml"), []byte(document), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := client(t, folder, guide)
			cmd.Env = environ
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), session) {
				t.Errorf("the guide's client prints %s, %v", out, err)
			}
		})
	}
}

// typeScriptClient generates a client, checks the guide's program against its types and returns
// the program.
func typeScriptClient(t *testing.T, folder, guide string) *exec.Cmd {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(cache, "relay", "generators-1", "node_modules")
	if _, err := os.Stat(modules); err != nil {
		t.Fatal("this test needs a generator of clients: run it by `make test`, which fetches it: ", err)
	}
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`npx (openapi-typescript)@(\S+) (.*?) +#`).FindStringSubmatch(guide)
	if command == nil || !strings.Contains(readFile(t, filepath.Join(modules, command[1], "package.json")), `"version": "`+command[2]+`"`) {
		t.Fatalf("the guide's command is %q", command)
	}
	runIn(t, folder, append([]string{"node_modules/.bin/" + command[1]}, strings.Fields(command[3])...)...)
	writeFile(t, filepath.Join(folder, "client.mts"), codeBlock(t, guide, "ts"))
	runIn(t, folder, "node_modules/.bin/tsc", "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck", "--noEmitOnError", "--rewriteRelativeImportExtensions", "client.mts")
	cmd := exec.CommandContext(t.Context(), "node", "client.mjs")
	cmd.Dir = folder
	return cmd
}

// goClient generates a client and returns the guide's program with it.
func goClient(t *testing.T, folder, guide string) *exec.Cmd {
	t.Helper()
	command := regexp.MustCompile(`oapi-codegen@v\S+ \\\n +(.*?) +#`).FindStringSubmatch(guide)
	if command == nil {
		t.Fatal("the guide has no command for Go")
	}
	client, program := filepath.Join(folder, "relay.go"), filepath.Join(folder, "main.go")
	arguments := strings.NewReplacer("relay.go", client, "openapi.yaml", filepath.Join(folder, "openapi.yaml")).Replace(command[1])
	runIn(t, ".", append([]string{"go", "tool", "oapi-codegen"}, strings.Fields(arguments)...)...)
	writeFile(t, program, codeBlock(t, guide, "go"))
	return exec.CommandContext(t.Context(), "go", "run", client, program)
}

// pythonClient returns the guide's program, which needs no other package.
func pythonClient(t *testing.T, folder, guide string) *exec.Cmd {
	t.Helper()
	program := filepath.Join(folder, "client.py")
	writeFile(t, program, codeBlock(t, guide, "python"))
	return exec.CommandContext(t.Context(), "python3", "-I", program)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
