package outbound

import "time"

// When a delivery is stuck: the platform has refused it so often although it took
// other things in between, or so often while there was nothing else to take.
const (
	stuckWithProgress = 5
	stuckInARow       = 10
	stuckLeast        = 30 * time.Second
)

// failing is a delivery that the platform keeps failing at.
type failing struct {
	since        time.Time
	withProgress int   // failures between which something else was carried out
	inARow       int   // failures since something else was
	opsDone      int64 // how many ops had been carried out at the last one
	logged       bool
}

// again counts a failure and reports whether the delivery is stuck; opsDone is how many ops
// have been carried out so far.
func (f *failing) again(opsDone int64, passed bool) bool {
	if f.since.IsZero() {
		f.since, f.opsDone = time.Now(), opsDone
	}
	if f.opsDone != opsDone {
		f.withProgress++
		f.inARow, f.opsDone = 0, opsDone
	}
	f.inARow++
	return (f.withProgress >= stuckWithProgress || f.inARow >= stuckInARow || passed) && time.Since(f.since) >= stuckLeast
}
