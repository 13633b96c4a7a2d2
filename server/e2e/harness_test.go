package e2e

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/e2e/ports"
)

// patience bounds every wait: a busy machine is slow, not wrong.
const patience = time.Minute

// binary is the path of the program under test. TestMain builds it.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	folder, err := os.MkdirTemp("", "relay-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	binary = filepath.Join(folder, "relay")
	args := []string{"build", "-o", binary}
	if raceDetector() {
		args = append(args, "-race")
	}
	if out, err := exec.Command("go", append(args, "../..")...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	flag.Parse()
	if value := flag.Lookup("test.parallel"); value.Value.String() == value.DefValue {
		if err := value.Value.Set(strconv.Itoa(atOnce)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// atOnce is how many tests run beside each other: they wait for timers, browsers and other
// programs more than they compute.
const atOnce = 4

// raceDetector reports whether the tests run under the race detector. The
// program is built with it then, too.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// command returns a command of relay with nothing of the tests' own environment.
// Its working directory is that of the test.
func command(environ []string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Env = slices.Concat([]string{}, environ)
	return cmd
}

// runCommand runs a command to its end.
func runCommand(t *testing.T, environ []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := command(environ, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	checkRaces(t, errs.String())
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func checkRaces(t *testing.T, stderr string) {
	t.Helper()
	if strings.Contains(stderr, "WARNING: DATA RACE") {
		t.Errorf("the race detector reports:\n%s", stderr)
	}
}

// buffer collects the output of a running process.
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

// instance is a relay that runs as a process of its own.
type instance struct {
	start, demo, console, base string
	public, secret             string

	t              *testing.T
	dir            string // where it runs; "" is where the test does
	program        string
	args, environ  []string
	ready          *regexp.Regexp
	cmd            *exec.Cmd
	exited         chan struct{} // closed once cmd has ended
	stdout, stderr *buffer
}

var startLines = regexp.MustCompile(`(?s)Start +(\S+).*Demo +(\S+).*Console +(\S+)`)

// boot launches the community server and reads its addresses and keys.
func boot(t *testing.T, environ ...string) *instance {
	t.Helper()
	return bootIn(t, "", environ...)
}

// bootIn is boot in a folder, for tests beside others: the folder of the process is
// that of all its tests.
func bootIn(t *testing.T, dir string, environ ...string) *instance {
	t.Helper()
	in := launchProgram(t, dir, binary, startLines, nil, environ)
	var keys struct{ PublicKey, SecretKey string }
	in.get(t, in.start, "", &keys)
	in.public, in.secret = keys.PublicKey, keys.SecretKey
	return in
}

// launch starts relay on a free port and waits until its output matches ready.
// It is stopped at the end of the test.
func launch(t *testing.T, ready *regexp.Regexp, args, environ []string) *instance {
	t.Helper()
	return launchProgram(t, "", binary, ready, args, environ)
}

// launchProgram is launch of another build of relay, in a folder.
func launchProgram(t *testing.T, dir, program string, ready *regexp.Regexp, args, environ []string) *instance {
	t.Helper()
	in := &instance{t: t, dir: dir, program: program, args: args, environ: environ, ready: ready, stdout: &buffer{}, stderr: &buffer{}}
	t.Cleanup(func() { in.stop() })
	in.run(freePort(t))
	if found := startLines.FindStringSubmatch(in.stdout.String()); found != nil {
		in.start, in.demo, in.console = found[1], found[2], found[3]
		in.base = strings.TrimSuffix(in.demo, "/demo")
	}
	return in
}

// launchAt starts the community server on a port that was chosen before, so that its settings
// may name it.
func launchAt(t *testing.T, port, dir string, environ []string) *instance {
	t.Helper()
	in := &instance{t: t, dir: dir, program: binary, args: []string{"serve"}, environ: environ, ready: startLines, stdout: &buffer{}, stderr: &buffer{},
		base: "http://127.0.0.1:" + port}
	in.console = in.base + "/console"
	t.Cleanup(func() { in.stop() })
	in.run(port)
	return in
}

// restart starts relay again on the port that it had.
func (in *instance) restart() {
	in.t.Helper()
	in.stop()
	in.stdout = &buffer{}
	in.run(in.port())
}

// freePort is one at which a server of the test may come back.
func freePort(t *testing.T) string {
	t.Helper()
	port, err := ports.Free()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func (in *instance) port() string { return in.base[strings.LastIndex(in.base, ":")+1:] }

// run starts the process and waits until its output matches ready.
func (in *instance) run(port string) {
	in.t.Helper()
	cmd, exited := command(in.environ, append(slices.Clone(in.args), "--port", port)...), make(chan struct{})
	cmd.Path, cmd.Dir = in.program, in.dir
	cmd.Stdout, cmd.Stderr = in.stdout, in.stderr
	if err := cmd.Start(); err != nil {
		in.t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // its exit code tells the same
		close(exited)
	}()
	in.cmd, in.exited = cmd, exited
	deadline := time.After(patience)
	for !in.ready.MatchString(in.stdout.String()) && !in.ready.MatchString(in.stderr.String()) {
		select {
		case <-exited:
			if in.ready.MatchString(in.stdout.String()) {
				return // it was ready, and ended at once
			}
			in.t.Fatalf("relay ended at its start:\n%s%s", in.stdout, in.stderr)
		case <-deadline:
			in.t.Fatalf("relay is not ready after %s:\n%s%s", patience, in.stdout, in.stderr)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// stop ends relay in order and returns its exit code.
func (in *instance) stop() int { return in.end(syscall.SIGTERM) }

// kill ends relay as a power cut would.
func (in *instance) kill() { in.end(syscall.SIGKILL) }

// end signals the process and returns its exit code. One that has ended already
// keeps the code that it had.
func (in *instance) end(signal os.Signal) int {
	in.t.Helper()
	if in.cmd == nil {
		return -1
	}
	if err := in.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		in.t.Error(err)
	}
	select {
	case <-in.exited:
	case <-time.After(20 * time.Second): // the longest that a stop may take
		in.t.Errorf("relay does not stop")
		_ = in.cmd.Process.Kill()
		<-in.exited
	}
	checkRaces(in.t, in.stderr.String())
	return in.cmd.ProcessState.ExitCode()
}
