package keyring

import (
	"cmp"
	"context"
	"errors"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
)

// RotatePublic replaces the public key: every page that embeds the widget
// needs the new one.
func (k *Ring) RotatePublic(ctx context.Context) (string, error) {
	if k.preset.public != "" {
		return "", chat.Errorf(chat.Conflict, "The key cannot be rotated: the public key is set by RELAY_PUBLIC_KEY; change it there")
	}
	return k.rotate(ctx, "pk_", func(tx chat.Tx, key string) error { return tx.PutMeta(metaPublicKey, key) })
}

// RotateSecret replaces the secret key at once. Who signed in with it is signed out, and
// what it made besides ends: devices of programs and invitations.
func (k *Ring) RotateSecret(ctx context.Context) (string, error) {
	return k.ReplaceSecret(ctx, Replacement{})
}

// Replacement says what becomes of the secret key before, and of what it made.
type Replacement struct {
	Grace   bool // for the other programs that have the key
	EndKeys bool // the API keys that it made end, too
}

// ReplaceSecret is RotateSecret with choices.
func (k *Ring) ReplaceSecret(ctx context.Context, how Replacement) (string, error) {
	before := ""
	if how.Grace {
		before = k.current().secretHash + " " + chat.Now().Add(keyGrace).String()
	}
	if k.SecretPreset() {
		return "", chat.Errorf(chat.Conflict, "The key cannot be rotated: the secret key is set by RELAY_SECRET_KEY; change it there")
	}
	return k.rotate(ctx, "sk_", func(tx chat.Tx, key string) error {
		if how.EndKeys {
			if err := team.EndMadeBySecretKey(tx); err != nil {
				return err
			}
		}
		if err := tx.DropKeyHolders(); err != nil {
			return err
		}
		return putMeta(tx, map[string]string{metaSecretHash: chat.Hash(key), metaSecretBefore: before, metaSecretPlain: ""})
	})
}

// ErrReplaced means that another secret key counts by now.
var ErrReplaced = errors.New("the secret key was replaced meanwhile")

// Still reports, in a transaction, that the secret key is the one that was checked before.
func (k *Ring) Still(key string) func(team.Reader) error {
	return func(r team.Reader) error {
		stored, err := r.Meta(metaSecretHash)
		if err == nil && !chat.SameSecret(chat.Hash(key), cmp.Or(k.preset.secretHash, stored)) {
			err = ErrReplaced
		}
		return err
	}
}

func (k *Ring) rotate(ctx context.Context, prefix string, put func(tx chat.Tx, key string) error) (string, error) {
	key := prefix + chat.NewToken()
	err := k.store.Apply(ctx, func(tx chat.Tx) error { return put(tx, key) })
	if err != nil {
		return "", err
	}
	_, err = k.read(ctx)
	return key, err
}
