package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"relay/bridges/bridgetest"
	"relay/db/dbtest"
)

// asProgram makes the test binary behave as relay itself, for the tests that
// need a process of their own.
const asProgram = "TEST_BINARY_IS_RELAY"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// buffer collects output that a running relay writes.
type buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// instance is a relay that serves.
type instance struct {
	start, demo, console, base string
	public, secret             string

	stdout, stderr *buffer
	stop           func() int // ends it and returns its exit code
}

var startLines = regexp.MustCompile(`(?s)Start +(\S+).*Demo +(\S+).*Console +(\S+)`)

// boot starts relay on a free port and waits until it says where to go.
func boot(t *testing.T, environ ...string) *instance {
	t.Helper()
	in := launch(t, startLines, nil, environ)
	found := startLines.FindStringSubmatch(in.stdout.String())
	in.start, in.demo, in.console = found[1], found[2], found[3]
	in.base = strings.TrimSuffix(in.demo, "/demo")
	var keys struct{ PublicKey, SecretKey string }
	in.get(t, in.start, "", &keys)
	in.public, in.secret = keys.PublicKey, keys.SecretKey
	return in
}

// launch starts relay on a free port and waits until it prints what says that
// it is there.
func launch(t *testing.T, there *regexp.Regexp, args, environ []string) *instance {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	in := &instance{stdout: &buffer{}, stderr: &buffer{}}
	reader, writer := io.Pipe()
	exited := make(chan int, 1)
	go func() {
		exited <- run(ctx, append(args, "--port", "0"), environ, io.MultiWriter(in.stdout, writer), in.stderr)
		writer.Close()
	}()
	in.stop = sync.OnceValue(func() int {
		cancel()
		select {
		case code := <-exited:
			return code
		case <-time.After(20 * time.Second):
			t.Errorf("relay does not stop")
			return -1
		}
	})
	t.Cleanup(func() { in.stop() })
	lines := bufio.NewScanner(reader)
	for !there.MatchString(in.stdout.String()) {
		if !lines.Scan() {
			t.Fatalf("relay ended at its start:\n%s%s", in.stdout, in.stderr)
		}
	}
	go io.Copy(io.Discard, reader)
	return in
}

// runCommand runs a command to its end.
func runCommand(t *testing.T, environ []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), args, environ, &out, &err)
	return code, out.String(), err.String()
}

// call makes a request with a bearer key and decodes the JSON answer. It
// returns the status.
func (in *instance) call(t *testing.T, method, url, key string, body, answer any) int {
	t.Helper()
	var reader io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		reader = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, strings.Replace(url, "//localhost", "//127.0.0.1", 1), reader)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer != nil && json.Unmarshal(data, answer) != nil {
		t.Fatalf("%s %s answers %s", method, url, data)
	}
	return response.StatusCode
}

func (in *instance) get(t *testing.T, url, key string, answer any) int {
	t.Helper()
	return in.call(t, http.MethodGet, url, key, nil, answer)
}

// say lets a new visitor write and returns its session.
func (in *instance) say(t *testing.T, content string) (sessionID string) {
	t.Helper()
	var opened struct{ SessionID string }
	in.call(t, "POST", in.base+"/api/widget/init", in.public, map[string]any{"visitorId": "visitor-" + content}, &opened)
	if code := in.call(t, "POST", in.base+"/api/widget/messages", in.public,
		map[string]any{"sessionId": opened.SessionID, "content": content}, nil); code != 200 {
		t.Fatalf("sending answers %d", code)
	}
	return opened.SessionID
}

// history returns what was said in a session.
func (in *instance) history(t *testing.T, sessionID string) string {
	t.Helper()
	var list struct{ Messages []struct{ Content string } }
	in.get(t, in.base+"/api/widget/messages?sessionId="+sessionID, in.public, &list)
	var said []string
	for _, m := range list.Messages {
		said = append(said, m.Content)
	}
	return strings.Join(said, "|")
}

// eventually retries for a few seconds what happens a little later.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within 5 s: %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

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

func TestKeysBesideRunningRelay(t *testing.T) {
	t.Chdir(t.TempDir())
	dbtest.EachURL(t, func(t *testing.T, url string) { testKeys(t, []string{"DATABASE_URL=" + url}) })
}

func testKeys(t *testing.T, environ []string) {
	in := boot(t, environ...)
	settings := in.base + "/api/admin/settings"
	code, shown, _ := runCommand(t, environ, "keys")
	if code != 0 || !strings.Contains(shown, in.public) || !strings.Contains(shown, in.secret) {
		t.Errorf("keys answers %d:\n%s", code, shown)
	}
	code, shown, _ = runCommand(t, environ, "keys", "rotate", "secret")
	secret := regexp.MustCompile(`sk_\S+`).FindString(shown)
	if code != 0 || secret == "" || secret == in.secret {
		t.Fatalf("keys rotate secret answers %d:\n%s", code, shown)
	}
	eventually(t, "the new secret key works", func() bool { return in.get(t, settings, secret, nil) == 200 })
	if code := in.get(t, settings, in.secret, nil); code != 401 {
		t.Errorf("the old secret key answers %d", code)
	}
	code, shown, _ = runCommand(t, environ, "keys", "rotate", "public")
	public := regexp.MustCompile(`pk_\S+`).FindString(shown)
	if code != 0 || public == "" || public == in.public {
		t.Fatalf("keys rotate public answers %d:\n%s", code, shown)
	}
	eventually(t, "the new public key works", func() bool { return in.get(t, in.base+"/api/widget/config", public, nil) == 200 })
	_, shown, _ = runCommand(t, environ, "keys", "show")
	if !strings.Contains(shown, public) || strings.Contains(shown, secret) || !strings.Contains(shown, "relay keys rotate secret") {
		t.Errorf("keys show after the window has closed:\n%s", shown)
	}
}

// TestKeysOfPresets: a command that is run without the settings that relay runs
// with knows which keys they give, until relay runs without them.
func TestKeysOfPresets(t *testing.T) {
	t.Chdir(t.TempDir())
	in := boot(t, "RELAY_PUBLIC_KEY=pk_preset_1", "RELAY_SECRET_KEY=sk_preset_1")
	if _, shown, _ := runCommand(t, nil, "keys"); !containsAll(shown, "pk_preset_1", "is set by RELAY_SECRET_KEY") {
		t.Errorf("keys shows\n%s", shown)
	}
	for _, key := range []string{"public", "secret"} {
		want := "is set by RELAY_" + strings.ToUpper(key) + "_KEY; change it there"
		if code, shown, stderr := runCommand(t, nil, "keys", "rotate", key); code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("keys rotate %s answers %d:\n%s%s", key, code, shown, stderr)
		}
	}
	in.stop()
	again := boot(t)
	if code, shown, stderr := runCommand(t, nil, "keys", "rotate", "public"); code != 0 || again.public == "pk_preset_1" {
		t.Errorf("without presets: %d, %s%s", code, shown, stderr)
	}
}

func TestKeysWithoutDatabase(t *testing.T) {
	t.Chdir(t.TempDir())
	code, _, stderr := runCommand(t, nil, "keys")
	if code != 1 || stderr == "" {
		t.Errorf("code %d, %q", code, stderr)
	}
	if _, err := os.Stat("relay.db"); err == nil {
		t.Error("a command made a database")
	}
}

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

func TestOneProcessPerDatabase(t *testing.T) {
	t.Chdir(t.TempDir())
	boot(t)
	code, _, stderr := runCommand(t, nil, "serve", "--port=0")
	if code != 1 || !strings.Contains(stderr, "relay.db") || !containsAll(stderr, "already running", "stop it first", "DATABASE_URL=sqlite://other.db") {
		t.Errorf("a second relay answers %d: %s", code, stderr)
	}
}

func TestPortTaken(t *testing.T) {
	t.Chdir(t.TempDir())
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	code, stdout, stderr := runCommand(t, nil, "--port", port)
	if code != 1 || !strings.Contains(stderr, "port "+port+" is taken") || strings.Contains(stdout, "running") {
		t.Errorf("code %d: %s%s", code, stdout, stderr)
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

// TestDoctor: it works beside a running relay and without one, and reads what was
// set there.
func TestDoctor(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, stdout, _ := runCommand(t, nil, "doctor"); code != 0 || !strings.Contains(stdout, "there is none yet") {
		t.Errorf("before the first start: code %d\n%s", code, stdout)
	}
	in := boot(t)
	if code, stdout, stderr := runCommand(t, nil, "doctor"); code != 0 || !strings.Contains(stdout, "it can be read and written") {
		t.Errorf("beside a running relay: code %d\n%s%s", code, stdout, stderr)
	}
	in.call(t, http.MethodPatch, in.base+"/api/admin/settings", in.secret, map[string]any{"discordBotToken": "a-token-of-discord-canary"}, nil)
	in.stop()
	code, stdout, stderr := runCommand(t, nil, "doctor")
	if code != 1 || !strings.Contains(stdout, "discordChannelId is missing") || !strings.Contains(stderr, "1 of the checks failed") || strings.Contains(stdout, "canary") {
		t.Errorf("with half a bridge: code %d\n%s%s", code, stdout, stderr)
	}
}

// The settings that the guide has people send are accepted.
func TestGuideSetsPlatforms(t *testing.T) {
	guide, err := os.ReadFile("assets/guides/api.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	down := "http://127.0.0.1:1"
	in := boot(t, "TELEGRAM_API_URL="+down, "DISCORD_API_URL="+down, "SLACK_API_URL="+down)
	bodies := regexp.MustCompile(`-d '(\{"(?:telegram|discord|slack).+\})' \$RELAY/api/admin/settings`).FindAllSubmatch(guide, -1)
	for _, body := range bodies {
		if code := in.call(t, http.MethodPatch, in.base+"/api/admin/settings", in.secret, json.RawMessage(body[1]), nil); code != http.StatusOK {
			t.Errorf("%s answers %d", body[1], code)
		}
	}
	var health struct{ Bridges []string }
	in.get(t, in.base+"/health", "", &health)
	if len(bodies) != 3 || !slices.Equal(health.Bridges, []string{"telegram", "discord", "slack"}) {
		t.Errorf("after %d calls the bridges are %v", len(bodies), health.Bridges)
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

func TestWrongCommandLines(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string][]string{
		"sevre":                    {`no command "sevre"`, "relay help"},
		"serve now":                {`no command "serve now"`},
		"backup":                   {`no command "backup"`, "relay backup FILE"},
		"backup a b":               {`no command "backup a b"`},
		"backup ":                  {`no command "backup "`, "relay backup FILE"}, // an empty variable of a script
		"keys rotate both":         {`no command "keys rotate both"`},
		"--port=x --log-level=y":   {"2 mistakes", "PORT", "LOG_LEVEL", "for example: PORT=8080"},
		"keys --prot 1 --hosts=x":  {"2 mistakes", "did you mean --port?", "did you mean --host?"},
		"serve --env-file=no.file": {"--env-file cannot be read"},
	} {
		if code, _, stderr := runCommand(t, nil, strings.Split(line, " ")...); code != 2 || !containsAll(stderr, want...) {
			t.Errorf("relay %s answers %d: %s", line, code, stderr)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"keys", "-h"}} {
		code, stdout, _ := runCommand(t, nil, args...)
		if code != 0 || !containsAll(stdout, "serve", "keys", "backup", "restore", "migrate", "version", "healthcheck", "--env-file", "help settings") {
			t.Errorf("%q answers %d:\n%s", args, code, stdout)
		}
	}
	if _, stdout, _ := runCommand(t, nil, "help", "settings"); stdout != settingsReference {
		t.Errorf("help settings:\n%s", stdout)
	}
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"help doctor", []string{"Usage:\n  relay doctor ", "say what to do", "--database-url", "--public-url", "--env-file", "Example:\n  relay doctor "}},
		{"doctor --help", []string{"Usage:\n  relay doctor "}},
		{"serve --help", []string{"Usage:\n  relay serve ", "--port", "--public-url", "for example 8080", "Example:\n  relay serve "}},
		{"bridge -h", []string{"relay bridge ", "--api-key", "--events-webhook-url", "Example:\n  relay bridge "}},
		{"keys --help", []string{"relay keys show", "relay keys rotate public", "relay keys rotate secret", "--database-url", "Example:\n  relay keys"}},
		{"help keys rotate", []string{"Usage:\n  relay keys rotate public"}},
		{"help backup", []string{"relay backup FILE", "Example:\n  relay backup "}},
		{"backup copy.db --help", []string{"relay backup FILE"}},
		{"healthcheck --help", []string{"relay healthcheck", "--port", "Example:\n  relay healthcheck"}},
		{"version --help", []string{"Usage:\n  relay version"}},
		{"help help", []string{"relay help [COMMAND]"}},
	} {
		code, stdout, _ := runCommand(t, nil, strings.Fields(tt.line)...)
		if code != 0 || !containsAll(stdout, tt.want...) {
			t.Errorf("relay %s answers %d:\n%s", tt.line, code, stdout)
		}
	}
	for _, c := range commands {
		if _, stdout, _ := runCommand(t, nil, append([]string{"help"}, strings.Fields(c.usage)...)...); !containsAll(stdout, "relay "+c.usage, c.help, "Example:\n  relay "+strings.Fields(c.usage)[0]) {
			t.Errorf("help %s:\n%s", c.usage, stdout)
		}
	}
	if code, _, stderr := runCommand(t, nil, "help", "docter"); code != 2 || !containsAll(stderr, `no command "docter"`, "relay help") {
		t.Errorf("help of no command answers %d: %s", code, stderr)
	}
	for _, args := range [][]string{{"version"}, {"--version"}, {"version", "--port=x"}} {
		if code, stdout, _ := runCommand(t, nil, args...); code != 0 || !strings.HasPrefix(stdout, "relay "+version+" (go") {
			t.Errorf("%q answers %d: %s", args, code, stdout)
		}
	}
}

// Presets are never generated over, shown or logged.
func TestPresetKeysStayQuiet(t *testing.T) {
	t.Chdir(t.TempDir())
	in := boot(t, "RELAY_PUBLIC_KEY=pk_preset_canary", "RELAY_SECRET_KEY=sk_preset_canary_secret", "LOG_LEVEL=debug",
		"IDENTITY_SECRET=canary-of-identities", "SLACK_BOT_TOKEN=xoxb-canary", "RELAY_SETPU=off")
	if in.public != "pk_preset_canary" || in.secret != "" || strings.Contains(in.start, "setup") {
		t.Errorf("start %s shows %q and %q", in.start, in.public, in.secret)
	}
	if code := in.get(t, in.base+"/api/admin/settings", "sk_preset_canary_secret", nil); code != 200 {
		t.Errorf("the preset secret key answers %d", code)
	}
	_, keys, _ := runCommand(t, []string{"RELAY_SECRET_KEY=sk_preset_canary_secret"}, "keys")
	in.stop()
	logged := in.stdout.String() + in.stderr.String()
	for _, secret := range []string{"canary_secret", "canary-of", "xoxb-canary"} {
		if strings.Contains(logged+keys, secret) {
			t.Errorf("%s is shown:\n%s%s", secret, logged, keys)
		}
	}
	if !containsAll(logged, "did you mean RELAY_SETUP?", "slack is half set up: SLACK_CHANNEL_ID is missing") {
		t.Errorf("warnings are missing:\n%s", logged)
	}
}

func TestJSONLog(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reader, writer := io.Pipe()
	exited := make(chan int, 1)
	go func() {
		exited <- run(ctx, []string{"--port=0", "--log-format=json", "--public-url=https://chat.example.com"}, nil, io.Discard, writer)
		writer.Close()
	}()
	for lines := bufio.NewScanner(reader); lines.Scan(); {
		var line map[string]any
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Errorf("not JSON: %s", lines.Text())
		}
		if line["console"] == "https://chat.example.com/console" {
			cancel()
		}
	}
	if code := <-exited; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// The program itself stops in order on SIGTERM.
func TestSignal(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--port=0")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), asProgram+"=yes")
	var stderr buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if strings.Contains(lines.Text(), "Console") {
			cmd.Process.Signal(syscall.SIGTERM)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v:\n%s", err, stderr.String())
	}
}

func containsAll(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// shown are the texts that stand on a platform.
func shown(p bridgetest.Platform) string {
	var lines []string
	for _, th := range p.Threads() {
		for _, m := range th.Messages {
			lines = append(lines, m.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// continues waits until a thread that is gone is followed by one that shows a
// text.
func continues(t *testing.T, p bridgetest.Platform, gone, text string) {
	t.Helper()
	eventually(t, "a new thread continues", func() bool {
		threads := p.Threads()
		return len(threads) == 1 && threads[0].Ref != gone && strings.Contains(shown(p), text)
	})
}

// unharmed checks that every request to a platform was legal, and that no relay
// told a token, all of which have a canary in them.
func unharmed(t *testing.T, p bridgetest.Platform, relays ...*instance) {
	t.Helper()
	for _, v := range p.Violations() {
		t.Error(v)
	}
	for _, in := range relays {
		if strings.Contains(in.stderr.String()+in.stdout.String(), "canary") {
			t.Error("a token is in the log")
		}
	}
	t.Log(shown(p))
}
