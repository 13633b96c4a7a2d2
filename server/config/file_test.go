//go:build unix

package config

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestConfigPipe: nobody waits for a pipe that nobody writes to, wherever it is named.
func TestConfigPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "PUBLIC_URL")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	large := write(t, "large.env", strings.Repeat("# much\n", 200_000))
	for _, test := range []struct {
		args, environ []string
		wanted        string
	}{
		{args: []string{"--env-file", pipe}, wanted: "is not a regular file"},
		{args: []string{"--env-file", dir}, wanted: "is a folder"},
		{args: []string{"--env-file", large}, wanted: "has 1400000 bytes"},
		{environ: []string{"RELAY_SECRET_KEY_FILE=" + pipe}, wanted: "is not a regular file"},
		{environ: []string{"CREDENTIALS_DIRECTORY=" + dir}, wanted: "is not a regular file"},
	} {
		if _, _, err := load(t, test.args, test.environ...); err == nil || !strings.Contains(err.Error(), test.wanted) {
			t.Errorf("%v %v: %v", test.args, test.environ, err)
		}
	}
}
