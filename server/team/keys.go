package team

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Bounds of API keys. usedEvery is how often it is stored that a key was used.
const (
	maxKeyName = 80
	maxKeys    = 500
	maxTokens  = 20 // of one person
	usedEvery  = time.Minute
	keysKept   = 90 * 24 * time.Hour // after their end
	maxEnded   = 500                 // in the list of ended keys
)

// Keys are the API keys and personal tokens of programs.
type Keys struct {
	store store
	log   *slog.Logger

	mu   sync.Mutex
	used map[string]chat.Time // since it was stored last
}

// Add makes a key and returns its text, which is stored nowhere. valid is asked in the
// transaction: what the maker may do can end meanwhile.
func (t *Keys) Add(ctx context.Context, by chat.Author, k chat.APIKey, valid func(Reader) error) (secret string, _ chat.APIKey, err error) {
	secret = chat.APIKeyPrefix + chat.NewToken()
	k.ID, k.Hash, k.CreatedAt = chat.NewID(), chat.Hash(secret), chat.Now()
	if err := prepareKey(by, &k); err != nil {
		return "", k, err
	}
	return secret, k, t.store.Apply(ctx, func(tx Tx) error {
		if err := lockTeam(tx); err != nil {
			return err
		}
		if err := firstOf(valid(tx), stillMakes(tx, by, &k)); err != nil {
			return err
		}
		if err := roomForKey(tx, k.Person); err != nil {
			return err
		}
		return tx.PutAPIKey(&k)
	})
}

// prepareKey completes a new key, and refuses what is more than its maker has.
func prepareKey(by chat.Author, k *chat.APIKey) error {
	k.Name = strings.Join(strings.Fields(k.Name), " ")
	if err := checkName(k.Name, maxKeyName); err != nil {
		return err
	}
	if k.ExpiresAt != 0 && k.ExpiresAt <= k.CreatedAt {
		return chat.ErrorAt(chat.Invalid, "expiresAt", "expiresAt must be in the future")
	}
	k.Maker, k.MadeBy = by.Person, chat.AuditName(by)
	if k.Sites == nil && (k.Person == "" || by.Key != nil) {
		k.Sites = by.Sites
	}
	if with := by.Key; with != nil {
		k.Maker, k.MadeWith = with.Maker, with.ID
		switch {
		case !k.Scopes.Within(with.Scopes):
			return chat.ErrorAt(chat.Forbidden, "scopes", "A key makes no key that may do more than itself, which is: "+with.Scopes.String())
		case with.ExpiresAt != 0 && k.ExpiresAt == 0:
			k.ExpiresAt = with.ExpiresAt
		case with.ExpiresAt != 0 && k.ExpiresAt > with.ExpiresAt:
			return chat.ErrorAt(chat.Forbidden, "expiresAt", "A key makes no key that works longer than itself, until "+with.ExpiresAt.String())
		}
	}
	return mayMake(by, k)
}

// errOwnTokens refuses API keys to operators.
var errOwnTokens = chat.Errorf(chat.Forbidden, "Only administrators make API keys. Make a personal token")

// mayMake reports whether somebody may make a key for its person and sites.
func mayMake(by chat.Author, k *chat.APIKey) error {
	switch {
	case !k.Sites.Within(by.Sites) && k.Sites != nil:
		return chat.ErrorAt(chat.Forbidden, "sites", "These are not all your sites")
	case k.Person != "" && k.Person != by.Person:
		return chat.Errorf(chat.Forbidden, "People make their own tokens")
	case k.Person == "" && !by.Manages(k.Sites):
		return errOwnTokens
	}
	return nil
}

// stillMakes asks again, in the transaction, whether the maker may make the key.
func stillMakes(rd Reader, by chat.Author, k *chat.APIKey) error {
	if by.SignIn != "" {
		if _, err := rd.SignInByID(by.SignIn); err != nil {
			return err
		}
	}
	if by.Key != nil {
		with, err := rd.APIKeyByID(by.Key.ID)
		if err == nil && !with.Works(k.CreatedAt) {
			err = chat.ErrAPIKeyNotFound
		}
		if err != nil {
			return err
		}
	}
	if by.Person == "" {
		return nil
	}
	p, err := rd.Person(by.Person)
	if err != nil {
		return err
	}
	by.Role, by.Sites = p.Role, p.Sites.And(by.Sites)
	return mayMake(by, k)
}

func roomForKey(rd Reader, person string) error {
	all, err := rd.APIKeys()
	own := 0
	for i := range all {
		if all[i].Person == person && all[i].Works(chat.Now()) {
			own++
		}
	}
	switch {
	case err != nil:
		return err
	case person != "" && own >= maxTokens:
		return chat.Errorf(chat.Conflict, "You have %d tokens, which is the most. End one first", own)
	case person == "" && own >= maxKeys:
		return chat.Errorf(chat.Conflict, "There are %d keys, which is the most. End one first", own)
	}
	return nil
}

// Open returns the key with a text and, of a token, its person. A wrong text costs what a
// right one does; unknown, ended and expired ones are ErrAPIKeyNotFound.
func (t *Keys) Open(ctx context.Context, secret string) (k chat.APIKey, p chat.Person, err error) {
	hash := chat.Hash(secret)
	k, p, err = t.working(ctx, func(rd Reader) (chat.APIKey, error) { return rd.APIKey(hash) })
	if err == nil {
		t.note(&k)
	}
	return k, p, err
}

// Current returns a key as it is now; see Open.
func (t *Keys) Current(ctx context.Context, id string) (chat.APIKey, chat.Person, error) {
	return t.working(ctx, func(rd Reader) (chat.APIKey, error) { return rd.APIKeyByID(id) })
}

func (t *Keys) working(ctx context.Context, find func(Reader) (chat.APIKey, error)) (k chat.APIKey, p chat.Person, err error) {
	err = t.store.ReadOne(ctx, func(rd Reader) error {
		if k, err = find(rd); err != nil {
			return err
		}
		if !k.Works(chat.Now()) {
			return chat.ErrAPIKeyNotFound
		}
		if k.Person != "" {
			p, err = rd.Person(k.Person)
		}
		return err
	})
	if errors.Is(err, chat.ErrPersonNotFound) {
		err = chat.ErrAPIKeyNotFound
	}
	return k, p, err
}

// note remembers that a key is in use, for Run.
func (t *Keys) note(k *chat.APIKey) {
	now := chat.Now()
	if now.Sub(k.UsedAt) < usedEvery {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.used == nil {
		t.used = map[string]chat.Time{}
	}
	t.used[k.ID] = now
}

// Run stores once a minute when keys were used last, until ctx ends: no request waits for it.
func (t *Keys) Run(ctx context.Context) error {
	tick := time.NewTicker(usedEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			t.Store(context.WithoutCancel(ctx))
			return nil
		case <-tick.C:
			t.Store(ctx)
		}
	}
}

// Store stores when keys were used last.
func (t *Keys) Store(ctx context.Context) {
	t.mu.Lock()
	used := t.used
	t.used = nil
	t.mu.Unlock()
	if len(used) == 0 {
		return
	}
	err := t.store.Apply(ctx, func(tx Tx) error {
		for id, at := range used {
			if err := tx.UsedAPIKey(id, at); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.log.Error("cannot store when keys were used last", "err", err)
	}
}

// List lists the keys that were not ended, newest first, with what this node knows of their
// use.
func (t *Keys) List(ctx context.Context) (list []chat.APIKey, err error) {
	err = t.store.ReadOne(ctx, func(rd Reader) error {
		list, err = rd.APIKeys()
		return err
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range list {
		list[i].UsedAt = max(list[i].UsedAt, t.used[list[i].ID])
	}
	return list, err
}

// Ended lists the keys that ended or expired within the last 90 days, the last one first, each with
// how it ended.
func (t *Keys) Ended(ctx context.Context) (list []chat.APIKey, err error) {
	err = t.store.ReadOne(ctx, func(rd Reader) error {
		list, err = rd.EndedAPIKeys(chat.Now(), maxEnded)
		return err
	})
	for i := range list {
		list[i].EndOf()
	}
	return list, err
}

// Find returns a key that was not ended.
func (t *Keys) Find(ctx context.Context, id string) (k chat.APIKey, err error) {
	err = t.store.ReadOne(ctx, func(rd Reader) error {
		if k, err = rd.APIKeyByID(id); err == nil && k.EndedAt != 0 {
			err = chat.ErrAPIKeyNotFound
		}
		return err
	})
	return k, err
}

// End ends a key for good, with all that were made with it: no request that comes afterwards
// succeeds, at any node. by is the name of who ends it.
func (t *Keys) End(ctx context.Context, id, by string) error {
	return t.store.Apply(ctx, func(tx Tx) error {
		if err := lockTeam(tx); err != nil {
			return err
		}
		return tx.EndAPIKey(id, chat.KeyEnd{At: chat.Now(), By: by, For: chat.KeyEnded})
	})
}

// EndMadeBySecretKey ends, in a transaction, what was made with the secret key: keys, and the
// addresses at which programs write.
func EndMadeBySecretKey(tx Tx) error {
	if err := lockTeam(tx); err != nil {
		return err
	}
	return firstOf(tx.EndKeysOf("", chat.KeyEnd{At: chat.Now(), For: chat.KeySecretKey}), tx.DropIncomingHooksOf(""))
}
