package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Settings returns the current settings.
func (r *Relay) Settings() *chat.Settings { return r.current.Load().settings }

// currentSettings holds the settings and the targets computed from them, which every
// message needs.
type currentSettings struct {
	settings *chat.Settings
	targets  []chat.Target
}

// SettingsChanged returns a channel that is closed with the next change of the
// settings. Get the channel first, then read the settings.
func (r *Relay) SettingsChanged() <-chan struct{} { return *r.changed.Load() }

// PatchSettings stores the given settings, or none if any is unknown or invalid; the error
// names each of those. null removes a stored value, a secret's mask keeps it.
func (r *Relay) PatchSettings(ctx context.Context, patch map[string]json.RawMessage) error {
	changes, err := r.Settings().Changes(patch)
	if err != nil {
		return err
	}
	r.patching.Lock()
	defer r.patching.Unlock()
	return r.patch(ctx, changes)
}

// patchTimeout bounds a change of the settings, which continues when its caller leaves.
const patchTimeout = 15 * time.Second

// patch stores changes and then applies what is stored, even if the commit was not
// confirmed.
func (r *Relay) patch(ctx context.Context, changes map[string]chat.Raw) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patchTimeout)
	defer cancel()
	err := r.store.Apply(ctx, func(tx chat.Tx) error { return storeSettings(tx, changes) })
	applied := r.applySettings(ctx)
	r.nodes.Ring(noteSettings)
	return cmp.Or(err, applied)
}

// applySettings reads the settings and publishes them.
func (r *Relay) applySettings(ctx context.Context) error {
	if err := r.loadSettings(ctx); err != nil {
		return err
	}
	next := make(chan struct{})
	close(*r.changed.Swap(&next))
	r.updatePresence(func(p *presence) { p.hours = chat.Timetable{Schedule: r.businessHours()} })
	r.hub.Broadcast(chat.StateConfig, map[string]any{"config": r.Settings().WidgetConfig()})
	return nil
}

// CheckSettings returns the error that PatchSettings would return for a patch.
func (r *Relay) CheckSettings(patch map[string]json.RawMessage) error {
	_, err := r.Settings().Changes(patch)
	return err
}

// SwitchOff sets a boolean setting to false and reports whether it was true. In bridge
// mode, where nobody could switch it on again, it holds only until the next start.
func (r *Relay) SwitchOff(ctx context.Context, name string) (was bool, err error) {
	r.patching.Lock()
	defer r.patching.Unlock()
	if !r.Settings().Bool(name) {
		return false, nil
	}
	off := map[string]chat.Raw{name: chat.Raw("false")}
	if !r.backend {
		return true, r.patch(ctx, off)
	}
	env := map[string]chat.Raw{}
	maps.Copy(env, r.env)
	maps.Copy(env, off)
	r.env = env
	return true, r.applySettings(ctx)
}

func storeSettings(tx chat.MetaTx, changes map[string]chat.Raw) error {
	for name, value := range changes {
		var err error
		if value == nil {
			err = tx.DeleteSetting(name)
		} else {
			err = tx.PutSetting(name, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// loadSettings reads the stored settings over those of the environment.
func (r *Relay) loadSettings(ctx context.Context) error {
	return r.store.Read(ctx, func(rd chat.Reader) error {
		stored, err := rd.Settings()
		if err != nil {
			return err
		}
		s := chat.SettingsOf(r.declared, r.env, stored)
		r.current.Store(&currentSettings{s, r.targets(s)})
		return nil
	})
}

// PushesChanged applies, at every node, that there are devices now, or none any more.
func (r *Relay) PushesChanged(ctx context.Context) error {
	r.nodes.Ring(noteSettings)
	return r.applySettings(ctx)
}

// ConfirmAIHost lets the AI be at this host and port in a private network, and at no other
// one. The caller has made sure that an administrator wants it.
func (r *Relay) ConfirmAIHost(ctx context.Context, host string) error {
	r.patching.Lock()
	defer r.patching.Unlock()
	return r.patch(ctx, map[string]chat.Raw{chat.SettingConfirmedHost: chat.MustJSON(host)})
}
