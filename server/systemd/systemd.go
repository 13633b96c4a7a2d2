// Package systemd talks to systemd: relay's units, the notifications of its state,
// the watchdog, and the socket that systemd holds over a restart. Without systemd
// nothing of it has an effect.
package systemd

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

var (
	//go:embed relay.service
	service string
	//go:embed relay.socket
	socket string
)

// packaged is the place of the program in the packages' unit.
const packaged = "/usr/bin/relay"

// Service returns the unit that runs the program at a path.
func Service(program string) string { return strings.ReplaceAll(service, packaged, program) }

// Socket returns the unit of the socket.
func Socket() string { return socket }

// Listener returns the socket that systemd has passed, nil if there is none.
func Listener() (net.Listener, error) {
	passed, err := activation.Listeners()
	if err != nil || len(passed) == 0 {
		return nil, err
	}
	if len(passed) > 1 {
		return nil, fmt.Errorf("systemd passes %d sockets and relay needs one: keep one ListenStream in relay.socket", len(passed))
	}
	if passed[0] == nil {
		return nil, errors.New("systemd passes no stream socket: relay.socket needs ListenStream")
	}
	if _, ok := passed[0].Addr().(*net.TCPAddr); !ok {
		return nil, fmt.Errorf("systemd passes the socket %s and relay needs a port: ListenStream=3000 in relay.socket", passed[0].Addr())
	}
	return passed[0], nil
}

// Runs reports whether systemd runs relay as a service.
func Runs() bool { return os.Getenv("NOTIFY_SOCKET") != "" }

// Ready reports that relay answers requests.
func Ready() error { return notify(daemon.SdNotifyReady) }

// Stopping reports that relay stops.
func Stopping() error { return notify(daemon.SdNotifyStopping) }

func notify(state string) error {
	_, err := daemon.SdNotify(false, state)
	return err
}

// Watch feeds systemd's watchdog until ctx ends, three times in its period, as long
// as relay is alive.
func Watch(ctx context.Context, alive func(context.Context) bool) error {
	period, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		return fmt.Errorf("the watchdog: %w", err)
	}
	if period > 0 {
		feed(ctx, period/3, alive, func() { _ = notify(daemon.SdNotifyWatchdog) }) // systemd kills a service that stays silent
	}
	<-ctx.Done()
	return nil
}

func feed(ctx context.Context, every time.Duration, alive func(context.Context) bool, fed func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if alive(ctx) {
			fed()
		}
	}
}
