package engine_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// site adds a site and returns its id.
func (h *harness) site(t *testing.T, name string) string {
	t.Helper()
	site, err := h.AddSite(t.Context(), engine.SiteChange{Name: &name, Wanted: name})
	if err != nil {
		t.Fatal(err)
	}
	return site.ID
}

// sayAt begins a conversation at a site.
func (h *harness) sayAt(t *testing.T, site string) (sessionID string) {
	t.Helper()
	v, err := h.Init(t.Context(), engine.Visit{Site: site, VisitorID: "visitor"})
	if err == nil {
		by := chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget, Site: site}
		_, err = h.Send(t.Context(), by, engine.Post{SessionID: v.Session.ID, Content: "hello"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return v.Session.ID
}

// TestRetentionOfSites: each site keeps its conversations as long as it says, and none
// longer than relay does.
func TestRetentionOfSites(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		h := build(t, store)
		set := func(site, days string) {
			t.Helper()
			if err := h.PatchSiteSettings(t.Context(), site, map[string]json.RawMessage{"retentionDays": json.RawMessage(days)}); err != nil {
				t.Fatal(err)
			}
		}
		brief, long := h.site(t, "brief"), h.site(t, "long")
		set(chat.AllSites, "30")
		set(brief, "3")
		set(long, "365")
		sessions := map[string]string{}
		for _, site := range []string{"", brief, long} {
			sessions[site] = h.sayAt(t, site)
		}
		for _, tt := range []struct {
			day  time.Duration
			gone []string
		}{{2, nil}, {4, []string{brief}}, {29, []string{brief}}, {31, []string{"", brief, long}}} {
			if err := h.Sweep(t.Context(), chat.Now().Add(tt.day*24*time.Hour)); err != nil {
				t.Fatal(err)
			}
			for site, id := range sessions {
				err := store.ReadOne(t.Context(), func(r chat.Reader) error { _, err := r.Session(id); return err })
				want := error(nil)
				for _, gone := range tt.gone {
					if gone == site {
						want = chat.ErrSessionNotFound
					}
				}
				if !errors.Is(err, want) {
					t.Errorf("on day %d the conversation of site %q is read with %v, want %v", tt.day, site, err, want)
				}
			}
		}
	})
}

// TestNamesOfSites: beside a second site, a conversation is named by its site, and the page
// of its own site is shown by the path alone.
func TestNamesOfSites(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		h := build(t, store)
		at := func(site, url string) chat.Session {
			return chat.Session{Site: site, VisitorID: "v1", Metadata: chat.Of(chat.Metadata{URL: url})}
		}
		who := chat.Nickname("v1")
		named := func(s chat.Session, want string) {
			t.Helper()
			if got := h.Title(&s); got != want {
				t.Errorf("the title is %q, want %q", got, want)
			}
		}
		named(at("", "https://shop.example/own"), who+" · shop.example/own")
		name, address := "Shop Berlin", "https://berlin.example"
		site, err := h.AddSite(t.Context(), engine.SiteChange{Name: &name, Address: &address, Wanted: "berlin"})
		if err != nil {
			t.Fatal(err)
		}
		there, first := at(site.ID, "https://berlin.example/own"), at("", "https://berlin.example/own")
		named(there, "Shop Berlin · "+who+" · /own")
		named(first, "First site · "+who+" · berlin.example/own")
		if lines := h.Describe(&there); lines[0] != "Site: Shop Berlin" {
			t.Errorf("it is described as %q", lines)
		}
		name = "Berlin"
		if _, err := h.ChangeSite(t.Context(), site.ID, engine.SiteChange{Name: &name}); err != nil {
			t.Fatal(err)
		}
		named(there, "Berlin · "+who+" · /own")
	})
}
