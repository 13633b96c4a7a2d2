//go:build faults

package chat

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// RELAY_CRASH=name:n kills the process when it passes the crash point for the nth
// time, RELAY_SKEW=-1h sets its clock wrong.
var (
	crashName, crashTimes, _ = strings.Cut(os.Getenv("RELAY_CRASH"), ":")
	crashAt, _               = strconv.ParseInt(crashTimes, 10, 64)
	crashPassed              atomic.Int64
	skew, _                  = time.ParseDuration(os.Getenv("RELAY_SKEW"))
)

// CrashPoint kills the process as a power cut would, if it is the chosen one.
func CrashPoint(name string) {
	if name == crashName && crashPassed.Add(1) == crashAt {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func present() time.Time { return time.Now().Add(skew) }
