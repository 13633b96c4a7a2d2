package chat

import (
	"context"
	"time"
)

// Cluster is what a database that several nodes share offers beside the [Store]:
// leases and a doorbell. Package db has the only implementation; the interface keeps
// SQL out of this package. A SQLite database has none.
type Cluster interface {
	// Node is this node's id, a new one at each start.
	Node() string
	// Acquire takes a lease that nobody holds or that is this node's. Epoch 0: another
	// node holds it, for wait at most unless it renews it.
	Acquire(ctx context.Context, name, info string) (epoch int64, wait time.Duration, err error)
	// Renew renews this node's leases that have not expired and returns their epochs,
	// and the ids of all nodes that are alive.
	Renew(ctx context.Context) (held map[string]int64, nodes []string, err error)
	// Release ends a lease at once, unless this node has taken it again meanwhile: a
	// request may arrive late.
	Release(ctx context.Context, name string, epoch int64) error
	// SignOff removes this node from those that are alive.
	SignOff(ctx context.Context) error
	// Describe replaces the description of a lease that this node holds.
	Describe(ctx context.Context, name string, epoch int64, info string) error
	// Leases lists the leases that have not expired.
	Leases(ctx context.Context) ([]LeaseRow, error)
	// Standings returns those of sessions that exist, by their ids.
	Standings(ctx context.Context, ids []string) (map[string]Standing, error)
	// Ring sends texts to all nodes.
	Ring(ctx context.Context, texts []string) error
	// Listen calls ready once it misses no text any more, and then receive with each text,
	// until ctx ends or the connection fails. polls: it can only look each second.
	Listen(ctx context.Context, ready func(polls bool), receive func(text string)) error
}

// Standing is what the streams of a session depend on.
type Standing struct {
	Rev       int64
	Blocked   bool
	TokenHash string
}

// LeaseRow is a lease as the database has it.
type LeaseRow struct {
	Name  string        `db:"name"`
	Owner string        `db:"owner"`
	Epoch int64         `db:"epoch"`
	Info  string        `db:"info"`
	Left  time.Duration `db:"-"`
	MS    int64         `db:"ms"`
}

// LeaseLife is how long a lease lasts that its holder does not renew. The holder stops
// earlier, with time for what is under way, so that two nodes never do the same work.
const LeaseLife = 15 * time.Second

// NodeLease is the prefix of the leases by which nodes show that they are alive.
const NodeLease = "node:"
