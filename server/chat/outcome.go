package chat

// Outcome is what came of one attempt at a delivery.
type Outcome string

// A paced delivery waits because the sink asked for patience; an ambiguous one may
// have arrived.
const (
	Delivered Outcome = "delivered"
	Retried   Outcome = "retried"
	Paced     Outcome = "paced"
	Ambiguous Outcome = "ambiguous"
	GivenUp   Outcome = "given_up"
)

// Outcomes are all there are.
var Outcomes = []Outcome{Delivered, Retried, Paced, Ambiguous, GivenUp}

// Queue is what waits for a sink, or of what a bridge has received.
type Queue struct {
	Name    string `db:"name"`
	Waiting int    `db:"waiting"`
	Oldest  Time   `db:"oldest"` // when the oldest of them was stored
}
