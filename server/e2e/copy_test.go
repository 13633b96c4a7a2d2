package e2e

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

// uploadFile sends a file to a session and returns its id.
func (in *instance) uploadFile(t *testing.T, session, name string, content []byte) string {
	t.Helper()
	id, err := sendFile(t.Context(), in.base, in.public, session, name, content)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// sendFile uploads a file and returns its id.
func sendFile(ctx context.Context, base, key, session, name string, content []byte) (id string, err error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("sessionId", session) // a buffer takes everything
	part, _ := form.CreateFormFile("file", name)
	_, _ = part.Write(content)
	form.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/widget/attachments", &body)
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Authorization", "Bearer "+key)
	var file struct{ ID, Error string }
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&file); err != nil || file.ID == "" {
		return "", fmt.Errorf("uploading answers %d, %s, %w", answer.StatusCode, file.Error, err)
	}
	return file.ID, nil
}

// conversation is a conversation as its visitor knows it.
type conversation struct {
	session, key string
	said         []string
	rev          string // the last event that the visitor saw
	file         []byte
}

// goOn checks that everything is there, in order and with its file, and that what the
// visitor and an operator write next follows it.
func (c *conversation) goOn(t *testing.T, in *instance, content string) {
	t.Helper()
	if in.public != c.key {
		t.Errorf("the key is %s, it was %s", in.public, c.key)
	}
	if got := in.history(t, c.session); got != strings.Join(c.said, "|") {
		t.Errorf("history %q, want %q", got, c.said)
	}
	c.readFile(t, in)
	if code := in.call(t, "POST", in.base+"/api/widget/messages", in.public, map[string]any{"sessionId": c.session, "content": content}, nil); code != 200 {
		t.Fatalf("sending answers %d", code)
	}
	if code := in.call(t, "POST", in.base+"/api/admin/sessions/"+c.session+"/messages", in.secret, map[string]any{"content": "an answer"}, nil); code != 200 {
		t.Fatalf("answering answers %d", code)
	}
	if c.rev != "" {
		c.resume(t, in, content, "an answer")
	}
	c.said, c.rev = append(c.said, content, "an answer"), c.lastEvent(t, in)
	in.say(t, "another visitor "+content)
}

func (c *conversation) lastEvent(t *testing.T, in *instance) string {
	t.Helper()
	var list struct{ LastEventID string }
	in.get(t, in.base+"/api/widget/messages?sessionId="+c.session, in.public, &list)
	return list.LastEventID
}

// resume reads the visitor's stream behind what it saw last.
func (c *conversation) resume(t *testing.T, in *instance, want ...string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, in.base+"/api/widget/stream?sessionId="+c.session, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+in.public)
	req.Header.Set("Last-Event-ID", c.rev)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	for len(want) > 0 && lines.Scan() {
		var m struct{ Type, Content string }
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || json.Unmarshal([]byte(data), &m) != nil || m.Type != "message" {
			continue
		}
		if m.Content != want[0] {
			t.Fatalf("the stream continues with %s, want %q", data, want[0])
		}
		want = want[1:]
	}
}

func (c *conversation) readFile(t *testing.T, in *instance) {
	t.Helper()
	var list struct {
		Messages []struct{ Attachments []struct{ URL string } }
	}
	in.get(t, in.base+"/api/widget/messages?sessionId="+c.session, in.public, &list)
	if len(list.Messages) < 2 || len(list.Messages[1].Attachments) != 1 {
		t.Fatalf("the file is not there: %+v", list)
	}
	answer, err := http.Get(in.base + list.Messages[1].Attachments[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if got, err := io.ReadAll(answer.Body); err != nil || !bytes.Equal(got, c.file) {
		t.Errorf("the file has %d bytes, %v", len(got), err)
	}
}

// begin opens a conversation with a file.
func begin(t *testing.T, in *instance) *conversation {
	t.Helper()
	c := &conversation{session: in.say(t, "hello"), key: in.public, file: []byte(strings.Repeat(rand.Text()+"\n", 9<<20/27))}
	file := in.uploadFile(t, c.session, "plan.txt", c.file)
	if code := in.call(t, "POST", in.base+"/api/widget/messages", in.public, map[string]any{"sessionId": c.session, "content": "see", "attachmentIds": []string{file}}, nil); code != 200 {
		t.Fatalf("sending the file answers %d", code)
	}
	return c
}

// killCopy begins a copy and kills it when it has printed a line of progress. It
// reports whether the copy was still running.
func killCopy(t *testing.T, from, to string, lines int) bool {
	t.Helper()
	cmd := command(nil, "copy", from, to)
	progress, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for read := bufio.NewScanner(progress); lines > 0 && read.Scan(); lines-- {
	}
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
	return !cmd.ProcessState.Exited()
}

// TestCopy: a relay on SQLite becomes one on PostgreSQL and one on SQLite again by
// copies that are killed at any moment, and visitors go on talking where they were.
func TestCopy(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	first, server, last := "sqlite://"+filepath.Join(dir, "first.db"), dbtest.PostgresURL(t), "sqlite://"+filepath.Join(dir, "last.db")
	in := boot(t, "DATABASE_URL="+first)
	c := begin(t, in)
	c.said = []string{"hello", "see"}
	if code, _, stderr := runCommand(t, nil, "copy", first, server); code != 1 || !strings.Contains(stderr, "already running") {
		t.Errorf("copying of a running relay answers %d: %s", code, stderr)
	}
	for _, move := range [][2]string{{first, server}, {server, last}} {
		c.goOn(t, in, "before "+move[1][:6])
		in.stop()
		kills := 0
		for lines := 1; lines < 16; lines += 3 {
			if killCopy(t, move[0], move[1], lines) {
				kills++
			}
		}
		code, stdout, stderr := runCommand(t, nil, "copy", move[0], move[1], "--json")
		var report struct {
			Tables []struct{ Name, SHA256 string }
		}
		if strings.Contains(stderr, "already has data") { // the last one was not killed in time
			code, stdout = 0, `{"tables":[{},{},{},{},{},{},{},{},{},{}]}`
		}
		if err := json.Unmarshal([]byte(stdout), &report); code != 0 || err != nil || len(report.Tables) < 10 || kills == 0 {
			t.Fatalf("copy after %d kills answers %d, %v: %s%s", kills, code, err, stdout, stderr)
		}
		in = boot(t, "DATABASE_URL="+move[1])
	}
	c.goOn(t, in, "at the end")
}

// TestCopyCommand: what the command prints, and how it fails.
func TestCopyCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	in := boot(t)
	in.say(t, "hello")
	in.stop()
	server := dbtest.PostgresURL(t)
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"copy", "relay.db"}, 2, "relay copy FROM TO"},
		{[]string{"copy", "relay.db", "other.db"}, 2, "relay backup"},
		{[]string{"copy", "relay.db", "mysql://x"}, 2, "must begin with"},
		{[]string{"copy", "relay.db", "postgres://relay:canary@127.0.0.1:1/relay?sslmode=disable"}, 1, "copy to postgres://127.0.0.1:1/relay"},
		{[]string{"copy", "none.db", server}, 1, "there is no database"},
		{[]string{"copy", "relay.db", server}, 0, "Counts and contents are the same"},
		{[]string{"copy", "relay.db", server}, 1, "already has data"},
		{[]string{"copy", "sqlite://relay.db", server, "--json"}, 1, "already has data"},
	} {
		code, stdout, stderr := runCommand(t, nil, tt.args...)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.says) || strings.Contains(stdout+stderr, "canary") {
			t.Errorf("%q answers %d: %s%s", tt.args, code, stdout, stderr)
		}
		if tt.code == 0 && !containsAll(stderr, "copy messages", "check messages") {
			t.Errorf("progress: %s", stderr)
		}
	}
}
