package e2e

import (
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/systemd"
)

// notifications opens a socket like systemd's for its services, and returns what
// arrives there.
func notifications(t *testing.T) (path string, received chan string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenPacket("unixgram", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	received = make(chan string, 1000)
	go func() {
		for buf := make([]byte, 100); ; {
			n, _, err := socket.ReadFrom(buf)
			if err != nil {
				return
			}
			received <- string(buf[:n])
		}
	}()
	return path, received
}

// TestNotifiesSystemd: systemd is told when relay is ready and when it stops, and
// the watchdog is fed in between.
func TestNotifiesSystemd(t *testing.T) {
	t.Chdir(t.TempDir())
	path, received := notifications(t)
	in := boot(t, "NOTIFY_SOCKET="+path, "WATCHDOG_USEC=150000")
	for _, want := range []string{"READY=1", "WATCHDOG=1", "WATCHDOG=1"} {
		select {
		case got := <-received:
			if got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		case <-time.After(patience):
			t.Fatalf("no %s", want)
		}
	}
	in.stop()
	waitFor(t, received, "STOPPING=1")
}

// TestRestartWithoutRefusal: while systemd holds the port, a request that comes
// while relay is off waits for the next one.
func TestRestartWithoutRefusal(t *testing.T) {
	t.Chdir(t.TempDir())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	held, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	path, received := notifications(t)
	start := func() (stop func()) {
		// systemd sets LISTEN_PID between fork and exec, as the shell does here.
		cmd := command([]string{"NOTIFY_SOCKET=" + path, "LISTEN_FDS=1", "RELAY_SETUP=off"})
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", "LISTEN_PID=$$ exec " + binary}
		cmd.ExtraFiles = append(cmd.ExtraFiles, held) // becomes 3
		var output buffer
		cmd.Stdout, cmd.Stderr = &output, &output
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, received, "READY=1")
		return func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, &output)
			}
		}
	}
	address := "http://" + listener.Addr().String() + "/ready"
	ask := func() error {
		client := http.Client{Timeout: patience, Transport: &http.Transport{}}
		answer, err := client.Get(address)
		if err == nil {
			answer.Body.Close()
		}
		return err
	}
	start()()
	answered := make(chan error, 20)
	for range cap(answered) {
		go func() { answered <- ask() }()
	}
	stop := start()
	for range cap(answered) {
		if err := <-answered; err != nil {
			t.Error(err)
		}
	}
	stop()
}

// waitFor waits for a notification.
func waitFor(t *testing.T, received chan string, want string) {
	t.Helper()
	for deadline := time.After(patience); ; {
		select {
		case got := <-received:
			if got == want {
				return
			}
		case <-deadline:
			t.Fatalf("no %s", want)
		}
	}
}

// TestPrintsUnits: the units are those of the program that prints them.
func TestPrintsUnits(t *testing.T) {
	for _, tt := range []struct{ args, want []string }{
		{[]string{"systemd"}, []string{"\nExecStart=" + binary + " serve\n", "\nType=notify\n", "\nDynamicUser=yes\n"}},
		{[]string{"systemd", "socket"}, []string{"\nListenStream=3000\n", "WantedBy=sockets.target"}},
	} {
		code, stdout, _ := runCommand(t, nil, tt.args...)
		if code != 0 || slices.ContainsFunc(tt.want, func(line string) bool { return !strings.Contains(stdout, line) }) {
			t.Errorf("relay %q answers %d:\n%s", tt.args, code, stdout)
		}
	}
}

// TestWatchdogsKill: relay that the watchdog ends, and one that panics, dies by a
// signal under the unit's environment. Go's usual code would be 2, which says that a
// setting is wrong, and systemd would not start it again.
func TestWatchdogsKill(t *testing.T) {
	t.Chdir(t.TempDir())
	var environ []string
	for line := range strings.Lines(systemd.Service(binary)) {
		if variable, ok := strings.CutPrefix(strings.TrimSpace(line), "Environment="); ok {
			environ = append(environ, variable)
		}
	}
	in := boot(t, environ...)
	if code := in.end(syscall.SIGABRT); code != -1 { // -1 is a signal's
		t.Errorf("it ends with code %d", code)
	}
	if !strings.Contains(in.stderr.String(), "goroutine ") {
		t.Error("it does not say where it was")
	}
}
