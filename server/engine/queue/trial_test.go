package queue

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// TestTrialsDue: a delivery is due when its pause is over, whatever the clock that
// was stored says: nobody sets the one that counts.
func TestTrialsDue(t *testing.T) {
	const longest = time.Hour
	for _, tt := range []struct {
		name   string
		d      chat.Delivery
		rested time.Duration // of this run's pause of a minute, -1 without one
		wait   time.Duration
	}{
		{"as stored", chat.Delivery{Attempts: 1, NextAt: 60_000}, -1, time.Minute},
		{"its pause began and the clock went back by an hour", chat.Delivery{Attempts: 1, NextAt: 3_660_000}, 20 * time.Second, 40 * time.Second},
		{"its pause is over and the clock went back", chat.Delivery{Attempts: 1, NextAt: 3_660_000}, time.Minute, 0},
		{"taken up by hand before its pause is over", chat.Delivery{NextAt: 0}, 20 * time.Second, 0},
		{"stored in the future, never tried", chat.Delivery{CreatedAt: 60_000, NextAt: 60_000}, -1, 0},
		{"stored in the future, claimed and cut off", chat.Delivery{State: chat.DeliverySending, Attempts: 1, CreatedAt: 60_000, NextAt: 60_000}, -1, 0},
		{"failed, its pause in the future", chat.Delivery{Attempts: 1, LastError: "x", CreatedAt: 60_000, NextAt: 60_000}, -1, time.Minute},
		{"stored for later", chat.Delivery{CreatedAt: -1, NextAt: 30_000}, -1, 30 * time.Second},
		{"further away than any pause", chat.Delivery{Attempts: 1, NextAt: chat.Time(2 * longest.Milliseconds())}, -1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var list trials
				if tt.rested >= 0 {
					list.rest(&tt.d, "", time.Minute, true)
					time.Sleep(tt.rested)
				}
				now := chat.Now()
				tt.d.NextAt += now
				tt.d.CreatedAt += now
				if got := list.due(&tt.d, now, longest); max(got, now) != now.Add(tt.wait) {
					t.Errorf("it waits %v, want %v", got.Sub(now), tt.wait)
				}
			})
		})
	}
}

// TestTrialsOutage: an outage is reported once when it has lasted for a while, and
// again only after it ended; a failure between successes is none.
func TestTrialsOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var list trials
		rests := chat.Delivery{SessionID: "a", Rev: 1}
		for range 5 {
			if list.fails("") {
				t.Error("a failure is reported as an outage")
			}
			list.rest(&rests, "", time.Minute, true)
			time.Sleep(time.Second)
			if _, reported, sessions := list.recovered(""); reported || len(sessions) > 0 {
				t.Errorf("after one failure: reported %v, due are %v", reported, sessions)
			}
		}
		for round := range 2 {
			reported := 0
			for range 5 {
				if list.fails("") {
					reported++
				}
				time.Sleep(5 * time.Second)
			}
			list.rest(&rests, "", time.Minute, true)
			asked := chat.Delivery{SessionID: "b", Rev: 1}
			list.rest(&asked, "", time.Hour, false)
			down, ended, sessions := list.recovered("")
			if reported != 1 || !ended || down != 25*time.Second {
				t.Errorf("outage %d: reported %d times, its end %v after %v", round, reported, ended, down)
			}
			if len(sessions) != 1 || sessions[0] != "a" {
				t.Errorf("due are %v, want what failed and not what was asked to wait", sessions)
			}
		}
	})
}
