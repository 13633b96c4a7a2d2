package limits

import (
	"testing"
	"time"
)

// TestRate: in no minute does a client get more than its limit, wherever the minute
// begins; others have their own, and after a pause it is whole again.
func TestRate(t *testing.T) {
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := perMinute(10)
	allowed := func(key string, at time.Duration, requests int) (n int) {
		for range requests {
			if l.Allow(key, begin.Add(at)) {
				n++
			}
		}
		return n
	}
	for _, tt := range []struct {
		key      string
		at       time.Duration
		requests int
		want     int
	}{
		{"a", 50 * time.Second, 12, 10},
		{"b", 50 * time.Second, 4, 4},
		{"a", 61 * time.Second, 12, 0},  // the minute has turned, the ten are 11 seconds old
		{"a", 90 * time.Second, 12, 5},  // half of the last minute still counts
		{"b", 90 * time.Second, 12, 8},  // as does half of its four
		{"a", 91 * time.Second, 1, 0},   // one second more is not yet a request
		{"a", 10 * time.Minute, 12, 10}, // after a pause
		{"a", 9 * time.Minute, 12, 10},  // a clock that was set back does not lock anybody out
	} {
		if got := allowed(tt.key, tt.at, tt.requests); got != tt.want {
			t.Errorf("%s at %v: %d of %d requests allowed, want %d", tt.key, tt.at, got, tt.requests, tt.want)
		}
	}
}
