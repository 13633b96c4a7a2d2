package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/learning"
	"github.com/relay-chat/relay/server/web"
	"github.com/relay-chat/relay/server/words"
)

// siteAPI is about the websites: what they are called, their keys, and their settings.
type siteAPI struct {
	web.Auditor
	*web.Clients
	settings *settingsAPI
	engine   *engine.Engine
	keys     *keyring.Ring
	base     learning.Knowledge
	finder   Search
}

// SiteView is a site as those who answer visitors see it.
type SiteView struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Address    string    `json:"address,omitempty"`
	Color      string    `json:"color,omitempty"`
	PublicKey  string    `json:"publicKey"`
	Origins    []string  `json:"origins"`
	CreatedAt  chat.Time `json:"createdAt,omitzero"`
	ArchivedAt chat.Time `json:"archivedAt,omitzero"`
	ErasedAt   chat.Time `json:"erasedAt,omitzero"`
	// DeclaredIn is the file that declares the site, see SITES_FILE.
	DeclaredIn string `json:"declaredIn,omitempty"`
	// Snippet embeds the widget; Conversations is how many there are. Both are only set when
	// a single site is requested.
	Snippet       string `json:"snippet,omitempty"`
	Conversations *int   `json:"conversations,omitempty"`
}

// ViewSite shows a site without what takes a look into the store.
func ViewSite(site *chat.Site, sites *chat.Sites, keys *keyring.Ring, cfg config.Config) SiteView {
	_, file := sites.Declared(site.ID)
	return SiteView{DeclaredIn: file, ID: site.PublicID(), Name: site.Label(), Address: site.Address, Color: site.Color, PublicKey: keys.PublicOf(site),
		Origins: append([]string{}, cfg.OriginsOf(site)...), CreatedAt: site.CreatedAt, ArchivedAt: site.ArchivedAt, ErasedAt: site.ErasedAt}
}

// WholeSite is a site with its snippet and the number of its conversations.
func WholeSite(ctx context.Context, e *engine.Engine, keys *keyring.Ring, cfg config.Config, baseURL string, site *chat.Site) (SiteView, error) {
	v := ViewSite(site, e.Sites(), keys, cfg)
	v.Snippet = snippetFor(baseURL, v.PublicKey, e.SettingsOf(site.ID))
	err := e.Store.ReadOne(ctx, func(rd chat.Reader) error {
		n, err := rd.CountSessions(site.ID)
		v.Conversations = &n
		return err
	})
	return v, err
}

// list answers GET /api/admin/sites: the first site first, the others by name.
func (s *siteAPI) list(_ http.ResponseWriter, _ *http.Request, by chat.Author) (any, error) {
	views := []SiteView{}
	sites := s.engine.Sites()
	for _, site := range sites.In(by.Sites) {
		views = append(views, ViewSite(&site, sites, s.keys, s.Config))
	}
	return map[string]any{"sites": views}, nil
}

// named returns the site of the path.
func (s *siteAPI) named(r *http.Request) (*chat.Site, error) {
	return s.engine.Sites().Named(web.PathVar(r, "site"))
}

// site answers GET /api/admin/sites/{site}.
func (s *siteAPI) site(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	site, err := s.named(r)
	if err != nil {
		return nil, err
	}
	return s.whole(r, site)
}

func (s *siteAPI) whole(r *http.Request, site *chat.Site) (SiteView, error) {
	return WholeSite(r.Context(), s.engine, s.keys, s.Config, s.BaseURL(r), site)
}

// snippetFor is the HTML that embeds the widget in a website. Only pages that ask for
// proactive messages load anything before the chat is opened.
func snippetFor(baseURL, key string, settings *chat.Settings) string {
	more := ""
	if len(settings.Proactive()) > 0 {
		more = " data-proactive"
	}
	return fmt.Sprintf(`<script async src="%[1]s/widget.js" data-api-key="%[2]s" data-api-url="%[1]s"%[3]s></script>`, html.EscapeString(baseURL), key, more)
}

// ErrFirstOrigins refuses origins of the first site.
var ErrFirstOrigins = chat.ErrorAt(chat.Invalid, "origins", "The first site's origins are set by ALLOWED_ORIGINS")

// siteRequest is what is given of a site; what is left out stays.
type siteRequest struct {
	ID        *string   `json:"id"`
	Name      *string   `json:"name"`
	Address   *string   `json:"address"`
	Color     *string   `json:"color"`
	PublicKey *string   `json:"publicKey"`
	Origins   *[]string `json:"origins"`
	Archived  *bool     `json:"archived"`
}

func (in *siteRequest) change() engine.SiteChange {
	return engine.SiteChange{ID: in.ID, Name: in.Name, Address: in.Address, Color: in.Color, Key: in.PublicKey, Origins: in.Origins, Archived: in.Archived}
}

// keyTaken refuses the first site's public key, which the keyring has.
func (s *siteAPI) keyTaken(in *siteRequest) error {
	if in.PublicKey != nil && s.keys.IsPublic(*in.PublicKey) {
		return chat.ErrorAt(chat.Conflict, "publicKey", "The first site has this public key; choose another")
	}
	return nil
}

// add answers POST /api/admin/sites.
func (s *siteAPI) add(_ http.ResponseWriter, r *http.Request, by chat.Author, in siteRequest) (any, error) {
	if err := s.keyTaken(&in); err != nil {
		return nil, err
	}
	change := in.change()
	change.Wanted = SiteIDOf(*cmp.Or(in.Name, new(string)), *cmp.Or(in.Address, new(string)))
	site, err := s.engine.AddSite(r.Context(), change)
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditSiteAdded, site.ID, site.Name)
	return s.whole(r, &site)
}

// SiteIDOf makes an id of a new site's name, or else of its address: the letters a to z and
// digits, with hyphens between the words.
func SiteIDOf(texts ...string) string {
	for _, text := range texts {
		if u, err := url.Parse(text); err == nil && u.Hostname() != "" {
			text = strings.TrimPrefix(u.Hostname(), "www.")
		}
		parts := strings.FieldsFunc(words.Plain(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
		id := strings.Join(parts, "-")
		if id = strings.TrimRight(id[:min(len(id), chat.MaxSiteID-6)], "-"); id != "" {
			return id
		}
	}
	return ""
}

// change answers PATCH /api/admin/sites/{site}.
func (s *siteAPI) change(_ http.ResponseWriter, r *http.Request, by chat.Author, in siteRequest) (any, error) {
	before, err := s.named(r)
	switch {
	case err != nil:
		return nil, err
	case in.ID != nil && *in.ID != before.PublicID():
		return nil, chat.ErrorAt(chat.Invalid, "id", "id is kept for ever: conversations and programs refer to it")
	case before.ID == "" && in.PublicKey != nil:
		return nil, chat.ErrorAt(chat.Invalid, "publicKey", "The first site's key is relay's: POST /api/admin/keys/rotate replaces it")
	case before.ID == "" && in.Origins != nil:
		return nil, ErrFirstOrigins
	}
	if by.Sites != nil && (in.Name != nil || in.PublicKey != nil) { // others' would be in the way
		return nil, web.ErrAllSites
	}
	if err := s.keyTaken(&in); err != nil {
		return nil, err
	}
	site, err := s.engine.ChangeSite(r.Context(), before.ID, in.change())
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditSiteChanged, site.PublicID(), site.Label())
	return s.whole(r, &site)
}

// rotateKey answers POST /api/admin/sites/{site}/key: the pages of this site need the new
// snippet, and no others.
func (s *siteAPI) rotateKey(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	site, err := s.named(r)
	if err != nil {
		return nil, err
	}
	if _, err := RotateSiteKey(r.Context(), s.engine, s.keys, site); err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditKeyRotated, site.PublicID(), "public")
	return s.site(nil, r, by)
}

// RotateSiteKey replaces a site's public key and returns the new one.
func RotateSiteKey(ctx context.Context, e *engine.Engine, keys *keyring.Ring, site *chat.Site) (string, error) {
	if site.ID == "" {
		return keys.RotatePublic(ctx)
	}
	key := keyring.NewPublicKey()
	_, err := e.ChangeSite(ctx, site.ID, engine.SiteChange{Key: &key})
	return key, err
}

// erase answers DELETE /api/admin/sites/{site}?name=…: everything of the site goes. The name
// is asked for so that nobody erases another one.
func (s *siteAPI) erase(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	site, err := s.named(r)
	if err != nil {
		return nil, err
	}
	if chat.NameKey(r.URL.Query().Get("name")) != chat.NameKey(site.Label()) {
		return nil, chat.ErrorAt(chat.Invalid, "name", "name must be the site's, “"+site.Label()+"”, to confirm that everything of it is erased")
	}
	whole, err := s.whole(r, site)
	if err != nil {
		return nil, err
	}
	if err := s.engine.EraseSite(r.Context(), site.ID); err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditSiteErased, site.ID, fmt.Sprintf("%s, %d conversations", site.Name, *whole.Conversations))
	return map[string]any{"ok": true, "conversations": whole.Conversations}, nil
}

// allSettings returns the settings that the path names: a site's, or with "all" those that
// the sites share.
func (s *siteAPI) allSettings(r *http.Request) (*chat.Settings, string, error) {
	if web.PathVar(r, "site") == chat.AllSites {
		return s.engine.RelaySettings(), chat.AllSites, nil
	}
	site, err := s.named(r)
	if err != nil {
		return nil, "", err
	}
	return s.engine.SettingsOf(site.ID), site.ID, nil
}

// readSettings answers GET /api/admin/sites/{site}/settings.
func (s *siteAPI) readSettings(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	settings, _, err := s.allSettings(r)
	if err != nil {
		return nil, err
	}
	public := settings.Public()
	public["perSite"] = settings.OfSites()
	return public, nil
}

// patchSettings answers PATCH /api/admin/sites/{site}/settings.
func (s *siteAPI) patchSettings(_ http.ResponseWriter, r *http.Request, by chat.Author, patch map[string]json.RawMessage) (any, error) {
	_, site, err := s.allSettings(r)
	if err != nil {
		return nil, err
	}
	if err := s.settings.checkAddresses(patch); err != nil {
		return nil, err
	}
	if err := s.settings.patch(r.Context(), by, site, patch); err != nil {
		return nil, err
	}
	if len(patch) > 0 {
		s.Audit(r, by, chat.AuditSettingsChanged, web.PathVar(r, "site"), strings.Join(slices.Sorted(maps.Keys(patch)), ", "))
	}
	return s.readSettings(nil, r, by)
}
