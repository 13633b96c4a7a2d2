package chat

// UpdateState is the state of an update.
type UpdateState int

// A failed update was tried too often; it stays visible.
const (
	UpdatePending UpdateState = iota
	UpdateDone
	UpdateFailed
)

// Update is what a platform sent, stored raw before it is acknowledged and handled
// afterwards, in order per thread.
type Update struct {
	Bridge string `db:"bridge"`
	// Key is the platform's id of the update; the same key again is ignored.
	Key string `db:"key"`
	// Seq orders the updates of a thread; the store assigns it.
	Seq        int64       `db:"seq"`
	Thread     string      `db:"thread"`
	Raw        Raw         `db:"raw"`
	State      UpdateState `db:"state"`
	Attempts   int         `db:"attempts"`
	NextAt     Time        `db:"next_at"`
	LastError  string      `db:"last_error"`
	ReceivedAt Time        `db:"received_at"`
}

// InboxAttempts is how often the inbox tries an update; after that it counts as a
// fault that no retry fixes.
const InboxAttempts = 10

// Errands is the suffix of a bridge's name under which the inbox keeps follow-up work
// of its updates.
const Errands = " errands"
