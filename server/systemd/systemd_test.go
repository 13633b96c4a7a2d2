package systemd

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// units writes both units into a folder, with a program that exists.
func units(t *testing.T) (service, socket string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	service, socket = filepath.Join(dir, "relay.service"), filepath.Join(dir, "relay.socket")
	for path, text := range map[string]string{service: Service(program), socket: Socket()} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return service, socket
}

// TestUnits: systemd understands the units, and finds little that the service may
// still do.
func TestUnits(t *testing.T) {
	service, socket := units(t)
	analyze := func(args ...string) {
		t.Helper()
		out, err := exec.Command("systemd-analyze", args...).CombinedOutput()
		if err != nil || strings.Contains(string(out), "Unknown") {
			t.Errorf("systemd-analyze %q: %v\n%s", args, err, out)
		}
	}
	analyze("verify", service, socket)
	analyze("security", "--offline=true", "--threshold=15", service) // 1.5 of 10
}

// TestProgramsPlace: the unit starts the program where it is.
func TestProgramsPlace(t *testing.T) {
	if unit := Service("/opt/relay"); !strings.Contains(unit, "\nExecStart=/opt/relay serve\n") || strings.Contains(unit, packaged) {
		t.Error(unit)
	}
}

// TestNotify: systemd is told that relay is ready and that it stops.
func TestNotify(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	pc, err := net.ListenPacket("unixgram", path)
	if err != nil {
		t.Fatal(err)
	}
	defer pc.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	for want, tell := range map[string]func() error{"READY=1": Ready, "STOPPING=1": Stopping} {
		if err := tell(); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 100)
		n, _, err := pc.ReadFrom(got)
		if err != nil || string(got[:n]) != want {
			t.Errorf("got %q, %v; want %q", got[:n], err, want)
		}
	}
	t.Setenv("NOTIFY_SOCKET", "")
	if err := Ready(); err != nil {
		t.Errorf("without systemd: %v", err)
	}
}

// TestFeed: the watchdog is fed while relay is alive, and only then.
func TestFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 65*time.Second)
		defer cancel()
		begun, fed := time.Now(), ""
		feed(ctx, 10*time.Second, func(context.Context) bool { return time.Since(begun) < 35*time.Second },
			func() { fed += fmt.Sprint(time.Since(begun), " ") })
		if fed != "10s 20s 30s " {
			t.Errorf("fed after %s", fed)
		}
	})
}
