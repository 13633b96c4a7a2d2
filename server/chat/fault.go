//go:build !faults

package chat

import "time"

// CrashPoint names a moment at which make faults kills a program built with the tag
// faults. It does nothing in others.
func CrashPoint(string) {}

// present returns the machine's time.
func present() time.Time { return time.Now() }
