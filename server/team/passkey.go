package team

import (
	"context"
	"errors"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// maxPasskeys is how many passkeys a person may have. PasskeyPatience is how long
// somebody may take to answer a challenge.
const (
	maxPasskeys     = 10
	maxPasskeyName  = 60
	PasskeyPatience = 5 * time.Minute
)

// ErrPasskeyTaken means that somebody signs in with this passkey already.
var ErrPasskeyTaken = &chat.Error{Kind: chat.Conflict, Text: "This passkey is in use already"}

// Passkeys are the key pairs with which people sign in.
type Passkeys struct{ store store }

// useChallenge uses a challenge up. It is remembered until it is too old to be accepted.
func useChallenge(tx Tx, challenge []byte) error {
	now := chat.Now()
	if err := tx.DropChallenges(now); err != nil {
		return err
	}
	return tx.UseChallenge(chat.Hash(string(challenge)), now.Add(2*PasskeyPatience))
}

// checkPasskeyName clips a name to one line; an empty one is rejected.
func checkPasskeyName(name string) (string, error) {
	if name = chat.Clip(chat.OneLine(name), maxPasskeyName); name == "" {
		return "", chat.Errorf(chat.Invalid, "name must be 1 to %d characters", maxPasskeyName)
	}
	return name, nil
}

// Add stores the passkey that answered a challenge.
func (t *Passkeys) Add(ctx context.Context, k chat.Passkey, challenge []byte) (_ chat.Passkey, err error) {
	if k.Name, err = checkPasskeyName(k.Name); err != nil {
		return k, err
	}
	k.ID, k.CreatedAt = chat.NewID(), chat.Now()
	err = t.store.Apply(ctx, func(tx Tx) error {
		if err := useChallenge(tx, challenge); err != nil {
			return err
		}
		if _, err := tx.Person(k.Person); err != nil {
			return err
		}
		list, err := tx.Passkeys(k.Person)
		if err != nil {
			return err
		}
		if len(list) >= maxPasskeys {
			return chat.Errorf(chat.Conflict, "You have %d passkeys, which is the most. Remove one first", len(list))
		}
		if _, err := tx.Passkey(k.Credential); !errors.Is(err, chat.ErrPasskeyNotFound) {
			return firstOf(err, ErrPasskeyTaken)
		}
		return tx.PutPasskey(&k)
	})
	return k, err
}

// Use notes a signature that answered a challenge.
func (t *Passkeys) Use(ctx context.Context, id string, count uint32, challenge []byte) error {
	return t.store.Apply(ctx, func(tx Tx) error {
		if err := useChallenge(tx, challenge); err != nil {
			return err
		}
		return tx.UsePasskey(id, int64(count), chat.Now())
	})
}

// List lists those of a person, the oldest first.
func (t *Passkeys) List(ctx context.Context, person string) (list []chat.Passkey, err error) {
	err = t.store.ReadOne(ctx, func(rd Reader) error {
		list, err = rd.Passkeys(person)
		return err
	})
	return list, err
}

// ByCredential returns a passkey by its credential.
func (t *Passkeys) ByCredential(ctx context.Context, credential string) (k chat.Passkey, err error) {
	err = t.store.Read(ctx, func(rd Reader) error {
		k, err = rd.Passkey(credential)
		return err
	})
	return k, err
}

// Find returns a passkey by its id.
func (t *Passkeys) Find(ctx context.Context, id string) (k chat.Passkey, err error) {
	err = t.store.Read(ctx, func(rd Reader) error {
		k, err = rd.PasskeyByID(id)
		return err
	})
	return k, err
}

// Rename gives a passkey another name.
func (t *Passkeys) Rename(ctx context.Context, k chat.Passkey, name string) (_ chat.Passkey, err error) {
	if k.Name, err = checkPasskeyName(name); err != nil {
		return k, err
	}
	return k, t.store.Apply(ctx, func(tx Tx) error { return tx.RenamePasskey(k.ID, k.Name) })
}

// Remove makes relay forget a passkey.
func (t *Passkeys) Remove(ctx context.Context, id string) error {
	return t.store.Apply(ctx, func(tx Tx) error { return tx.DeletePasskey(id) })
}
