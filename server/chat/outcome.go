package chat

// Outcome is the outcome of one delivery attempt.
type Outcome string

// A paced delivery waits because the sink asked to; an ambiguous one may
// have arrived.
const (
	Delivered Outcome = "delivered"
	Retried   Outcome = "retried"
	Paced     Outcome = "paced"
	Ambiguous Outcome = "ambiguous"
	GivenUp   Outcome = "given_up"
)

// Outcomes lists all outcomes.
var Outcomes = []Outcome{Delivered, Retried, Paced, Ambiguous, GivenUp}

// Queue describes a sink's waiting deliveries, or a bridge's waiting updates.
type Queue struct {
	Name    string `db:"name"`
	Waiting int    `db:"waiting"`
	Oldest  Time   `db:"oldest"` // when the oldest of them was stored
}
