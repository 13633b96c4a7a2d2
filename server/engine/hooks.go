package engine

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// HookChange is what is given of a webhook beside the first; nil leaves a field as it is.
type HookChange struct {
	Name, URL, Secret *string
	Events            *[]string
	Paused            *bool
}

// apply changes a webhook, whose fields are checked afterwards.
func (c *HookChange) apply(h *chat.Hook) error {
	for _, f := range []struct{ given, field *string }{{c.Name, &h.Name}, {c.URL, &h.URL}, {c.Secret, &h.Secret}} {
		if f.given != nil {
			*f.field = *f.given
		}
	}
	if c.Events != nil {
		h.Events = *c.Events
	}
	if c.Paused != nil {
		h.Pause(*c.Paused)
	}
	return h.Check()
}

// lockHooks serialises changes of webhooks at all nodes: they are counted and overwritten.
const lockHooks = "hooks"

// AddHook makes a webhook of a site, which gets its events from then on.
func (c *configuration) AddHook(ctx context.Context, by chat.Author, site string, in HookChange) (chat.Hook, error) {
	h := chat.Hook{ID: chat.NewID(), Site: site, MadeBy: chat.AuditName(by), CreatedAt: chat.Now()}
	if err := in.apply(&h); err != nil {
		return h, err
	}
	return h, c.changeHooks(ctx, func(tx chat.Tx, all []chat.Hook) error {
		own, every := 0, 0
		for i := range all {
			switch {
			case all[i].EndedAt != 0:
			case all[i].Site == site:
				own, every = own+1, every+1
			default:
				every++
			}
		}
		switch {
		case own >= chat.MaxHooks:
			return chat.Errorf(chat.Conflict, "There are %d webhooks beside the first, which is the most. Delete one first", own)
		case every >= chat.MaxAllHooks:
			return chat.Errorf(chat.Conflict, "All websites have %d webhooks together, which is the most. Delete one first", every)
		}
		return tx.PutHook(&h)
	})
}

// ChangeHook changes a webhook. What waits for it is posted as it is configured then.
func (c *configuration) ChangeHook(ctx context.Context, id string, in HookChange) (h chat.Hook, err error) {
	return h, c.changeHook(ctx, id, func(found *chat.Hook) error {
		if err := in.apply(found); err != nil {
			return err
		}
		h = *found
		return nil
	})
}

// EndHook ends a webhook for good: nothing is posted to it any more.
func (c *configuration) EndHook(ctx context.Context, id string) error {
	return c.changeHook(ctx, id, func(h *chat.Hook) error {
		h.EndedAt = chat.Now()
		return nil
	})
}

// PauseHook pauses a webhook whose receiver wants no more, unless it was changed meanwhile. It
// reports whether it worked until then.
func (c *configuration) PauseHook(ctx context.Context, asked *chat.Hook, why string) (was bool, err error) {
	err = c.changeHook(ctx, asked.ID, func(h *chat.Hook) error {
		if was = h.Works() && h.URL == asked.URL && h.Secret == asked.Secret; was {
			h.PausedAt, h.PausedFor = chat.Now(), why
		}
		return nil
	})
	return was, err
}

// changeHook runs a change of a webhook that has not ended.
func (c *configuration) changeHook(ctx context.Context, id string, change func(h *chat.Hook) error) error {
	return c.changeHooks(ctx, func(tx chat.Tx, all []chat.Hook) error {
		for i := range all {
			h := &all[i]
			if h.ID != id || h.EndedAt != 0 {
				continue
			}
			if err := change(h); err != nil {
				return err
			}
			return tx.PutHook(h)
		}
		return chat.ErrHookNotFound
	})
}

// changeHooks runs a change of webhooks, which is given all that are stored.
func (c *configuration) changeHooks(ctx context.Context, change func(tx chat.Tx, all []chat.Hook) error) error {
	c.patching.Lock()
	defer c.patching.Unlock()
	return c.apply(ctx, func(tx chat.Tx) error {
		if _, err := tx.LockMeta(lockHooks); err != nil {
			return err
		}
		all, err := tx.Hooks()
		if err != nil {
			return err
		}
		return change(tx, all)
	})
}

// DropHook removes what was not delivered to a webhook that has ended, in portions, and with
// forget the webhook itself: a node may still have added something shortly after its end.
func (c *configuration) DropHook(ctx context.Context, h *chat.Hook, forget bool) error {
	for some := true; some && ctx.Err() == nil; {
		err := c.store.Apply(ctx, func(tx chat.Tx) (err error) {
			some, err = tx.DropUndelivered(h.Sink())
			return err
		})
		if err != nil {
			return err
		}
	}
	if !forget || ctx.Err() != nil {
		return ctx.Err()
	}
	return c.changeHooks(ctx, func(tx chat.Tx, _ []chat.Hook) error { return tx.DropHook(h.ID) })
}
