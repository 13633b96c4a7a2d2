package chat

import (
	"context"
	"unicode/utf8"
)

// maxPasskeys bounds the passkeys of a person.
const maxPasskeys = 20

// ErrPasskeyNotFound means that there is no such passkey.
var ErrPasskeyNotFound = &Error{NotFound, "Passkey not found"}

// Passkey is a key on a device or in a password manager that signs a person in.
type Passkey struct {
	ID        string `json:"id" db:"id"` // of the credential, as base64url
	Person    string `json:"-" db:"person"`
	Name      string `json:"name" db:"name"`
	PublicKey []byte `json:"-" db:"public_key"` // COSE
	SignCount int64  `json:"-" db:"sign_count"`
	// ChallengeAt is when the challenge was made that signed in last; an older one is used
	// up.
	ChallengeAt Time `json:"-" db:"challenge_at"`
	CreatedAt   Time `json:"createdAt" db:"created_at"`
	UsedAt      Time `json:"usedAt,omitzero" db:"used_at"`
}

// AddPasskey stores a person's new passkey.
func (r *Relay) AddPasskey(ctx context.Context, k Passkey) error {
	if k.Name == "" || utf8.RuneCountInString(k.Name) > maxPersonName {
		return Errorf(Invalid, "name must be 1 to %d characters", maxPersonName)
	}
	k.CreatedAt = Now()
	return r.store.Apply(ctx, func(tx Tx) error {
		list, err := tx.Passkeys(k.Person)
		if err != nil {
			return err
		}
		if len(list) >= maxPasskeys {
			return Errorf(Conflict, "There are %d passkeys, which is the most. Remove one first", len(list))
		}
		if _, err := tx.Passkey(k.ID); err == nil {
			return Errorf(Conflict, "This passkey is known already")
		}
		return tx.PutPasskey(&k)
	})
}

// Passkeys lists the passkeys of a person.
func (r *Relay) Passkeys(ctx context.Context, person string) (list []Passkey, err error) {
	err = r.store.Look(ctx, func(rd Reader) error {
		list, err = rd.Passkeys(person)
		return err
	})
	return list, err
}

// UsePasskey stores that a passkey was used. verify checks the use against what is stored,
// and sets what changed.
func (r *Relay) UsePasskey(ctx context.Context, id string, verify func(*Passkey) error) (k Passkey, err error) {
	err = r.store.Apply(ctx, func(tx Tx) error {
		if k, err = tx.Passkey(id); err != nil {
			return err
		}
		if err := verify(&k); err != nil {
			return err
		}
		k.UsedAt = Now()
		return tx.PutPasskey(&k)
	})
	return k, err
}

// RemovePasskey removes a passkey of a person.
func (r *Relay) RemovePasskey(ctx context.Context, person, id string) error {
	return r.store.Apply(ctx, func(tx Tx) error { return tx.DeletePasskey(person, id) })
}
