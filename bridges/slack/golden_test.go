package slack_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"relay/server/chat"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file of testdata/slack.
func golden(t *testing.T, name string, got any) {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "slack", name)
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(buf.Bytes(), want) {
		t.Errorf("%s differs:\n%s", name, &buf)
	}
}

// event is what golden files tell of an Inbound.
type event struct {
	Kind     string             `json:"kind"`
	Thread   string             `json:"thread"`
	Remote   string             `json:"remote,omitempty"`
	Operator string             `json:"operator,omitempty"`
	Text     string             `json:"text,omitempty"`
	Files    []chat.InboundFile `json:"files,omitempty"`
	At       string             `json:"at,omitempty"`
}

func told(list []chat.Inbound) (out []event) {
	kinds := map[chat.InboundKind]string{chat.InboundMessage: "message", chat.InboundEdited: "edited", chat.InboundDeleted: "deleted", chat.InboundThreadDeleted: "thread deleted"}
	for _, in := range list {
		e := event{Kind: kinds[in.Kind], Thread: in.Thread.Ref, Remote: in.Remote, Operator: in.Operator, Text: in.Text, Files: in.Files}
		if in.At != 0 {
			e.At = in.At.Std().UTC().Format(time.RFC3339Nano)
		}
		out = append(out, e)
	}
	return out
}
