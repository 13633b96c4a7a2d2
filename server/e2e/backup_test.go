package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

func TestBackupAndRestore(t *testing.T) {
	home, other := t.TempDir(), t.TempDir()
	copied := filepath.Join(t.TempDir(), "copy.db")
	t.Chdir(home)
	in := boot(t)
	session := in.say(t, "worth keeping")
	if code, _, stderr := runCommand(t, nil, "backup", copied); code != 0 {
		t.Fatalf("backup: %s", stderr)
	}
	if code, _, stderr := runCommand(t, nil, "restore", copied); code != 1 || !strings.HasSuffix(stderr, "stop it first\n") {
		t.Errorf("restore over a running relay answers %d: %s", code, stderr)
	}
	if got := in.history(t, session); got != "worth keeping" {
		t.Errorf("history after the refusal = %q", got)
	}
	in.stop()
	t.Chdir(other)
	for i, kept := range []bool{false, true} {
		code, stdout, stderr := runCommand(t, nil, "restore", copied)
		if code != 0 || strings.Contains(stdout, "kept as relay.db.before-restore-") != kept {
			t.Fatalf("restore %d answers %d: %s%s", i, code, stdout, stderr)
		}
	}
	again := boot(t)
	if got := again.history(t, session); got != "worth keeping" || again.public != in.public {
		t.Errorf("after the restore: history %q, key %s", got, again.public)
	}
	for _, c := range []struct{ command, file, says string }{
		{"restore", filepath.Join(home, "nothing.db"), "there is no such file"},
		{"backup", filepath.Join(home, "none", "copy.db"), "there is no folder " + filepath.Join(home, "none")},
		{"backup", copied, "file already exists and was left as it is; choose another name"},
	} {
		if code, _, stderr := runCommand(t, []string{"DATABASE_URL=sqlite://" + filepath.Join(home, "relay.db")}, c.command, c.file); code != 1 || !strings.Contains(stderr, c.says) {
			t.Errorf("%s %s answers %d: %s", c.command, c.file, code, stderr)
		}
	}
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"keys"}, {"backup", "copy.db"}} {
		if code, _, stderr := runCommand(t, nil, args...); code != 1 || !strings.Contains(stderr, "run this in its folder") {
			t.Errorf("%q without a database answers %d: %s", args, code, stderr)
		}
	}
}

func TestBackupNeedsAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	environ := []string{"DATABASE_URL=" + dbtest.PostgresURL(t)}
	runCommand(t, environ, "migrate")
	for _, command := range []string{"backup", "restore"} {
		if code, _, stderr := runCommand(t, environ, command, "copy.db"); code != 1 || !strings.Contains(stderr, "pg_dump") {
			t.Errorf("%s answers %d: %s", command, code, stderr)
		}
	}
	if code, _, stderr := runCommand(t, []string{"DATABASE_URL=postgres://relay:canary@127.0.0.1:1/relay"}, "migrate"); code != 1 || strings.Contains(stderr, "canary") {
		t.Errorf("an unreachable server answers %d: %s", code, stderr)
	}
}

func TestMigrate(t *testing.T) {
	t.Chdir(t.TempDir())
	dbtest.EachURL(t, func(t *testing.T, url string) {
		for range 2 {
			if code, _, stderr := runCommand(t, []string{"DATABASE_URL=" + url}, "migrate"); code != 0 {
				t.Errorf("code %d: %s", code, stderr)
			}
		}
	})
}
