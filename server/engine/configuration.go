package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/hub"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// configuration keeps the current settings, and applies changes of them at every node.
type configuration struct {
	store     chat.Store
	hub       *hub.Hub
	nodes     *nodes.Nodes
	operators *operators // the business hours are theirs
	declared  []chat.Setting
	env       map[string]chat.Raw
	targets   func(*chat.Settings) []chat.Target
	backend   bool

	current  atomic.Pointer[currentSettings]
	changed  atomic.Pointer[chan struct{}]
	patching sync.Mutex // one change of the settings at a time
	// stale: other nodes may have changed settings or the presence.
	stale atomic.Bool
}

// Settings returns the current settings.
func (c *configuration) Settings() *chat.Settings { return c.current.Load().settings }

// currentSettings holds the settings and the targets computed from them, which every
// message needs.
type currentSettings struct {
	settings *chat.Settings
	targets  []chat.Target
}

// SettingsChanged returns a channel that is closed with the next change of the
// settings. Get the channel first, then read the settings.
func (c *configuration) SettingsChanged() <-chan struct{} { return *c.changed.Load() }

// PatchSettings stores the given settings, or none if any is unknown or invalid; the error
// names each of those. null removes a stored value, a secret's mask keeps it.
func (c *configuration) PatchSettings(ctx context.Context, patch map[string]json.RawMessage) error {
	changes, err := c.Settings().Changes(patch)
	if err != nil {
		return err
	}
	c.patching.Lock()
	defer c.patching.Unlock()
	return c.patch(ctx, changes)
}

// patchTimeout bounds a change of the settings, which continues when its caller leaves.
const patchTimeout = 15 * time.Second

// patch stores changes and then applies what is stored, even if the commit was not
// confirmed.
func (c *configuration) patch(ctx context.Context, changes map[string]chat.Raw) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patchTimeout)
	defer cancel()
	err := c.store.Apply(ctx, func(tx chat.Tx) error { return storeSettings(tx, changes) })
	applied := c.applySettings(ctx)
	c.nodes.Ring(noteSettings)
	return cmp.Or(err, applied)
}

// applySettings reads the settings and publishes them.
func (c *configuration) applySettings(ctx context.Context) error {
	if err := c.loadSettings(ctx); err != nil {
		return err
	}
	next := make(chan struct{})
	close(*c.changed.Swap(&next))
	c.operators.updatePresence(func(p *presence) { p.hours = chat.Timetable{Schedule: c.businessHours()} })
	c.hub.Broadcast(chat.StateConfig, map[string]any{"config": c.Settings().WidgetConfig()})
	return nil
}

// CheckSettings returns the error that PatchSettings would return for a patch.
func (c *configuration) CheckSettings(patch map[string]json.RawMessage) error {
	_, err := c.Settings().Changes(patch)
	return err
}

// SwitchOff sets a boolean setting to false and reports whether it was true. In bridge
// mode, where nobody could switch it on again, it holds only until the next start.
func (c *configuration) SwitchOff(ctx context.Context, name string) (was bool, err error) {
	c.patching.Lock()
	defer c.patching.Unlock()
	if !c.Settings().Bool(name) {
		return false, nil
	}
	off := map[string]chat.Raw{name: chat.Raw("false")}
	if !c.backend {
		return true, c.patch(ctx, off)
	}
	env := map[string]chat.Raw{}
	maps.Copy(env, c.env)
	maps.Copy(env, off)
	c.env = env
	return true, c.applySettings(ctx)
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
func (c *configuration) loadSettings(ctx context.Context) error {
	return c.store.Read(ctx, func(rd chat.Reader) error {
		stored, err := rd.Settings()
		if err != nil {
			return err
		}
		s := chat.SettingsOf(c.declared, c.env, stored)
		c.current.Store(&currentSettings{s, c.targets(s)})
		return nil
	})
}

// PushesChanged applies, at every node, that there are devices now, or none any more.
func (c *configuration) PushesChanged(ctx context.Context) error {
	c.nodes.Ring(noteSettings)
	return c.applySettings(ctx)
}

// ConfirmAIHost lets the AI be at this host and port in a private network, and at no other
// one. The caller has made sure that an administrator wants it.
func (c *configuration) ConfirmAIHost(ctx context.Context, host string) error {
	c.patching.Lock()
	defer c.patching.Unlock()
	return c.patch(ctx, map[string]chat.Raw{chat.SettingConfirmedHost: chat.MustJSON(host)})
}

// businessHours returns the business hours, none in bridge mode: there the backend
// sets the status.
func (c *configuration) businessHours() *chat.Schedule {
	if c.backend {
		return nil
	}
	return c.Settings().Schedule()
}
