package moving

import (
	"crypto/rand"
	"encoding/base64"
	"errors"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// hook is a webhook beside the first, which is in the settings, and incoming an incoming hook. Their
// secrets do not move.
type hook struct {
	Name   string   `json:"name"`
	URL    string   `json:"url"`
	Events []string `json:"events"`
}

type incoming struct {
	Name   string   `json:"name"`
	May    []string `json:"may"`
	Signed bool     `json:"signed"`
}

// hooks adds a site's hooks to what is exported.
func (m *manifest) hooks(rd chat.Reader, site string) error {
	all, err := rd.Hooks()
	for i := range all {
		if h := &all[i]; h.Site == site && h.EndedAt == 0 {
			m.Hooks = append(m.Hooks, hook{h.Name, h.URL, h.Events})
		}
	}
	addresses, failed := rd.IncomingHooks()
	for i := range addresses {
		if h := &addresses[i]; h.Site == site {
			m.Incoming = append(m.Incoming, incoming{h.Name, h.May, h.Signed})
		}
	}
	return errors.Join(err, failed)
}

// hooks makes the hooks that the site does not have yet. They are paused, with secrets that nobody
// knows: the receivers get new ones from a person.
func (m *importer) hooks(site string) error {
	var have []chat.Hook
	var open []chat.IncomingHook
	err := m.engine.Store.Read(m.ctx, func(rd chat.Reader) (err error) {
		if have, err = rd.Hooks(); err == nil {
			open, err = rd.IncomingHooks()
		}
		return err
	})
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for i := range have {
		known["out "+have[i].Site+" "+have[i].Name+" "+have[i].URL] = true
	}
	for i := range open {
		known["in "+open[i].Site+" "+open[i].Name] = true
	}
	for i := range m.archive.manifest.Hooks {
		if h := &m.archive.manifest.Hooks[i]; err == nil && !known["out "+site+" "+h.Name+" "+h.URL] {
			err = m.noteRefused("webhook", h.Name, m.webhook(site, h))
		}
	}
	for i := range m.archive.manifest.Incoming {
		if h := &m.archive.manifest.Incoming[i]; err == nil && !known["in "+site+" "+h.Name] {
			err = m.noteRefused("incoming hook", h.Name, m.incoming(site, h, len(open)+i))
		}
	}
	return err
}

// noteRefused says what becomes of a hook, and passes over a refusal.
func (m *importer) noteRefused(kind, name string, err error) error {
	var refused *chat.Error
	shown := chat.Clip(chat.OneLine(name), 80)
	switch {
	case errors.As(err, &refused):
		m.note("The %s “%s” was not taken over: %s", kind, shown, refused.Text)
	case err != nil:
		return err
	case kind == "webhook":
		m.note("The webhook “%s” is paused: make a new secret for its receiver under Settings → Webhook, then resume it.", shown)
	default:
		m.note("The incoming hook “%s” is paused: make a new address for its program under Settings → Webhook, then resume it.", shown)
	}
	return nil
}

func (m *importer) webhook(site string, h *hook) error {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	secret, paused := "whsec_"+base64.StdEncoding.EncodeToString(random), true
	_, err := m.engine.AddHook(m.ctx, m.opts.By, site, engine.HookChange{Name: &h.Name, URL: &h.URL, Secret: &secret, Events: &h.Events, Paused: &paused})
	return err
}

// incoming makes an incoming hook whose address nobody knows. all is how many there are.
func (m *importer) incoming(site string, h *incoming, all int) error {
	now := chat.Now()
	made := chat.IncomingHook{ID: chat.NewID(), Hash: chat.Hash(chat.NewToken()), Site: site, Name: h.Name, May: h.May, Signed: h.Signed,
		Maker: m.opts.By.Person, MadeBy: chat.AuditName(m.opts.By), CreatedAt: now, PausedAt: now}
	if err := made.Check(); err != nil {
		return err
	}
	if all >= chat.MaxAllIncomingHooks {
		return chat.Errorf(chat.Conflict, "All websites have %d incoming hooks together, which is the most", all)
	}
	return m.engine.Store.Apply(m.ctx, func(tx chat.Tx) error { return tx.PutIncomingHook(&made) })
}

// bounded reports whether there are no more hooks and actions than a site can have.
func (m *manifest) bounded() bool {
	return len(m.Hooks) <= chat.MaxHooks && len(m.Incoming) <= chat.MaxIncomingHooks && len(m.Actions) <= chat.MaxActions
}
