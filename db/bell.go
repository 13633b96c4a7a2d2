package db

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/relay-chat/relay/server/chat"
)

// Bounds of the doorbell. A notification stays short: the server keeps all of them in
// one queue. Longer texts are rows of bells, and the notification names their number.
const (
	maxBell    = 100
	bellLife   = time.Minute
	pollEvery  = time.Second
	sweepEvery = 10 * time.Second
	quietTime  = 5 * time.Second // then Listen asks whether the connection is alive
	proofLimit = 3 * time.Second
)

// bells is what a cluster keeps for its doorbell.
type bells struct {
	polled  atomic.Bool // a node cannot listen: every text is also a row
	written atomic.Bool // since the last look at old rows
	swept   time.Time   // when that was; of the goroutine that listens
	clean   bool        // it found none
	mu      sync.Mutex
	channel string // of this schema
}

const (
	insertBells = `INSERT INTO bells (at, body) SELECT ` + present + `, body FROM unnest($1::TEXT[]) AS body RETURNING number`
	notifyBells = `SELECT pg_notify($1, body) FROM unnest($2::TEXT[]) AS body`
	deleteBells = `DELETE FROM bells WHERE at < ` + present + ` - $1`
	anyBells    = `SELECT EXISTS (SELECT 1 FROM bells)`
	selectBell  = `SELECT body FROM bells WHERE number = $1`
	// A text that begins before another may be stored after it, so the newest are read
	// again.
	pollBells   = `SELECT number, body FROM bells WHERE at > ` + present + ` - 10000 ORDER BY number`
	bellChannel = `SELECT 'relay_' || substr(md5(current_schema()), 1, 8)`
	// A lost notification costs less than a wait for the disk.
	unsafely = `SET LOCAL synchronous_commit = off`
)

// pollsInfo marks the lease of a node that cannot listen.
const pollsInfo = " (polls)"

// Ring implements [chat.Cluster].
func (c *cluster) Ring(ctx context.Context, texts []string) error {
	channel, err := c.channelName(ctx)
	if err != nil {
		return translate(err)
	}
	begun, err := c.pool.BeginTxx(ctx, nil)
	if err != nil {
		return translate(err)
	}
	defer func() { _ = begun.Rollback() }()
	if _, err := begun.ExecContext(ctx, unsafely); err != nil {
		return translate(err)
	}
	short, err := c.shorten(func(long []string) (numbers []int64, err error) {
		return numbers, begun.SelectContext(ctx, &numbers, insertBells, long)
	}, texts)
	if err == nil {
		_, err = begun.ExecContext(ctx, notifyBells, channel, short)
	}
	if err == nil {
		err = begun.Commit()
	}
	return translate(err)
}

// shorten stores the long texts, or all while somebody polls, and returns what is
// notified.
func (c *cluster) shorten(store func([]string) ([]int64, error), texts []string) ([]string, error) {
	polled := c.bells.polled.Load()
	var short, long []string
	for _, text := range texts {
		if polled || len(text) > maxBell {
			long = append(long, text)
		} else {
			short = append(short, text)
		}
	}
	if len(long) == 0 {
		return short, nil
	}
	c.bells.written.Store(true)
	numbers, err := store(long)
	for _, number := range numbers {
		short = append(short, "#"+strconv.FormatInt(number, 10))
	}
	return short, err
}

func (c *cluster) channelName(ctx context.Context) (string, error) {
	c.bells.mu.Lock()
	defer c.bells.mu.Unlock()
	if c.bells.channel != "" {
		return c.bells.channel, nil
	}
	err := c.pool.GetContext(ctx, &c.bells.channel, bellChannel)
	return c.bells.channel, err
}

// errDeaf: notifications do not arrive, as behind a pooler in transaction mode.
var errDeaf = errors.New("notifications do not arrive")

// Listen implements [chat.Cluster].
func (c *cluster) Listen(ctx context.Context, ready func(polls bool), hear func(text string)) error {
	conn, err := pgx.ConnectConfig(ctx, c.direct)
	if err != nil {
		return translate(err)
	}
	defer func() { // one that hangs must not keep the caller
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	channel, err := c.channelName(ctx)
	if err != nil {
		return translate(err)
	}
	if _, err := conn.Exec(ctx, `LISTEN `+pgx.Identifier{channel}.Sanitize()); err != nil {
		return translate(err)
	}
	switch err := c.prove(ctx, conn, channel); {
	case errors.Is(err, errDeaf):
		return c.poll(ctx, ready, hear)
	case err != nil:
		return translate(err)
	}
	ready(false)
	return translate(c.receive(ctx, conn, hear))
}

// prove checks that a notification arrives.
func (c *cluster) prove(ctx context.Context, conn *pgx.Conn, channel string) error {
	proof := "?" + chat.NewID()
	if _, err := c.pool.ExecContext(ctx, `SELECT pg_notify($1, $2)`, channel, proof); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, proofLimit)
	defer cancel()
	for {
		n, err := conn.WaitForNotification(ctx)
		switch {
		case pgconn.Timeout(err):
			return errDeaf
		case err != nil:
			return err
		case n.Payload == proof:
			return nil
		}
	}
}

// receive passes texts on until ctx ends or the connection fails.
func (c *cluster) receive(ctx context.Context, conn *pgx.Conn, hear func(text string)) error {
	for {
		waiting, cancel := context.WithTimeout(ctx, quietTime)
		n, err := conn.WaitForNotification(waiting)
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && pgconn.Timeout(err):
			if err := alive(ctx, conn); err != nil {
				return err
			}
			c.sweepBells(ctx)
			continue
		case err != nil:
			return err
		}
		text, err := c.whole(ctx, n.Payload)
		if err != nil {
			return err
		}
		if text != "" {
			hear(text)
		}
		c.sweepBells(ctx)
	}
}

// alive fails when the server does not answer any more: a network that was cut reports
// nothing.
func alive(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, proofLimit)
	defer cancel()
	return conn.Ping(ctx)
}

// whole returns the text of a notification, "" for none.
func (c *cluster) whole(ctx context.Context, payload string) (string, error) {
	if strings.HasPrefix(payload, "?") {
		return "", nil
	}
	number, long := strings.CutPrefix(payload, "#")
	if !long {
		return payload, nil
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return "", fmt.Errorf("the notification %q: %w", payload, err)
	}
	var found []string
	if err := c.pool.SelectContext(ctx, &found, selectBell, n); err != nil || len(found) == 0 {
		return "", err
	}
	return found[0], nil
}

// poll reads the rows of bells each second instead of listening. The node's lease says
// so to the others.
func (c *cluster) poll(ctx context.Context, ready func(polls bool), hear func(text string)) error {
	if _, err := c.pool.ExecContext(ctx, `UPDATE leases SET info = info || $2 WHERE name = $1 AND info NOT LIKE '%' || $2`,
		chat.NodeLease+c.node, pollsInfo); err != nil {
		return translate(err)
	}
	c.bells.polled.Store(true)
	seen := map[int64]bool{}
	if err := c.readBells(ctx, seen, func(string) {}); err != nil {
		return err
	}
	ready(true)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if err := c.readBells(ctx, seen, hear); err != nil {
			return err
		}
		c.sweepBells(ctx)
	}
}

// readBells passes on the rows that were not seen yet.
func (c *cluster) readBells(ctx context.Context, seen map[int64]bool, hear func(text string)) error {
	var rows []struct {
		Number int64  `db:"number"`
		Body   string `db:"body"`
	}
	if err := c.pool.SelectContext(ctx, &rows, pollBells); err != nil {
		return translate(err)
	}
	there := make(map[int64]bool, len(rows))
	for _, row := range rows {
		if there[row.Number] = true; !seen[row.Number] {
			hear(row.Body)
		}
	}
	clear(seen)
	for number := range there {
		seen[number] = true
	}
	return nil
}

// sweepBells deletes old rows, those of nodes that ended too, every few seconds as long as
// there may be any: on a quiet cluster and on a busy one.
func (c *cluster) sweepBells(ctx context.Context) {
	now := time.Now()
	if now.Sub(c.bells.swept) < sweepEvery {
		return
	}
	c.bells.swept = now
	wrote := c.bells.written.Swap(false) // what is stored at this moment is seen the next time
	if c.bells.clean && !wrote {
		return
	}
	var left bool
	_, err := c.pool.ExecContext(ctx, deleteBells, bellLife.Milliseconds())
	if err == nil {
		err = c.pool.GetContext(ctx, &left, anyBells)
	}
	c.bells.clean = err == nil && !left && !wrote
}
