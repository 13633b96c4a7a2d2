package server

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"relay/server/chat"
)

// TestSpoolOnAFullDisk writes to a device that is always full.
func TestSpoolOnAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	if err := formError(spool(full, strings.NewReader("x"))); !errors.Is(err, chat.ErrStorageFull) {
		t.Errorf("answered %v, want %v", err, chat.ErrStorageFull)
	}
}

// TestUploadPace: a sender may rest for a while, but not be slow for ever.
func TestUploadPace(t *testing.T) {
	for _, tt := range []struct {
		name     string
		passed   time.Duration // since the start
		received int64
		left     time.Duration // for the next bytes
	}{
		{"at the start", 0, 0, idleTimeout},
		{"nothing so far", 50 * time.Second, 0, 10 * time.Second},
		{"a byte now and then", 61 * time.Second, 61, -time.Second},
		{"at the pace", 100 * time.Second, 100 * uploadPace, idleTimeout},
		{"a little slower", 100 * time.Second, 50 * uploadPace, 10 * time.Second},
		{"a long upload", 20 * time.Minute, 1 << 30, idleTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &patientReader{start: time.Unix(0, 0), received: tt.received}
			now := p.start.Add(tt.passed)
			if left := p.deadline(now).Sub(now); left != tt.left {
				t.Errorf("%s are left, want %s", left, tt.left)
			}
		})
	}
}
