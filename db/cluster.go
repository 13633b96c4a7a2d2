package db

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"

	"github.com/relay-chat/relay/server/chat"
)

var _ chat.Cluster = (*cluster)(nil)

// clusterConns are for leases and the doorbell alone: they must not wait for the
// connections that messages use. A third one listens.
const clusterConns = 2

// cluster is what the nodes that share a Postgres database do for each other.
type cluster struct {
	node   string
	pool   *sqlx.DB
	direct *pgx.ConnConfig // for listening
	bells  bells
}

// Cluster returns what nodes that share the database need, nil for SQLite: there is one
// node.
func (d *DB) Cluster() chat.Cluster {
	if p, ok := d.backend.(*postgres); ok {
		return p.cluster
	}
	return nil
}

func newCluster(node string, config, direct *pgx.ConnConfig) *cluster {
	pool := sqlx.NewDb(stdlib.OpenDB(*config), "pgx")
	pool.SetMaxOpenConns(clusterConns)
	pool.SetMaxIdleConns(clusterConns)
	pool.SetConnMaxIdleTime(maxIdleTime)
	return &cluster{node: node, pool: pool, direct: direct}
}

// Node implements [chat.Cluster].
func (c *cluster) Node() string { return c.node }

// present is the server's clock in milliseconds.
const present = `(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT`

var (
	leaseLife = fmt.Sprint(chat.LeaseLife.Milliseconds())

	acquireLease = `WITH taken AS (
		INSERT INTO leases (name, owner, epoch, expires_at, info) VALUES ($1, $2, 1, ` + present + ` + ` + leaseLife + `, $3)
		ON CONFLICT (name) DO UPDATE SET owner = $2, epoch = leases.epoch + 1, expires_at = ` + present + ` + ` + leaseLife + `, info = $3
		WHERE leases.owner = $2 OR leases.expires_at <= ` + present + ` RETURNING epoch)
		SELECT COALESCE((SELECT epoch FROM taken), 0), COALESCE((SELECT expires_at - ` + present + ` FROM leases WHERE name = $1), 0)`
	renewLeases = `UPDATE leases SET expires_at = ` + present + ` + ` + leaseLife + ` WHERE owner = $1 AND expires_at > ` + present + ` RETURNING name, epoch`
	listLeases  = `SELECT name, owner, epoch, info, expires_at - ` + present + ` AS ms FROM leases WHERE expires_at > ` + present + ` ORDER BY name`
)

const (
	releaseLease  = `UPDATE leases SET owner = '', expires_at = 0 WHERE owner = $1 AND name = $2 AND epoch = $3`
	signOff       = `UPDATE leases SET owner = '', expires_at = 0 WHERE name = $1`
	describeLease = `UPDATE leases SET info = $4 WHERE owner = $1 AND name = $2 AND epoch = $3`
	dropNodes     = `DELETE FROM leases WHERE name LIKE 'node:%' AND expires_at < ` + present + ` - 60000`
	fenceLease    = `SELECT 1 FROM leases WHERE name = ? AND epoch = ? AND expires_at > ` + present + ` FOR SHARE`
)

// Acquire implements [chat.Cluster].
func (c *cluster) Acquire(ctx context.Context, name, info string) (epoch int64, wait time.Duration, err error) {
	var ms int64
	err = c.pool.QueryRowContext(ctx, acquireLease, name, c.node, info).Scan(&epoch, &ms)
	return epoch, time.Duration(max(ms, 0)) * time.Millisecond, translate(err)
}

// Renew implements [chat.Cluster].
func (c *cluster) Renew(ctx context.Context) (held map[string]int64, nodes []string, err error) {
	var rows []chat.LeaseRow
	if err := c.pool.SelectContext(ctx, &rows, renewLeases, c.node); err != nil {
		return nil, nil, translate(err)
	}
	held = make(map[string]int64, len(rows))
	for _, row := range rows {
		held[row.Name] = row.Epoch
	}
	if rows, err = c.Leases(ctx); err != nil {
		return nil, nil, err
	}
	polled := false
	for _, row := range rows {
		if node, found := strings.CutPrefix(row.Name, chat.NodeLease); found {
			nodes, polled = append(nodes, node), polled || strings.HasSuffix(row.Info, pollsInfo)
		}
	}
	c.bells.polled.Store(polled)
	return held, nodes, nil
}

// Release implements [chat.Cluster].
func (c *cluster) Release(ctx context.Context, name string, epoch int64) error {
	_, err := c.pool.ExecContext(ctx, releaseLease, c.node, name, epoch)
	return translate(err)
}

// SignOff implements [chat.Cluster].
func (c *cluster) SignOff(ctx context.Context) error {
	_, err := c.pool.ExecContext(ctx, signOff, chat.NodeLease+c.node)
	if err == nil {
		_, err = c.pool.ExecContext(ctx, dropNodes)
	}
	return translate(err)
}

// Describe implements [chat.Cluster].
func (c *cluster) Describe(ctx context.Context, name string, epoch int64, info string) error {
	_, err := c.pool.ExecContext(ctx, describeLease, c.node, name, epoch, info)
	return translate(err)
}

// Leases implements [chat.Cluster].
func (c *cluster) Leases(ctx context.Context) ([]chat.LeaseRow, error) {
	var rows []chat.LeaseRow
	err := c.pool.SelectContext(ctx, &rows, listLeases)
	for i := range rows {
		rows[i].Left = time.Duration(rows[i].MS) * time.Millisecond
	}
	return rows, translate(err)
}

// Standings implements [chat.Cluster].
func (c *cluster) Standings(ctx context.Context, ids []string) (map[string]chat.Standing, error) {
	rows, err := c.pool.QueryContext(ctx, `SELECT id, rev, blocked, token_hash, devices FROM sessions WHERE id = ANY($1)`, ids)
	if err != nil {
		return nil, translate(err)
	}
	defer rows.Close()
	all := make(map[string]chat.Standing, len(ids))
	for rows.Next() {
		var id string
		var s chat.Standing
		if err := rows.Scan(&id, &s.Rev, &s.Blocked, &s.TokenHash, &s.Devices); err != nil {
			return nil, err
		}
		all[id] = s
	}
	return all, translate(rows.Err())
}

func (c *cluster) close() error { return c.pool.Close() }

// Fence implements [chat.Tx]: until the transaction ends, nobody takes the lease. The
// server ends that of a node that is cut off (see writing).
func (t *tx) Fence(name string, epoch int64) error {
	return t.row(chat.ErrLeaseLost, []any{new(int)}, fenceLease, name, epoch)
}
