package server

import (
	"cmp"
	"encoding/json"
	"net/http"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// chatPath is where the chat stands on a page of its own: the first site's, and with a site's
// id behind it that one's.
const chatPath = "/chat"

// siteOfPage is the site that a chat page names, the first without a name; an error of one
// that there is not.
func (s *ownPages) siteOfPage(r *http.Request) (*chat.Site, error) {
	site, err := s.engine.Sites().Named(cmp.Or(web.PathVar(r, "site"), chat.FirstSite))
	if err == nil && site.ErasedAt != 0 {
		err = chat.ErrSiteNotFound
	}
	return site, err
}

// chatName is what a site's visitors call who answers them: the site, as soon as there are
// several, or the operators.
func (s *ownPages) chatName(site *chat.Site) string {
	return cmp.Or(s.engine.Sites().ShownName(site.ID), "Chat")
}

// chatPage answers GET /chat and GET /chat/{site}: the conversation on a page without any
// website, for links and codes.
func (s *ownPages) chatPage(w http.ResponseWriter, r *http.Request) {
	site, err := s.siteOfPage(r)
	if err != nil {
		s.ShowError(w, r, http.StatusNotFound, "There is no chat at this address. Ask whoever gave it to you.")
		return
	}
	if s.engine.SettingsOf(site.ID).Bool("agentsEnabled") {
		w.Header().Set("Link", `<`+frontDoorPath+s.Keys.PublicOf(site)+`/llms.txt>; rel="service-doc"; type="text/plain"`)
	}
	s.Show(w, r, http.StatusOK, "chat.html", web.Slots{"PublicKey": s.Keys.PublicOf(site), "Title": s.chatName(site), "Manifest": "href=" + chatPath + "/" + site.PublicID() + "/app.webmanifest"})
}

// chatManifest answers GET /chat/{site}/app.webmanifest, with which a phone puts the chat
// among its apps (W3C, "Web Application Manifest").
func (s *ownPages) chatManifest(w http.ResponseWriter, r *http.Request) {
	site, err := s.siteOfPage(r)
	if err != nil {
		http.Error(w, "Not found", http.StatusNotFound)
		return
	}
	at, name := chatPath+"/"+site.PublicID(), s.chatName(site)
	h := w.Header()
	h.Set("Content-Type", "application/manifest+json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	icon := func(file, sizes string) map[string]string {
		return map[string]string{"src": "/static/" + file, "sizes": sizes, "type": "image/png"}
	}
	if r.Method == http.MethodHead {
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"id": at, "name": name, "short_name": name, "start_url": at, "scope": at, "display": "standalone",
		"theme_color": s.engine.SettingsOf(site.ID).Text("primaryColor"), "background_color": "#ffffff",
		"icons": []any{icon("icon-192.png", "192x192"), icon("icon-512.png", "512x512")}}) // the browser may be gone
}
