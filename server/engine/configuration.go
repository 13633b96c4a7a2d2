package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
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
	publicURL string // relay's own address, "" if it is unknown
	backend   bool

	current  atomic.Pointer[currentSettings]
	changed  atomic.Pointer[chan struct{}]
	patching sync.Mutex // one change of the settings at a time
	// stale: other nodes may have changed settings or the presence.
	stale atomic.Bool
}

// Settings returns the current settings of the first site, which are relay's as long as
// there is no other.
func (c *configuration) Settings() *chat.Settings { return c.current.Load().sites.Settings("") }

// SettingsOf returns the current settings of a site.
func (c *configuration) SettingsOf(site string) *chat.Settings {
	return c.current.Load().sites.Settings(site)
}

// SettingsIn returns the current settings of a session's site, as its caller meets them: a
// visitor's are those of the own site.
func (c *configuration) SettingsIn(ctx context.Context, by chat.Author, sessionID string) (*chat.Settings, error) {
	sites := c.Sites()
	if by.Sender == chat.SenderVisitor && !by.AnySite || !sites.Several() {
		return sites.Settings(by.Site), nil
	}
	var s chat.Session
	err := c.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		s, err = rd.SessionHeader(sessionID)
		return err
	})
	return sites.Settings(s.Site), err
}

// Sites returns the current sites.
func (c *configuration) Sites() *chat.Sites { return c.current.Load().sites }

// currentSettings holds the settings and the targets computed from them, which every
// message needs.
type currentSettings struct {
	version string // see metaSettings
	sites   *chat.Sites
	targets map[*chat.Settings][]chat.Target
	hooks   map[string][]chat.Target // of the sites that have webhooks beside the first: those and the targets
}

// targetsOf are where the events of a site go.
func (c *currentSettings) targetsOf(site string) []chat.Target {
	if with, ok := c.hooks[site]; ok {
		return with
	}
	return c.targets[c.sites.Settings(site)]
}

// addHooks adds the webhooks beside the first to the targets of their sites.
func (c *currentSettings) addHooks() {
	for _, h := range c.sites.Hooks() {
		if h.Works() {
			c.hooks[h.Site] = append(slices.Clip(c.targetsOf(h.Site)), h.Target())
		}
	}
}

// SettingsChanged returns a channel that is closed with the next change of the
// settings. Get the channel first, then read the settings.
func (c *configuration) SettingsChanged() <-chan struct{} { return *c.changed.Load() }

// PatchSettings stores the given settings, or none if any is unknown or invalid; the error
// names each of those. null removes a stored value, a secret's mask keeps it. With several
// sites, what a site may have of its own becomes the first one's.
func (c *configuration) PatchSettings(ctx context.Context, patch map[string]json.RawMessage) error {
	return c.PatchSiteSettings(ctx, "", patch)
}

// metaSettings changes with every change of settings and sites, so that a relay notices
// those that a command makes beside it.
const metaSettings = "settings_version"

// noticeEvery is how often it looks.
const noticeEvery = 2 * time.Second

// noticeSettings applies what others have changed, until ctx ends.
func (e *Engine) noticeSettings(ctx context.Context) error {
	if e.configuration.backend {
		return nil
	}
	tick := time.NewTicker(noticeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		stored := ""
		err := e.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
			stored, err = rd.Meta(metaSettings)
			return err
		})
		if err == nil && stored != e.current.Load().version {
			peers{e}.receiveSettings()
		}
	}
}

// patchTimeout bounds a change of the settings, which continues when its caller leaves.
const patchTimeout = 15 * time.Second

// patch stores changes of relay's settings.
func (c *configuration) patch(ctx context.Context, changes levels) error {
	return c.apply(ctx, changes.store)
}

// apply runs a change of what is configured and then applies what is stored, even if the
// commit was not confirmed. The caller holds patching.
func (c *configuration) apply(ctx context.Context, change func(chat.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patchTimeout)
	defer cancel()
	version := chat.NewID()
	err := c.store.Apply(ctx, func(tx chat.Tx) error {
		return cmp.Or(change(tx), tx.PutMeta(metaSettings, version))
	})
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
	c.operators.updatePresence(func(p *presence) { p.hours, p.sites = c.businessHours(), c.Sites().IDs() })
	configs := map[string]any{}
	c.hub.BroadcastBySite(chat.StateConfig, func(site string) any {
		if configs[site] == nil {
			configs[site] = map[string]any{"config": c.widgetConfig(site)}
		}
		return configs[site]
	})
	return nil
}

// CheckSettings returns the error that PatchSettings would return for a patch.
func (c *configuration) CheckSettings(patch map[string]json.RawMessage) error {
	_, err := c.Settings().Changes(patch)
	return err
}

// SwitchOff sets a boolean setting of a site to false and reports whether it was true. In
// bridge mode, where nobody could switch it on again, it holds only until the next start.
func (c *configuration) SwitchOff(ctx context.Context, site, name string) (was bool, err error) {
	c.patching.Lock()
	defer c.patching.Unlock()
	if !c.SettingsOf(site).Bool(name) {
		return false, nil
	}
	if d, _ := c.Sites().Declared(site); d != nil && d.Settings[name] != nil {
		return true, c.switchDeclaredOff(ctx, site, name)
	}
	off := map[string]chat.Raw{name: chat.Raw("false")}
	if !c.backend {
		return true, c.patch(ctx, c.byLevel(site, off))
	}
	env := map[string]chat.Raw{}
	maps.Copy(env, c.env)
	maps.Copy(env, off)
	c.env = env
	return true, c.applySettings(ctx)
}

// levels are changes of settings: of relay's, and of a site's own.
type levels struct {
	relay map[string]chat.Raw
	site  string
	own   map[string]chat.Raw
}

// byLevel parts changes of a site's settings. As long as there is one site, its settings
// are relay's, and what it has of its own, from when there were others, goes.
func (c *configuration) byLevel(site string, changes map[string]chat.Raw) levels {
	l := levels{relay: map[string]chat.Raw{}, site: site, own: map[string]chat.Raw{}}
	several := c.Sites().Several()
	for name, value := range changes {
		switch {
		case !c.Settings().IsOfSite(name):
			l.relay[name] = value
		case several:
			l.own[name] = value
		default:
			l.relay[name], l.own[name] = value, nil
		}
	}
	return l
}

func (l levels) store(tx chat.Tx) error {
	var errs []error
	for name, value := range l.relay {
		if value == nil {
			errs = append(errs, tx.DeleteSetting(name))
		} else {
			errs = append(errs, tx.PutSetting(name, value))
		}
	}
	for name, value := range l.own {
		if value == nil {
			errs = append(errs, tx.DeleteSiteSetting(l.site, name))
		} else {
			errs = append(errs, tx.PutSiteSetting(l.site, name, value))
		}
	}
	return errors.Join(errs...)
}

// StoredSites reads the settings of relay and its sites, over those of the environment.
func StoredSites(rd chat.Reader, declared []chat.Setting, env map[string]chat.Raw) (*chat.Sites, error) {
	stored, err := rd.Settings()
	if err != nil {
		return nil, err
	}
	list, err := rd.Sites()
	if err != nil {
		return nil, err
	}
	own, err := rd.SiteSettings()
	if err != nil {
		return nil, err
	}
	file, err := sitesFile(rd)
	if err != nil {
		return nil, err
	}
	hooks, err := rd.Hooks()
	return chat.SitesOf(list, chat.SettingsOf(declared, env, stored), own, file).WithHooks(hooks), err
}

// loadSettings reads the stored settings over those of the environment.
func (c *configuration) loadSettings(ctx context.Context) error {
	return c.store.Read(ctx, func(rd chat.Reader) error {
		version, err := rd.Meta(metaSettings)
		if err != nil {
			return err
		}
		sites, err := StoredSites(rd, c.declared, c.env)
		if err != nil {
			return err
		}
		next := &currentSettings{version, sites, map[*chat.Settings][]chat.Target{}, map[string][]chat.Target{}}
		for _, site := range next.sites.All() {
			if s := next.sites.Settings(site.ID); next.targets[s] == nil {
				next.targets[s] = c.targets(s)
			}
		}
		next.addHooks()
		c.current.Store(next)
		return nil
	})
}

// SignsChanged applies, at every node, that somebody of the team can be notified now, or wants
// e-mails, or that nobody does any more.
func (c *configuration) SignsChanged(ctx context.Context) error {
	c.nodes.Ring(noteSettings)
	return c.applySettings(ctx)
}

// ConfirmAIHost lets the AI be at this host and port in a private network, and at no other
// one. The caller has made sure that an administrator wants it.
func (c *configuration) ConfirmAIHost(ctx context.Context, host string) error {
	c.patching.Lock()
	defer c.patching.Unlock()
	return c.patch(ctx, levels{relay: map[string]chat.Raw{chat.SettingConfirmedHost: chat.MustJSON(host)}})
}

// businessHours returns the business hours of the first site and of those with others, none
// in bridge mode: there the backend sets the status.
func (c *configuration) businessHours() siteHours {
	hours := siteHours{}
	if c.backend {
		return hours
	}
	const name = "businessHours"
	sites, first := c.Sites(), c.Settings()
	for _, site := range sites.All() {
		if own := sites.Settings(site.ID); site.ID == "" || own.Value(name) != first.Value(name) {
			hours[site.ID] = &chat.Timetable{Schedule: own.Schedule()}
		}
	}
	return hours
}
