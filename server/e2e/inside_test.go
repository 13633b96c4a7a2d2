package e2e

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
)

// innerPoints are the names in chat.CrashPoint within work that takes a while, and how
// often relay passes them at most before it dies.
var innerPoints = []struct {
	name   string
	passes int
}{{"before checkpoint", 2}, {"after checkpoint", 2}, {"backup begun", 1}, {"backup copied", 1}, {"chunk stored", 20}, {"file stored", 4}}

// filer is a visitor who sends files. What it sent is kept, by name.
type filer struct {
	session string
	sent    map[string][]byte
	id      string // of a file that no acknowledged message has yet
	name    string
}

// sendUntil sends files until relay is gone or it is told to stop.
func (f *filer) sendUntil(t *testing.T, in *instance, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-in.exited:
			return
		default:
			f.send(t, in)
		}
	}
}

// send sends the message with the file that is there already, or a new file first.
func (f *filer) send(t *testing.T, in *instance) {
	if f.id == "" {
		name := fmt.Sprintf("file-%d.txt", len(f.sent))
		content := []byte(strings.Repeat(rand.Text()+"\n", 300<<10/27))
		id, err := sendFile(t.Context(), in.base, in.public, f.session, name, content)
		if err != nil {
			return
		}
		f.id, f.name, f.sent[name] = id, name, content
	}
	body := map[string]any{"sessionId": f.session, "content": f.name, "attachmentIds": []string{f.id}, "clientId": f.id}
	if call("POST", in.base+"/api/widget/messages", in.public, body, nil) == nil {
		f.id = ""
	}
}

// check reads each file that was acknowledged.
func (f *filer) check(t *testing.T, in *instance) {
	t.Helper()
	for f.id != "" {
		f.send(t, in)
	}
	seen := map[string]int{}
	for before, more := "", true; more; {
		var page struct {
			Messages []struct {
				ID, Content string
				Attachments []struct{ URL, Filename string }
			}
			HasMore bool
		}
		if err := call("GET", in.base+"/api/admin/sessions/"+f.session+"/messages?limit=100&before="+before, in.secret, nil, &page); err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Messages {
			for _, a := range m.Attachments {
				if seen[a.Filename]++; !bytes.Equal(download(t, in.base+a.URL), f.sent[a.Filename]) {
					t.Errorf("%s is damaged", a.Filename)
				}
			}
		}
		if more = page.HasMore; more {
			before = page.Messages[0].ID
		}
	}
	for name := range f.sent {
		if seen[name] != 1 {
			t.Errorf("%s is there %d times", name, seen[name])
		}
	}
}

func download(t *testing.T, url string) []byte {
	t.Helper()
	answer, err := http.Get(strings.Replace(url, "//localhost", "//127.0.0.1", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// inside kills relay within checkpoints, backups and uploads, while people talk and one
// of them sends files.
func inside(t *testing.T, rounds int) outcome {
	w := withFaults(t, 2)
	backups := filepath.Join(t.TempDir(), "backups")
	daily := func() string { return filepath.Join(backups, "relay-"+time.Now().UTC().Format(time.DateOnly)+".db") }
	w.environ = append(w.environ, "BACKUP_DIR="+backups)
	in := w.start() // so that there are threads
	f := &filer{session: in.say(t, "files"), sent: map[string][]byte{}}
	w.live(in, func() { eventually(t, "operators can answer", func() bool { return len(w.f.Threads()) == 3 }) })
	in.stop()
	died := map[string]int{}
	for i := range rounds {
		point := innerPoints[i%len(innerPoints)]
		_ = os.Remove(daily()) // so that relay makes one
		in := w.start("RELAY_CRASH=" + point.name + ":" + strconv.Itoa(1+i/len(innerPoints)%point.passes))
		w.live(in, func() {
			stop := make(chan struct{})
			late := time.AfterFunc(10*time.Second, func() { close(stop) })
			f.sendUntil(t, in, stop)
			if late.Stop() {
				died[point.name]++
			} else {
				in.kill()
			}
		})
	}
	o := w.conclude(rounds)
	for _, point := range innerPoints {
		if died[point.name] == 0 {
			t.Errorf("relay never died at %q", point.name)
		}
	}
	last := w.start()
	defer last.stop()
	f.check(t, last)
	eventually(t, "the day's backup", func() bool { _, err := os.Stat(daily()); return err == nil })
	if code, _, stderr := runCommand(t, []string{"DATABASE_URL=sqlite://" + filepath.Join(t.TempDir(), "restored.db")}, "restore", daily()); code != 0 {
		t.Errorf("the backup cannot be restored: %s", stderr)
	}
	o.note = fmt.Sprintf("%d points, %d files of 300 KiB", len(died), len(f.sent))
	return o
}

// migrating kills relay at the beginning and the end of each migration, on both
// engines.
func migrating(t *testing.T, _ int) (o outcome) {
	program, err := faultsBinary()
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []func(testing.TB) string{dbtest.FileURL, dbtest.PostgresURL} {
		for _, point := range []string{"migration begun:2", "migration run:1"} {
			database, kills := "DATABASE_URL="+url(t), 0
			for ; ; kills++ {
				cmd := command([]string{database, "RELAY_CRASH=" + point}, "migrate")
				cmd.Path = program
				out, err := cmd.CombinedOutput()
				if err == nil {
					break
				}
				if cmd.ProcessState.Exited() || kills > 1000 {
					t.Fatalf("%s: %s", point, out)
				}
			}
			if kills < 10 {
				t.Errorf("killed %d times at %s", kills, point)
			}
			in := boot(t, database)
			if session := in.say(t, "hello"); in.history(t, session) != "hello" {
				t.Error("what was said is not there")
			}
			in.stop()
			o.rounds += kills
		}
	}
	o.note = "SQLite and PostgreSQL"
	return o
}
