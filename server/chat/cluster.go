package chat

import (
	"context"
	"time"
)

// Cluster is what a database that several nodes share offers beside the [Store]:
// leases and a doorbell. Package db has the only implementation; the interface keeps
// SQL out of this package. A SQLite database has none.
//
// A lease lets one node at a time do a kind of work. It expires unless its holder renews it,
// then another node may acquire it. Each acquisition has a higher epoch, the fencing token:
// a transaction of work under a lease checks it ([Fencer]), so that a holder that was
// paused for too long stores nothing any more.
type Cluster interface {
	// Node is this node's id, a new one at each start.
	Node() string
	// Acquire acquires a lease that is free or held by this node. Epoch 0: another node
	// holds it, and it expires after wait unless renewed.
	Acquire(ctx context.Context, name, info string) (epoch int64, wait time.Duration, err error)
	// Renew extends all leases of this node that have not expired and returns their
	// epochs, and the ids of all nodes that are alive.
	Renew(ctx context.Context) (held map[string]int64, nodes []string, err error)
	// Release frees a lease, unless this node has acquired it again meanwhile: the epoch
	// is higher then.
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
	Devices   string
}

// LeaseRow is a lease as the database has it; Left is the time until it expires.
type LeaseRow struct {
	Name  string        `db:"name"`
	Owner string        `db:"owner"`
	Epoch int64         `db:"epoch"`
	Info  string        `db:"info"`
	Left  time.Duration `db:"-"`
	MS    int64         `db:"ms"`
}

// LeaseLife is after how long a lease expires. A holder that cannot renew it stops earlier,
// with time for what is under way, so that two nodes never do the same work.
const LeaseLife = 15 * time.Second

// NodeLease is the prefix of the leases by which nodes show that they are alive.
const NodeLease = "node:"
