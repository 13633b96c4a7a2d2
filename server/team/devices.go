package team

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// metaPushKey is the private key by which push services know relay.
const metaPushKey = "push_key"

// Bounds of devices.
const (
	maxEndpoint      = 2048
	maxDevices       = 20 // of one person
	maxDevicesInAll  = 1000
	maxPushLabel     = 100
	pushAuthLength   = 16
	pushPublicLength = 65
)

// Devices are the browsers that are notified.
type Devices struct {
	store store
	hooks Hooks
}

// checkDevice rejects a device that cannot be notified. Its address is checked again when
// it is dialled.
func checkDevice(d *chat.PushDevice) error {
	u, err := url.Parse(d.Endpoint)
	switch {
	case err != nil, u.Scheme != "https", u.Host == "", u.User != nil, len(d.Endpoint) > maxEndpoint, strings.ContainsAny(d.Endpoint, " \r\n\x00"):
		return chat.Errorf(chat.Invalid, "endpoint must be an https address of a push service, at most %d characters", maxEndpoint)
	case !isKey(d.P256dh):
		return chat.Errorf(chat.Invalid, "keys.p256dh must be a public key of the curve P-256")
	case len(decodeKey(d.Auth)) != pushAuthLength:
		return chat.Errorf(chat.Invalid, "keys.auth must be %d bytes in base64url", pushAuthLength)
	}
	d.Label = chat.Clip(chat.OneLine(d.Label), maxPushLabel)
	return nil
}

func decodeKey(text string) []byte {
	key, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return nil
	}
	return key
}

func isKey(text string) bool {
	key := decodeKey(text)
	if len(key) != pushPublicLength {
		return false
	}
	_, err := ecdh.P256().NewPublicKey(key)
	return err == nil
}

// Keys returns the keys by which push services know relay, in base64url. They are
// made when they are first needed.
func (t *Devices) Keys(ctx context.Context) (private, public string, err error) {
	err = t.store.ReadOne(ctx, func(rd Reader) (err error) {
		private, err = rd.Meta(metaPushKey)
		return err
	})
	if err == nil && private == "" {
		private, err = t.makeKey(ctx)
	}
	if err != nil {
		return "", "", err
	}
	key, err := ecdh.P256().NewPrivateKey(decodeKey(private))
	if err != nil {
		return "", "", err
	}
	return private, base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()), nil
}

// makeKey stores a new key unless another relay has done so.
func (t *Devices) makeKey(ctx context.Context) (private string, err error) {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return "", err
	}
	err = t.store.Apply(ctx, func(tx Tx) (err error) {
		if private, err = tx.LockMeta(metaPushKey); err != nil || private != "" {
			return err
		}
		private = base64.RawURLEncoding.EncodeToString(key.Bytes())
		return tx.PutMeta(metaPushKey, private)
	})
	return private, err
}

// List lists the devices of a person, or everybody's with "".
func (t *Devices) List(ctx context.Context, person string) ([]chat.PushDevice, error) {
	list := []chat.PushDevice{}
	err := t.store.ReadOne(ctx, func(rd Reader) error {
		all, err := rd.PushDevices()
		for i := range all {
			if person == "" || all[i].Person == person {
				list = append(list, all[i])
			}
		}
		return err
	})
	return list, err
}

// Add lets a device be notified. A known endpoint gets the new values; whoever
// uses the browser now owns it.
func (t *Devices) Add(ctx context.Context, d chat.PushDevice) (chat.PushDevice, error) {
	if err := checkDevice(&d); err != nil {
		return d, err
	}
	fresh := chat.NewID()
	first := false
	err := t.store.Apply(ctx, func(tx Tx) error {
		all, err := tx.PushDevices()
		if err != nil {
			return err
		}
		d.ID, d.CreatedAt = fresh, chat.Now()
		own := 0
		for i := range all {
			if all[i].Endpoint == d.Endpoint {
				d.ID, d.CreatedAt = all[i].ID, all[i].CreatedAt
			} else if all[i].Person == d.Person {
				own++
			}
		}
		if own >= maxDevices || len(all) >= maxDevicesInAll && d.ID == fresh {
			return chat.Errorf(chat.Conflict, "There are too many devices: remove one that is no longer used")
		}
		first = len(all) == 0
		if err := tx.PutPushDevice(&d); err != nil {
			return err
		}
		return tx.PutSetting(chat.SettingPush, chat.Raw("true"))
	})
	if err == nil && first {
		err = t.hooks.SignsChanged(ctx)
	}
	return d, err
}

// Remove ends a device's notifications. With an empty person it is that of any: its push
// service knows it no longer.
func (t *Devices) Remove(ctx context.Context, person, id string) error {
	last := false
	err := t.store.Apply(ctx, func(tx Tx) error {
		all, err := tx.PushDevices()
		if err != nil {
			return err
		}
		found := false
		for i := range all {
			found = found || all[i].ID == id && (person == "" || all[i].Person == person)
		}
		if !found {
			return chat.ErrDeviceNotFound
		}
		if last = len(all) == 1; last {
			err = tx.DeleteSetting(chat.SettingPush)
		}
		if err == nil {
			err = tx.DeletePushDevice(id)
		}
		return err
	})
	if err == nil && last {
		err = t.hooks.SignsChanged(ctx)
	}
	return err
}
