package e2e

import (
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
)

func TestFirstStart(t *testing.T) {
	t.Chdir(t.TempDir())
	in := boot(t)
	if !strings.HasPrefix(in.start, "http://localhost:") || !strings.Contains(in.start, "?setup=") {
		t.Errorf("start page = %s", in.start)
	}
	var health struct{ Status string }
	if code := in.get(t, in.base+"/health", "", &health); code != 200 || health.Status != "ok" {
		t.Errorf("/health answers %d %+v", code, health)
	}
	if !strings.HasPrefix(in.public, "pk_") || !strings.HasPrefix(in.secret, "sk_") {
		t.Errorf("keys = %q and %q", in.public, in.secret)
	}
	for _, page := range []string{in.demo, in.console, in.base + "/ready", in.base + "/widget.js"} {
		if code := in.get(t, page, "", nil); code != 200 {
			t.Errorf("%s answers %d", page, code)
		}
	}
	if _, err := os.Stat("relay.db"); err != nil {
		t.Error(err)
	}
	if code := in.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if text := in.stdout.String() + in.stderr.String(); strings.Contains(text, in.secret) {
		t.Errorf("the output shows the secret key:\n%s", text)
	}
}

func TestRestartKeepsEverything(t *testing.T) {
	t.Chdir(t.TempDir())
	dbtest.EachURL(t, func(t *testing.T, url string) {
		first := boot(t, "DATABASE_URL="+url)
		session := first.say(t, "is anybody there?")
		if code := first.stop(); code != 0 {
			t.Errorf("exit code %d: %s", code, first.stderr)
		}
		second := boot(t, "DATABASE_URL="+url)
		if second.public != first.public || second.secret != first.secret {
			t.Error("the keys have changed")
		}
		if got := second.history(t, session); got != "is anybody there?" {
			t.Errorf("history = %q", got)
		}
	})
}

// A stream would keep an orderly stop waiting for ever.
func TestStopEndsStreams(t *testing.T) {
	t.Chdir(t.TempDir())
	in := boot(t)
	session := in.say(t, "hello")
	request, _ := http.NewRequestWithContext(t.Context(), "GET", in.base+"/api/widget/stream?sessionId="+session+"&apiKey="+in.public, nil)
	stream, err := http.DefaultClient.Do(request)
	if err != nil || stream.StatusCode != 200 {
		t.Fatalf("stream: %v %v", stream, err)
	}
	defer stream.Body.Close()
	begun := time.Now()
	if code := in.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("stopping took %s", took)
	}
	if _, err := io.Copy(io.Discard, stream.Body); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the stream ended with %v", err)
	}
}

func TestOneProcessPerDatabase(t *testing.T) {
	t.Chdir(t.TempDir())
	boot(t)
	code, _, stderr := runCommand(t, nil, "serve", "--port=0")
	if code != 1 || !strings.Contains(stderr, "relay.db") || !containsAll(stderr, "already running", "stop it first", "DATABASE_URL=sqlite://other.db") {
		t.Errorf("a second relay answers %d: %s", code, stderr)
	}
}

func TestPortInUse(t *testing.T) {
	t.Chdir(t.TempDir())
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for _, tt := range []struct {
		environ []string
		fix     string
	}{
		{nil, "another port: relay --port "},
		{[]string{"NOTIFY_SOCKET=/nobody"}, "into /etc/relay/relay.env, then: sudo systemctl restart relay"},
	} {
		code, stdout, stderr := runCommand(t, tt.environ, "--port", port)
		if code != 1 || !containsAll(stderr, "port "+port+" is taken", tt.fix) || strings.Contains(stdout, "running") {
			t.Errorf("%v: code %d: %s%s", tt.environ, code, stdout, stderr)
		}
	}
}

func TestHealthcheck(t *testing.T) {
	t.Chdir(t.TempDir())
	in := boot(t)
	port := in.base[strings.LastIndex(in.base, ":")+1:]
	if code, stdout, stderr := runCommand(t, []string{"PORT=" + port}, "healthcheck"); code != 0 || stdout != "ok\n" {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
	}
	in.stop()
	if code, _, stderr := runCommand(t, []string{"PORT=" + port}, "healthcheck"); code != 1 || !strings.Contains(stderr, "does not answer") {
		t.Errorf("code %d: %s", code, stderr)
	}
}

func TestJSONLog(t *testing.T) {
	t.Chdir(t.TempDir())
	running := regexp.MustCompile(`"console":"https://chat\.example\.com/console"`)
	in := launch(t, running, []string{"--log-format=json", "--public-url=https://chat.example.com"}, nil)
	if code := in.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for text := range strings.Lines(in.stderr.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Errorf("not JSON: %s", text)
		}
	}
}

// Both signals that ask for an end stop the program in order.
func TestSignal(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Chdir(t.TempDir())
			in := boot(t)
			if code := in.end(signal); code != 0 {
				t.Errorf("exit code %d:\n%s", code, in.stderr)
			}
		})
	}
}

// TestStartRepairsSessions: a session that an earlier version left behind its events
// takes messages again after a start.
func TestStartRepairsSessions(t *testing.T) {
	t.Chdir(t.TempDir())
	dbtest.EachURL(t, func(t *testing.T, url string) {
		first := boot(t, "DATABASE_URL="+url)
		session := first.say(t, "one")
		if code := first.stop(); code != 0 {
			t.Fatalf("exit code %d: %s", code, first.stderr)
		}
		driver, source := "pgx", url
		if path, isFile := strings.CutPrefix(url, "sqlite://"); isFile {
			driver, source = "sqlite", path
		}
		database, err := sql.Open(driver, source)
		if err == nil {
			_, err = database.Exec(`INSERT INTO events (session, rev, at, type, source, message_id, payload)
				SELECT number, rev + 1, 1, 'ai_takeover', 'widget', '', '{"active":false}' FROM sessions WHERE started_at > 0`)
		}
		if err = errors.Join(err, database.Close()); err != nil {
			t.Fatal(err)
		}
		second := boot(t, "DATABASE_URL="+url)
		eventually(t, "the session takes a message", func() bool {
			return second.call(t, "POST", second.base+"/api/widget/messages", second.public, map[string]any{"sessionId": session, "content": "two"}, nil) == 200
		})
		if got := second.history(t, session); got != "one|two" {
			t.Errorf("history = %q", got)
		}
	})
}
