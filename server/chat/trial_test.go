package chat

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestTrialsDue: a delivery is due when its pause is over, whatever the clock that
// was stored says: nobody sets the one that counts.
func TestTrialsDue(t *testing.T) {
	const longest = time.Hour
	for _, tt := range []struct {
		name   string
		d      Delivery
		rested time.Duration // of this run's pause of a minute, -1 without one
		wait   time.Duration
	}{
		{"as stored", Delivery{Attempts: 1, NextAt: 60_000}, -1, time.Minute},
		{"its pause began and the clock went back by an hour", Delivery{Attempts: 1, NextAt: 3_660_000}, 20 * time.Second, 40 * time.Second},
		{"its pause is over and the clock went back", Delivery{Attempts: 1, NextAt: 3_660_000}, time.Minute, 0},
		{"taken up by hand before its pause is over", Delivery{NextAt: 0}, 20 * time.Second, 0},
		{"stored in the future, never tried", Delivery{CreatedAt: 60_000, NextAt: 60_000}, -1, 0},
		{"stored for later", Delivery{CreatedAt: -1, NextAt: 30_000}, -1, 30 * time.Second},
		{"further away than any pause", Delivery{Attempts: 1, NextAt: Time(2 * longest.Milliseconds())}, -1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var list trials
				if tt.rested >= 0 {
					list.rest(&tt.d, time.Minute, true)
					time.Sleep(tt.rested)
				}
				now := Now()
				tt.d.NextAt += now
				tt.d.CreatedAt += now
				if got := list.due(&tt.d, now, longest); max(got, now) != now.Add(tt.wait) {
					t.Errorf("it waits %v, want %v", got.Sub(now), tt.wait)
				}
			})
		})
	}
}
