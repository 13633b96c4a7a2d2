package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// Intervals of the engine's clean-up: of a volatile store, which is small, of unused rows,
// and of pruning, which may take long.
const (
	forgetEvery = time.Minute
	sweepEvery  = 10 * time.Minute
	pruneEvery  = time.Hour
)

// When data is deleted: a file that no message uses, as late as a widget may still send
// its message (HELD in assets/widget/core/outbox.ts), but earlier when such files take much
// room; a session without a message, and events, which streams resume from.
const (
	unsentAge   = 7*24*time.Hour + time.Hour
	crowdedAge  = time.Hour
	crowdedPart = 2 // of maxUnsent
	emptyAge    = 24 * time.Hour
	eventAge    = 7 * 24 * time.Hour
)

// maintenance is the lease of the node that keeps the store.
const maintenance = "maintenance"

// keepStoreAlone is keepStore on one node.
func (e *Engine) keepStoreAlone(ctx context.Context) error {
	return e.Nodes.Hold(ctx, maintenance, func(ctx context.Context, _ *nodes.Lease) error { return e.keepStore(ctx) })
}

// keepStore keeps the store small until ctx ends. It starts after a minute, because
// clients reconnect first.
func (e *Engine) keepStore(ctx context.Context) error {
	every, clean := sweepEvery, e.sweep
	if e.Volatile {
		every, clean = forgetEvery, func(ctx context.Context, now chat.Time, _ bool) error {
			return errors.Join(e.Store.Forget(ctx, now), e.mendAllMerged(ctx))
		}
	}
	calendar := NewCalendar(e.Store, e.log)
	var warned bool
	due := time.NewTimer(time.Minute)
	defer due.Stop()
	for run := time.Duration(0); ; run++ {
		select {
		case <-ctx.Done():
			return nil
		case <-due.C:
			due.Reset(every)
		}
		warned = e.warnOfRoom(ctx, warned)
		now, err := calendar.Now(ctx)
		if err == nil {
			err = clean(ctx, now, run*every%pruneEvery == 0)
		}
		if err != nil && ctx.Err() == nil {
			e.log.Error("cannot clean up the database", "err", err)
		}
	}
}

// warnOfRoom notifies operators once when the disk is nearly full, and again after
// there was room in between.
func (e *Engine) warnOfRoom(ctx context.Context, warned bool) bool {
	free, low := e.RoomLow()
	if !low || warned {
		return low
	}
	e.log.Error("the disk of the database is nearly full: make room, or messages cannot be stored", "free_mb", free>>20)
	text := fmt.Sprintf("The disk of relay's database has only %d MB left. Make room, or messages can no longer be stored.", free>>20)
	if err := e.Notice(ctx, "disk", text); err != nil {
		e.log.Error("cannot notify operators of the full disk", "err", err)
	}
	return true
}

// sweep deletes files that belong to no message, closes idle conversations, asks for daily
// e-mails and, when pruning is due, deletes everything else that is too old. Merged conversations
// are mended.
func (e *Engine) sweep(ctx context.Context, now chat.Time, pruning bool) error {
	err := errors.Join(e.sweepUnsent(ctx, now), e.closeIdle(ctx, now), e.askDailyMails(ctx, chat.Now()))
	if pruning {
		err = errors.Join(err, e.prune(ctx, now))
	}
	return errors.Join(err, e.mendAllMerged(ctx)) // last: what is too old may have been merged
}

// sweepUnsent deletes files whose message never came.
func (e *Engine) sweepUnsent(ctx context.Context, now chat.Time) error {
	age := unsentAge
	err := e.Store.ReadOne(ctx, func(rd chat.Reader) error {
		unsent, err := rd.UnsentBytes()
		if unsent >= maxUnsent/crowdedPart {
			age = crowdedAge
		}
		return err
	})
	return errors.Join(err, e.Store.SweepOrphans(ctx, nil, now.Add(-age)))
}

// prune deletes sessions without a message, sessions past the retention time and
// events too old to resume a stream from. A backend may open a session long before
// its first message.
func (e *Engine) prune(ctx context.Context, now chat.Time) error {
	var errs []error
	if !e.backend {
		errs = append(errs, e.Store.SweepEmpty(ctx, nil, now.Add(-emptyAge)), e.pruneMore(ctx, now))
	}
	errs = append(errs, e.eraseOld(ctx, now))
	if !e.backend { // who was identified as somebody else leaves a contact without sessions
		errs = append(errs, e.Store.Apply(ctx, func(tx chat.Tx) error { return tx.DropContacts() }))
	}
	return errors.Join(append(errs, e.Store.Prune(ctx, now.Add(-eventAge)))...) // last: it frees the space of the others, too
}

// retention is the setting for how many days conversations are kept.
const retention = "retentionDays"

// eraseOld erases what is older than the settings keep it: of all sites together, unless
// one has a time of its own. None keeps it longer than relay does.
func (e *Engine) eraseOld(ctx context.Context, now chat.Time) error {
	sites, most := e.Sites(), e.RelaySettings().Number(retention)
	erase := func(site *string, days int64) error {
		if days == 0 {
			return nil
		}
		before := now.Add(-time.Duration(days) * 24 * time.Hour)
		return errors.Join(e.Store.EraseIdle(ctx, site, before), e.Store.SweepOrphans(ctx, site, before), e.Store.SweepEmpty(ctx, site, before))
	}
	errs := []error{erase(nil, most)}
	for _, site := range sites.All() {
		if days := sites.Settings(site.ID).Number(retention); days > 0 && (most == 0 || days < most) {
			errs = append(errs, erase(&site.ID, days))
		}
	}
	return errors.Join(errs...)
}

// pruneMore removes what the engine does not know. The sign that there are devices to
// notify may go with it.
func (e *Engine) pruneMore(ctx context.Context, now chat.Time) error {
	if e.alsoPrune == nil {
		return nil
	}
	gone := false
	err := e.Store.Apply(ctx, func(tx chat.Tx) error {
		if err := e.alsoPrune(tx, now); err != nil {
			return err
		}
		stored, err := tx.Settings()
		gone = err == nil && len(stored[chat.SettingPush]) == 0 && e.Settings().Pushes()
		return err
	})
	if err == nil && gone {
		err = e.SignsChanged(ctx)
	}
	return err
}
