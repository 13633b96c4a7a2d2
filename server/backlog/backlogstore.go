package backlog

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// How often a saved backlog looks for events that it missed, and how often it
// forgets.
const (
	sweepEvery = 2 * time.Second
	pruneEvery = time.Minute
	// portion is how many events are read at once.
	portion = 500
)

// metaName is the name of a database's numbers.
const metaName = "backlog_name"

// saved is the part of a backlog that is in the database: its events have the same
// numbers at every node and after a restart.
type saved struct {
	store  chat.Store
	shared bool // with other nodes
	log    *slog.Logger
	bell   chan struct{}

	pulling sync.Mutex
	pruned  int64
}

// Open opens the backlog of a database. shared: other nodes write to it, too.
func Open(ctx context.Context, files *chat.FileLinks, store chat.Store, shared bool, log *slog.Logger) (*Backlog, error) {
	b := New(files)
	b.saved = &saved{store: store, shared: shared, log: log, bell: make(chan struct{}, 1)}
	err := store.Apply(ctx, func(tx chat.Tx) error {
		name, err := tx.LockMeta(metaName)
		if err == nil && name == "" {
			name = newName()
			err = tx.PutMeta(metaName, name)
		}
		b.name = name
		return err
	})
	if err != nil {
		return nil, err
	}
	err = store.ReadOne(ctx, func(r chat.Reader) error {
		end, err := r.BacklogEnd()
		b.last = max(end-Events, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	return b, b.pull(ctx)
}

// reach reads the database before an id is looked for: another node may be ahead.
func (b *Backlog) reach(ctx context.Context, after string) error {
	if b.saved == nil || after == "" {
		return nil
	}
	return b.pull(ctx)
}

// pull reads the events behind the newest one that is known.
func (b *Backlog) pull(ctx context.Context) error {
	b.saved.pulling.Lock()
	defer b.saved.pulling.Unlock()
	for {
		var list []chat.BacklogEvent
		err := b.saved.store.ReadOne(ctx, func(r chat.Reader) (err error) {
			list, err = r.Backlog(b.end(), portion)
			return err
		})
		if err != nil {
			return err
		}
		b.take(list)
		if len(list) < portion {
			return nil
		}
	}
}

// end is the number of the newest event that is known.
func (b *Backlog) end() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last
}

// take adds events of the database.
func (b *Backlog) take(list []chat.BacklogEvent) {
	for i := range list {
		data, common := operatorEvent(&list[i].Event, b.files)
		b.mu.Lock()
		if data != nil {
			b.add(list[i].Number, list[i].SessionID, data, common)
		}
		b.last = list[i].Number // also of what is not shown
		b.mu.Unlock()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire()
	b.wakeAll()
}

// Run keeps a saved backlog in line with the database until ctx ends.
func (b *Backlog) Run(ctx context.Context) error {
	s := b.saved
	if s == nil {
		return nil
	}
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	if !s.shared {
		sweep.Reset(pruneEvery) // nobody else writes
	}
	for due := time.Now(); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-s.bell:
		case <-sweep.C:
		}
		err := b.pull(ctx)
		if err == nil && time.Since(due) > pruneEvery {
			due, err = time.Now(), b.prune(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.log.Warn("the stream's events cannot be read; retrying", "err", err)
			_ = chat.Rest(ctx, chat.StorePause) // the loop ends with ctx
			ring(s.bell)
		}
	}
}

// prune removes from the database what is not held here any more: every node that was
// there has had it for as long.
func (b *Backlog) prune(ctx context.Context) error {
	b.mu.Lock()
	b.expire()
	upTo := b.last
	if len(b.entries) > 0 {
		upTo = b.entries[0].number - 1
	}
	b.mu.Unlock()
	if upTo <= b.saved.pruned {
		return nil
	}
	err := b.saved.store.Apply(ctx, func(tx chat.Tx) error { return tx.PruneBacklog(upTo) })
	if err == nil {
		b.saved.pruned = upTo
	}
	return err
}
