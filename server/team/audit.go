package team

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// failedTogether is the time in which failed sign-ins are one entry.
const failedTogether = time.Hour

// Audit is the list of what was done, by whom and when.
type Audit struct {
	store  store
	log    *slog.Logger
	failed failedSignIns
}

// Add adds what somebody did. A failure is logged: what was done is done.
func (t *Audit) Add(ctx context.Context, by chat.Author, e chat.AuditEntry) {
	e = chat.AuditBy(by, e)
	if err := t.store.Apply(context.WithoutCancel(ctx), func(tx Tx) error { return tx.PutAudit(&e) }); err != nil {
		t.log.Error("the audit list misses an entry", "action", e.Action, "by", e.Name, "err", err)
	}
}

// failedSignIns is the entry that counts failed sign-ins at the moment.
type failedSignIns struct {
	mu     sync.Mutex
	number int64
	since  chat.Time
}

// SignInFailed counts a failed sign-in: all within an hour are one entry.
func (t *Audit) SignInFailed(ctx context.Context, address string) {
	f, now := &t.failed, chat.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	err := t.store.Apply(context.WithoutCancel(ctx), func(tx Tx) error {
		if f.number != 0 && now.Sub(f.since) < failedTogether {
			return tx.CountAudit(f.number, now)
		}
		e := chat.AuditEntry{At: now, Action: chat.AuditSignInFailed, Address: address, Count: 1}
		err := tx.PutAudit(&e)
		f.number, f.since = e.Number, now
		return err
	})
	if err != nil {
		t.log.Error("the audit list misses a failed sign-in", "err", err)
	}
}

// List lists entries, newest first.
func (t *Audit) List(ctx context.Context, q chat.AuditQuery) (list []chat.AuditEntry, err error) {
	err = t.store.ReadOne(ctx, func(rd Reader) error {
		list, err = rd.Audit(q)
		return err
	})
	return list, err
}
