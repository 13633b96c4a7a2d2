package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestRestoreDrill: a backup of a relay that is being written to has everything that
// was acknowledged before it began, and a relay that was killed goes on from it.
func TestRestoreDrill(t *testing.T) {
	t.Chdir(t.TempDir())
	backups := filepath.Join(t.TempDir(), "backups")
	in := boot(t, "BACKUP_DIR="+backups, "RATE_LIMIT=false")
	daily := filepath.Join(backups, "relay-"+time.Now().UTC().Format(time.DateOnly)+".db")
	eventually(t, "the day's backup", func() bool { _, err := os.Stat(daily); return err == nil })
	var mu sync.Mutex
	acknowledged := map[string]string{} // what was said, by session
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(acknowledged)
	}
	stop := make(chan struct{})
	var writing sync.WaitGroup
	for i := range 4 {
		writing.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				content := fmt.Sprint("message ", i, " ", n)
				session := in.say(t, content)
				mu.Lock()
				acknowledged[session] = content
				mu.Unlock()
			}
		})
	}
	eventually(t, "some messages", func() bool { return count() > 20 })
	mu.Lock()
	before := maps.Clone(acknowledged)
	mu.Unlock()
	copied := filepath.Join(t.TempDir(), "copy.db")
	if code, _, stderr := runCommand(t, nil, "backup", copied); code != 0 {
		t.Fatalf("backup: %s", stderr)
	}
	close(stop)
	writing.Wait()
	in.kill()
	if code, _, stderr := runCommand(t, nil, "restore", copied); code != 0 {
		t.Fatalf("restore: %s", stderr)
	}
	again := boot(t, "BACKUP_DIR="+backups, "RATE_LIMIT=false")
	for session, said := range before {
		if got := again.history(t, session); got != said {
			t.Fatalf("a session has %q after the restore, not %q", got, said)
		}
	}
	if code, _, stderr := runCommand(t, nil, "restore", daily); code != 1 {
		t.Errorf("restored over a running relay: %s", stderr)
	}
}
