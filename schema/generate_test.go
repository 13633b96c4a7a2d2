package schema_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	_ "github.com/oapi-codegen/runtime" // the generated client's

	"github.com/relay-chat/relay/schema"
)

// TestGenerators: a client in Go can be generated from the document, and it
// compiles. skip-prune keeps the schemas that only the webhooks have.
func TestGenerators(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles a megabyte of code")
	}
	dir := t.TempDir()
	document, client := filepath.Join(dir, "openapi.yaml"), filepath.Join(dir, "client.go")
	if err := os.WriteFile(document, schema.OpenAPI, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		{"tool", "oapi-codegen", "-generate", "types,client,skip-prune", "-package", "client", "-o", client, document},
		{"build", "-o", "/dev/null", client},
	} {
		if out, err := exec.CommandContext(t.Context(), "go", command...).CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", command, err, out)
		}
	}
}
