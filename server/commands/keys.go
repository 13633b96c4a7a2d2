package commands

import (
	"cmp"
	"context"
	"fmt"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/keyring"
)

// WithKeys calls use with the keys. A relay that runs on the same database sees
// a change within a second.
func (c *Call) WithKeys(ctx context.Context, use func(*keyring.Ring, chat.Store) error) error {
	return c.WithStore(ctx, func(store chat.Store) error {
		keys, err := keyring.Join(ctx, store, c.Config, c.Log)
		if err != nil {
			return err
		}
		return use(keys, store)
	})
}

func showKeys(ctx context.Context, c *Call, _ string) error {
	return c.WithKeys(ctx, func(keys *keyring.Ring, _ chat.Store) error {
		public, secret, err := keys.Show(ctx)
		if err != nil {
			return err
		}
		if c.Flags.JSON {
			return JSON(c.Out, map[string]string{"publicKey": public, "secretKey": secret})
		}
		hidden := "is no longer shown; make a new one with: relay keys rotate secret"
		if keys.SecretPreset() {
			hidden = "is set by RELAY_SECRET_KEY; change it there"
		}
		fmt.Fprintf(c.Out, "public key  %s\nsecret key  %s\n", public, cmp.Or(secret, hidden))
		return nil
	})
}

func rotatePublic(ctx context.Context, _ *Call, keys *keyring.Ring) (string, error) {
	return keys.RotatePublic(ctx)
}

func rotateSecret(ctx context.Context, c *Call, keys *keyring.Ring) (string, error) {
	return keys.ReplaceSecret(ctx, keyring.Replacement{EndKeys: c.Flags.EndKeys})
}

// rotate returns the command that replaces a key.
func rotate(replace func(context.Context, *Call, *keyring.Ring) (string, error)) func(context.Context, *Call, string) error {
	return func(ctx context.Context, c *Call, _ string) error {
		return c.WithKeys(ctx, func(keys *keyring.Ring, store chat.Store) error {
			key, err := replace(ctx, c, keys)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "%s\nThis is the new key. The old one is no longer valid.\n", key)
			what := c.Words[2] + " key"
			if c.Flags.EndKeys {
				fmt.Fprintln(c.Out, "The API keys and incoming hooks that it made have ended.")
				what += " with the API keys and incoming hooks that it made"
			}
			return c.audit(ctx, store, chat.AuditKeyRotated, what)
		})
	}
}
