package server

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// hookAPI is about webhooks beside the first.
type hookAPI struct {
	*deliveryAPI
	hook Hooks
}

// hookView is a webhook in answers. Secret is only in the answer of its making or renewal.
type hookView struct {
	chat.Hook
	Site   string `json:"site,omitempty"` // as soon as there are several
	Paused bool   `json:"paused"`
	Secret string `json:"secret,omitempty"`
}

func (s *hookAPI) view(h chat.Hook, secret string) hookView {
	return hookView{h, s.engine.Sites().Shown(h.Site), h.PausedAt != 0, secret}
}

// hooks answers GET /api/admin/hooks: those of one's sites, or of the one that ?site= names.
func (s *hookAPI) hooks(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	sites, err := web.SitesAsked(r, by, s.engine.Sites())
	views := []hookView{}
	for _, h := range s.engine.Sites().Hooks() {
		if h.EndedAt == 0 && sites.Has(h.Site) {
			views = append(views, s.view(h, ""))
		}
	}
	return map[string]any{"hooks": views, "events": chat.HookEvents}, err
}

// hookRequest changes a webhook. A field that is left out stays.
type hookRequest struct {
	Name      *string   `json:"name"`
	URL       *string   `json:"url"`
	Secret    *string   `json:"secret"`
	NewSecret bool      `json:"newSecret"` // relay makes one
	Events    *[]string `json:"events"`
	Paused    *bool     `json:"paused"`
}

// requested checks what the engine cannot, and returns the secret if relay makes one.
func (s *hookAPI) requested(in hookRequest) (c engine.HookChange, made string, err error) {
	c = engine.HookChange{Name: in.Name, URL: in.URL, Secret: in.Secret, Events: in.Events, Paused: in.Paused}
	if in.NewSecret {
		if in.Secret != nil {
			return c, "", chat.ErrorAt(chat.Invalid, "secret", "use either secret or newSecret, with which relay makes one")
		}
		made = newSigningSecret()
		c.Secret = &made
	}
	return c, made, nil
}

// checkURL rejects an address that relay must not connect to.
func (s *hookAPI) checkURL(url *string) error {
	if url == nil {
		return nil
	}
	return s.hook.CheckAddress(strings.TrimSpace(*url))
}

// newSigningSecret makes a secret that every library of Standard Webhooks takes.
func newSigningSecret() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	return "whsec_" + base64.StdEncoding.EncodeToString(random)
}

// add answers POST /api/admin/hooks with a new webhook at the site that ?site= names, or the
// first of one's own, and with its secret, this once.
func (s *hookAPI) add(_ http.ResponseWriter, r *http.Request, by chat.Author, in hookRequest) (any, error) {
	site, err := web.OneSite(r, by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	in.NewSecret = in.NewSecret || in.Secret == nil
	change, _, err := s.requested(in)
	if err != nil {
		return nil, err
	}
	if err := (&chat.Hook{Name: textOf(in.Name), URL: textOf(in.URL), Secret: *change.Secret, Events: wordsOf(in.Events)}).Check(); err != nil {
		return nil, err
	}
	if err := s.checkURL(in.URL); err != nil {
		return nil, err
	}
	h, err := s.engine.AddHook(r.Context(), by, site.ID, change)
	if err != nil {
		return nil, err
	}
	s.AuditAt(r, by, s.engine.Sites().Shown(site.ID), chat.AuditHookAdded, h.Name, "webhook: "+strings.Join(h.Events, ", "))
	return s.view(h, h.Secret), nil
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func wordsOf(words *[]string) chat.Words {
	if words == nil {
		return nil
	}
	return *words
}

// change answers PATCH /api/admin/hooks/{hook}.
func (s *hookAPI) change(_ http.ResponseWriter, r *http.Request, by chat.Author, in hookRequest) (any, error) {
	change, made, err := s.requested(in)
	if err != nil {
		return nil, err
	}
	before, err := s.engine.Sites().Hook(web.PathVar(r, "hook"))
	if err == nil && in.URL != nil {
		checked := before
		if checked.URL = *in.URL; checked.Check() == nil { // else the engine names the mistake
			err = s.checkURL(in.URL)
		}
	}
	if err != nil {
		return nil, err
	}
	h, err := s.engine.ChangeHook(r.Context(), before.ID, change)
	if err != nil {
		return nil, err
	}
	s.AuditAt(r, by, s.engine.Sites().Shown(h.Site), chat.AuditHookChanged, h.Name, "webhook: "+strings.Join(in.names(), ", "))
	return s.view(h, made), nil
}

// names are the fields that a request changes.
func (in *hookRequest) names() (names []string) {
	for _, f := range []struct {
		name  string
		given bool
	}{{"name", in.Name != nil}, {"url", in.URL != nil}, {"secret", in.Secret != nil || in.NewSecret}, {"events", in.Events != nil},
		{"paused", in.Paused != nil && *in.Paused}, {"resumed", in.Paused != nil && !*in.Paused}} {
		if f.given {
			names = append(names, f.name)
		}
	}
	return names
}

// end answers DELETE /api/admin/hooks/{hook}.
func (s *hookAPI) end(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	h, err := s.engine.Sites().Hook(web.PathVar(r, "hook"))
	if err == nil {
		err = s.engine.EndHook(r.Context(), h.ID)
	}
	if err == nil {
		s.AuditAt(r, by, s.engine.Sites().Shown(h.Site), chat.AuditHookEnded, h.Name, "webhook")
	}
	return web.OK, err
}

// test answers POST /api/admin/hooks/{hook}/test with the receiver's answer to a test event.
func (s *hookAPI) test(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	h, err := s.engine.Sites().Hook(web.PathVar(r, "hook"))
	if err != nil {
		return nil, err
	}
	return testAnswer(s.hook.Test(r.Context(), h))
}

// deliveries answers GET /api/admin/hooks/{hook}/deliveries, newest first.
func (s *hookAPI) deliveries(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	h, err := s.engine.Sites().Hook(web.PathVar(r, "hook"))
	if err != nil {
		return nil, err
	}
	q, err := restrict(r, chat.DeliveryQuery{Dest: h.Sink()})
	if err != nil {
		return nil, err
	}
	return s.page(r, q)
}

// redeliver answers POST /api/admin/hooks/{hook}/deliveries/{id}: a delivery is sent
// again, also one that was delivered.
func (s *hookAPI) redeliver(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	h, err := s.engine.Sites().Hook(web.PathVar(r, "hook"))
	if err != nil {
		return nil, err
	}
	id := web.PathVar(r, "id")
	if dest, _, _, _ := chat.ParseDeliveryID(id); dest != h.Sink() {
		return nil, chat.ErrDeliveryNotFound
	}
	if err := s.off(h.Sink()); err != nil {
		return nil, err
	}
	return s.Audited(r, by, chat.AuditDeliveryRetried, id, s.engine.Outbox.Redeliver(r.Context(), id))
}
