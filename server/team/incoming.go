package team

import (
	"context"
	"log/slog"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// answersKept is for how long a request with the same idempotency key gets the same answer.
const answersKept = 7 * 24 * time.Hour

// Incoming are the addresses at which programs write into conversations.
type Incoming struct {
	store store
	log   *slog.Logger
}

// IncomingChange is what is given of an incoming hook; nil leaves a field as it is.
type IncomingChange struct {
	Name   *string
	May    *[]string
	Signed *bool
	Paused *bool
}

func (c *IncomingChange) apply(h *chat.IncomingHook) error {
	if c.Name != nil {
		h.Name = *c.Name
	}
	if c.May != nil {
		h.May = *c.May
	}
	if c.Signed != nil {
		h.Signed = *c.Signed
	}
	switch {
	case c.Paused == nil:
	case !*c.Paused:
		h.PausedAt = 0
	case h.PausedAt == 0:
		h.PausedAt = chat.Now()
	}
	return h.Check()
}

// newToken gives a hook another token, whose text is stored nowhere.
func newToken(h *chat.IncomingHook) (token string) {
	token = chat.HookTokenPrefix + chat.NewToken()
	h.Hash = chat.Hash(token)
	return token
}

// Add makes a hook of a site and returns the token of its address. valid is asked in the
// transaction: what the maker may do can end meanwhile.
func (t *Incoming) Add(ctx context.Context, by chat.Author, site string, in IncomingChange, valid func(Reader) error) (token string, h chat.IncomingHook, err error) {
	h = chat.IncomingHook{ID: chat.NewID(), Site: site, Maker: by.Person, MadeBy: chat.AuditName(by), CreatedAt: chat.Now()}
	token = newToken(&h)
	if err := in.apply(&h); err != nil {
		return "", h, err
	}
	return token, h, t.change(ctx, func(tx Tx) error {
		if err := valid(tx); err != nil {
			return err
		}
		all, err := tx.IncomingHooks()
		own := 0
		for i := range all {
			if all[i].Site == site {
				own++
			}
		}
		switch {
		case err != nil:
			return err
		case own >= chat.MaxIncomingHooks:
			return chat.Errorf(chat.Conflict, "There are %d incoming hooks, which is the most. Delete one first", own)
		case len(all) >= chat.MaxAllIncomingHooks:
			return chat.Errorf(chat.Conflict, "All websites have %d incoming hooks together, which is the most. Delete one first", len(all))
		}
		return tx.PutIncomingHook(&h)
	})
}

// Change changes a hook.
func (t *Incoming) Change(ctx context.Context, id string, in IncomingChange) (h chat.IncomingHook, err error) {
	return h, t.change(ctx, func(tx Tx) error {
		if h, err = tx.IncomingHookByID(id); err != nil {
			return err
		}
		if err := in.apply(&h); err != nil {
			return err
		}
		return tx.PutIncomingHook(&h)
	})
}

// Renew gives a hook another address, and returns its token: the one before leads nowhere from
// then on.
func (t *Incoming) Renew(ctx context.Context, id string, valid func(Reader) error) (token string, h chat.IncomingHook, err error) {
	err = t.change(ctx, func(tx Tx) error {
		if err := valid(tx); err != nil {
			return err
		}
		if h, err = tx.IncomingHookByID(id); err != nil {
			return err
		}
		token = newToken(&h)
		return tx.PutIncomingHook(&h)
	})
	return token, h, err
}

// End ends a hook for good: no request that comes afterwards succeeds, at any node.
func (t *Incoming) End(ctx context.Context, id string) error {
	return t.change(ctx, func(tx Tx) error { return tx.DropIncomingHook(id) })
}

func (t *Incoming) change(ctx context.Context, op func(Tx) error) error {
	return t.store.Apply(ctx, func(tx Tx) error {
		if err := lockTeam(tx); err != nil {
			return err
		}
		return op(tx)
	})
}

// Open returns the hook with a token, or ErrHookNotFound.
func (t *Incoming) Open(ctx context.Context, token string) (h chat.IncomingHook, err error) {
	hash := chat.Hash(token)
	return h, t.store.ReadOne(ctx, func(rd Reader) error {
		h, err = rd.IncomingHook(hash)
		return err
	})
}

// Find returns a hook by its id.
func (t *Incoming) Find(ctx context.Context, id string) (h chat.IncomingHook, err error) {
	return h, t.store.ReadOne(ctx, func(rd Reader) error {
		h, err = rd.IncomingHookByID(id)
		return err
	})
}

// List lists the hooks, oldest first.
func (t *Incoming) List(ctx context.Context) (list []chat.IncomingHook, err error) {
	return list, t.store.ReadOne(ctx, func(rd Reader) error {
		list, err = rd.IncomingHooks()
		return err
	})
}

// Answered returns what came of a hook's earlier request with an idempotency key, the zero value
// if there was none.
func (t *Incoming) Answered(ctx context.Context, hook, key string) (a chat.IncomingAnswer, err error) {
	return a, t.store.ReadOne(ctx, func(rd Reader) error {
		a, err = rd.IncomingAnswer(hook, key)
		return err
	})
}

// Keep stores what came of a request, and once a minute that the hook was used. Without it a
// repeated request would find the message that it wrote, so its answer does not depend on this.
func (t *Incoming) Keep(ctx context.Context, h *chat.IncomingHook, a chat.IncomingAnswer) {
	now := chat.Now()
	used := now.Sub(h.UsedAt) >= usedEvery
	if a.Key == "" && !used {
		return
	}
	err := t.store.Apply(context.WithoutCancel(ctx), func(tx Tx) error {
		if _, err := tx.IncomingHookByID(h.ID); err != nil {
			return err // it ended meanwhile
		}
		if used {
			if err := tx.UsedIncomingHook(h.ID, now); err != nil {
				return err
			}
		}
		if a.Key == "" {
			return nil
		}
		a.Hook, a.At = h.ID, now
		return tx.PutIncomingAnswer(&a)
	})
	if err != nil {
		t.log.Warn("cannot store the answer of an incoming hook", "hook", h.ID, "err", err)
	}
}
