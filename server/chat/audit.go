package chat

import (
	"context"
	"sync"
	"time"
)

// auditLasts is how long the audit list goes back; failedTogether is the time in which
// failed sign-ins are one entry.
const (
	auditLasts     = 365 * 24 * time.Hour
	failedTogether = time.Hour
	maxAuditDetail = 300
)

// Audit adds to the audit list what somebody did. A failure is logged: what was done is
// done.
func (r *Relay) Audit(ctx context.Context, by Author, e AuditEntry) {
	if err := PutAudit(context.WithoutCancel(ctx), r.store, by, e); err != nil {
		r.log.Error("the audit list misses an entry", "action", e.Action, "by", auditName(by), "err", err)
	}
}

// failedSignIns is the entry that counts failed sign-ins at the moment.
type failedSignIns struct {
	mu     sync.Mutex
	number int64
	since  Time
}

// SignInFailed counts a failed sign-in: all within an hour are one entry.
func (r *Relay) SignInFailed(ctx context.Context, address string) {
	f, now := &r.failed, Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	err := r.store.Apply(context.WithoutCancel(ctx), func(tx Tx) error {
		if f.number != 0 && now.Sub(f.since) < failedTogether {
			return tx.CountAudit(f.number, now)
		}
		e := AuditEntry{At: now, Action: AuditSignInFailed, Address: address, Count: 1}
		err := tx.PutAudit(&e)
		f.number, f.since = e.Number, now
		return err
	})
	if err != nil {
		r.log.Error("the audit list misses a failed sign-in", "err", err)
	}
}

// AuditList lists entries, newest first.
func (r *Relay) AuditList(ctx context.Context, q AuditQuery) (list []AuditEntry, err error) {
	err = r.store.ReadOne(ctx, func(rd Reader) error {
		list, err = rd.Audit(q)
		return err
	})
	return list, err
}
