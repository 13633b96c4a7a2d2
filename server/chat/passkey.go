package chat

import (
	"context"
	"errors"
	"time"
)

// maxPasskeys is how many passkeys a person may have. PasskeyPatience is how long
// somebody may take to answer a challenge.
const (
	maxPasskeys     = 10
	maxPasskeyName  = 60
	PasskeyPatience = 5 * time.Minute
)

// useChallenge uses a challenge up. It is remembered until it is too old to be accepted.
func useChallenge(tx Tx, challenge []byte) error {
	now := Now()
	if err := tx.DropChallenges(now); err != nil {
		return err
	}
	return tx.UseChallenge(Hash(string(challenge)), now.Add(2*PasskeyPatience))
}

// checkPasskeyName clips a name to one line; an empty one is rejected.
func checkPasskeyName(name string) (string, error) {
	if name = Clip(OneLine(name), maxPasskeyName); name == "" {
		return "", Errorf(Invalid, "name must be 1 to %d characters", maxPasskeyName)
	}
	return name, nil
}

// AddPasskey stores the passkey that answered a challenge.
func (r *Relay) AddPasskey(ctx context.Context, k Passkey, challenge []byte) (_ Passkey, err error) {
	if k.Name, err = checkPasskeyName(k.Name); err != nil {
		return k, err
	}
	k.ID, k.CreatedAt = NewID(), Now()
	err = r.store.Apply(ctx, func(tx Tx) error {
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
			return Errorf(Conflict, "You have %d passkeys, which is the most. Remove one first", len(list))
		}
		if _, err := tx.Passkey(k.Credential); !errors.Is(err, ErrPasskeyNotFound) {
			return firstOf(err, ErrPasskeyTaken)
		}
		return tx.PutPasskey(&k)
	})
	return k, err
}

// UsePasskey notes a signature that answered a challenge.
func (r *Relay) UsePasskey(ctx context.Context, id string, count uint32, challenge []byte) error {
	return r.store.Apply(ctx, func(tx Tx) error {
		if err := useChallenge(tx, challenge); err != nil {
			return err
		}
		return tx.UsePasskey(id, int64(count), Now())
	})
}

// Passkeys lists those of a person, the oldest first.
func (r *Relay) Passkeys(ctx context.Context, person string) (list []Passkey, err error) {
	err = r.store.ReadOne(ctx, func(rd Reader) error {
		list, err = rd.Passkeys(person)
		return err
	})
	return list, err
}

// PasskeyOf returns a passkey by its credential.
func (r *Relay) PasskeyOf(ctx context.Context, credential string) (k Passkey, err error) {
	err = r.store.Read(ctx, func(rd Reader) error {
		k, err = rd.Passkey(credential)
		return err
	})
	return k, err
}

// FindPasskey returns a passkey by its id.
func (r *Relay) FindPasskey(ctx context.Context, id string) (k Passkey, err error) {
	err = r.store.Read(ctx, func(rd Reader) error {
		k, err = rd.PasskeyByID(id)
		return err
	})
	return k, err
}

// RenamePasskey gives a passkey another name.
func (r *Relay) RenamePasskey(ctx context.Context, k Passkey, name string) (_ Passkey, err error) {
	if k.Name, err = checkPasskeyName(name); err != nil {
		return k, err
	}
	return k, r.store.Apply(ctx, func(tx Tx) error { return tx.RenamePasskey(k.ID, k.Name) })
}

// RemovePasskey makes relay forget a passkey.
func (r *Relay) RemovePasskey(ctx context.Context, id string) error {
	return r.store.Apply(ctx, func(tx Tx) error { return tx.DeletePasskey(id) })
}
