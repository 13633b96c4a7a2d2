package telegramtest

import (
	"context"
	"slices"
	"time"
)

// updateQueue is what the bot has not confirmed yet.
type updateQueue struct {
	lastID  int64
	waiting []update
	again   []update       // repeated, whatever was confirmed
	emitted []update       // all updates so far
	known   map[int64]bool // their ids
	kinds   []string       // allowed_updates; nil: those that are sent unasked
	changed chan struct{}  // closed when something changed
	webhook webhook
	poll    int // the number of the latest getUpdates: the one that counts
}

type update struct {
	id   int64
	kind string
	body map[string]any
}

func (u *update) json() map[string]any {
	return map[string]any{"update_id": u.id, u.kind: u.body}
}

// emit queues an update for the bot. The caller holds the lock.
func (f *Platform) emit(kind string, body map[string]any) {
	q := &f.queue
	if q.lastID == 0 {
		q.lastID = 870000000
	}
	q.lastID++
	if q.kinds != nil && !slices.Contains(q.kinds, kind) || q.kinds == nil && kind == "message_reaction" {
		return
	}
	q.waiting = append(q.waiting, update{q.lastID, kind, body})
	f.wake()
}

// wake lets what waits for a change look again.
func (f *Platform) wake() {
	close(f.queue.changed)
	f.queue.changed = make(chan struct{})
}

// Redeliver implements [bridgetest.Platform].
func (f *Platform) Redeliver() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue.again = append(f.queue.again, f.queue.emitted...)
	f.wake()
}

// Skip lets the numbers of updates jump, as they do after an idle week.
func (f *Platform) Skip(n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue.lastID += n
}

// Waiting is how many updates the bot has not confirmed.
func (f *Platform) Waiting() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.queue.waiting)
}

// conflict is a 409.
func conflict(text string) *apiError { return &apiError{Code: 409, Description: "Conflict: " + text} }

// getUpdates is long polling: an offset confirms what is before it, and the
// latest call ends the one before.
func (f *Platform) getUpdates(ctx context.Context, p params) (any, *apiError) {
	f.mu.Lock()
	q := &f.queue
	if q.webhook.url != "" {
		f.mu.Unlock()
		return nil, conflict("can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
	}
	q.allow(p)
	if offset := p.int("offset"); offset != 0 {
		q.waiting = slices.DeleteFunc(q.waiting, func(u update) bool { return u.id < offset })
	}
	q.poll++
	mine := q.poll
	f.wake()
	limit := time.NewTimer(time.Duration(min(p.int("timeout"), 50)) * time.Second)
	defer limit.Stop()
	for {
		found, changed, ended := f.next(p, mine)
		f.mu.Unlock()
		if ended != nil || len(found) > 0 {
			return found, ended
		}
		select {
		case <-ctx.Done():
			return []any{}, nil
		case <-f.done:
			return []any{}, nil
		case <-limit.C:
			return []any{}, nil
		case <-changed:
		}
		f.mu.Lock()
	}
}

// next returns what there is for the n-th call of getUpdates.
func (f *Platform) next(p params, n int) (found []any, changed chan struct{}, ended *apiError) {
	q := &f.queue
	switch {
	case q.webhook.url != "":
		return nil, nil, conflict("terminated by setWebhook request")
	case q.poll != n:
		return nil, nil, conflict("terminated by other getUpdates request; make sure that only one bot instance is running")
	}
	list := append(q.again, q.waiting...)
	q.again = nil
	limit := int(p.int("limit"))
	if limit == 0 {
		limit = 100
	}
	for _, u := range list[:min(limit, len(list))] {
		q.remember(u)
		found = append(found, u.json())
	}
	return found, q.changed, nil
}

// remember records an update that was sent to the bot.
func (q *updateQueue) remember(u update) {
	if !q.known[u.id] {
		q.known[u.id], q.emitted = true, append(q.emitted, u)
	}
}

// allow keeps which updates the bot wants; not given, the former choice holds.
func (q *updateQueue) allow(p params) {
	kinds, given := p["allowed_updates"].([]any)
	if !given {
		return
	}
	q.kinds = nil
	for _, kind := range kinds {
		if name, ok := kind.(string); ok {
			q.kinds = append(q.kinds, name)
		}
	}
}
