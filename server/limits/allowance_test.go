package limits

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// TestAllowance: an address brings so many bytes an hour, whatever others do.
func TestAllowance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a Allowance
		for i, tt := range []struct {
			key   string
			bytes int64
			wait  time.Duration // 0: it is accepted
		}{
			{"x", 60, 0}, {"x", 41, time.Hour}, {"x", 40, 0}, {"x", 1, time.Hour}, {"y", 100, 0}, {"z", 101, time.Hour},
		} {
			if wait, ok := a.Take(tt.key, tt.bytes, 100, 1); ok != (tt.wait == 0) || wait != tt.wait {
				t.Errorf("%d: %s has to wait %s, want %s", i, tt.key, wait, tt.wait)
			}
		}
		time.Sleep(40 * time.Minute)
		if wait, _ := a.Take("x", 1, 100, 1); wait != 20*time.Minute {
			t.Errorf("x has to wait %s", wait)
		}
		time.Sleep(20 * time.Minute)
		for n := range maxSpenders {
			a.Take(strconv.Itoa(n), 1, 100, 1)
		}
		if _, ok := a.Take("x", 100, 100, 1); !ok || len(a.spent) > maxSpenders+1 {
			t.Errorf("an hour later: %v, %d clients are remembered", ok, len(a.spent))
		}
	})
}
