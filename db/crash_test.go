package db_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// childURL makes this test binary the child of TestCrash.
const childURL = "RELAY_DBTEST_CHILD"

func TestMain(m *testing.M) {
	if url := os.Getenv(childURL); url != "" {
		fmt.Fprintln(os.Stderr, writeForEver(url))
		os.Exit(1)
	}
	if url := os.Getenv(upgradeURL); url != "" {
		os.Exit(upgradeFor(url))
	}
	os.Exit(m.Run())
}

// writeForEver writes messages from several goroutines and says which were
// acknowledged, until it is killed.
func writeForEver(url string) error {
	ctx := context.Background()
	d, err := db.Open(ctx, url, db.Options{})
	if err != nil {
		return err
	}
	var failed error
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			id := chat.NewID()
			err := d.Apply(ctx, func(tx chat.Tx) error { return tx.CreateSession(visitorSession(id)) })
			for err == nil {
				m := chat.NewID()
				if err = d.Apply(ctx, visitorMessage(id, m)); err == nil {
					mu.Lock()
					_, err = os.Stdout.WriteString(id + " " + m + "\n")
					mu.Unlock()
				}
			}
			mu.Lock()
			failed = errors.Join(failed, err)
			mu.Unlock()
		})
	}
	wg.Wait()
	return failed
}

// TestCrash kills a process that writes, again and again: nothing that it
// acknowledged is lost, and nothing is there in part.
func TestCrash(t *testing.T) {
	times := 10
	if testing.Short() {
		times = 2
	}
	url := dbtest.FileURL(t)
	acknowledged := map[string][]string{}
	for range times {
		killWriter(t, url, acknowledged)
		d, err := db.Open(t.Context(), url, db.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]string, 0, len(acknowledged))
		read(t, d, func(r chat.Reader) error {
			for id, messages := range acknowledged {
				ids = append(ids, id)
				for _, m := range messages {
					if _, err := r.Message(id, m); err != nil {
						return fmt.Errorf("message %s was acknowledged: %w", m, err)
					}
				}
			}
			return nil
		})
		checkDense(t, d, ids)
		if verdict, err := d.Reader(t.Context(), "PRAGMA quick_check"); verdict != "ok" {
			t.Error(verdict, err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	total := 0
	for _, messages := range acknowledged {
		total += len(messages)
	}
	t.Logf("%d kills, %d acknowledged messages, none lost", times, total)
}

// killWriter starts a writing process, kills it in the middle of its work and
// notes what it has acknowledged.
func killWriter(t *testing.T, url string, acknowledged map[string][]string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childURL+"="+url)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	var kill *time.Timer
	for n := 0; ; n++ {
		line, err := lines.ReadString('\n')
		if err != nil { // a line that was cut off was not acknowledged
			break
		}
		if n == 20 {
			kill = time.AfterFunc(50*time.Millisecond, func() { cmd.Process.Kill() })
		}
		id, m, _ := strings.Cut(strings.TrimSpace(line), " ")
		acknowledged[id] = append(acknowledged[id], m)
	}
	if kill == nil {
		t.Error("the writer ended by itself")
	}
	cmd.Wait()
}
