package telegram_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relay/server/chat"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file of testdata/telegram.
func golden(t *testing.T, name string, got any) {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "telegram", name)
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(got); err != nil {
		t.Fatal(err)
	}
	out := buf.Bytes()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out, want) {
		t.Errorf("%s differs:\n%s", name, out)
	}
}

// told is what an Inbound says, without what it leaves open.
func told(list []chat.Inbound) (out []map[string]any) {
	for _, in := range list {
		out = append(out, compact(in).(map[string]any))
	}
	return out
}

// compact turns a value into JSON's and leaves out what is empty.
func compact(v any) any {
	var generic any
	if err := json.Unmarshal([]byte(jsonOf(v)), &generic); err != nil {
		panic(err)
	}
	return prune(generic)
}

func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if value = prune(value); value == nil {
				delete(v, name)
			}
		}
		if len(v) == 0 {
			return nil
		}
		return v
	case []any:
		for i := range v {
			v[i] = prune(v[i])
		}
		if len(v) == 0 {
			return nil
		}
		return v
	case string:
		if v == "" || strings.HasPrefix(v, "1970-01-01") {
			return nil
		}
	case float64:
		if v == 0 {
			return nil
		}
	}
	return v
}
