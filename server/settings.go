package server

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/account"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// settingsAPI is about the settings, and about what they connect.
type settingsAPI struct {
	*account.Passwords
	web.Auditor
	engine  *engine.Engine
	team    *team.Team
	keys    *keyring.Ring
	bridges Bridges
	webhook Webhook
	ai      AI
}

// settings answers GET /api/admin/settings: those of the first site that one answers, which
// are relay's as long as there is no other.
func (s *settingsAPI) settings(_ http.ResponseWriter, _ *http.Request, by chat.Author) (any, error) {
	site, err := web.Home(by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	return s.engine.SettingsOf(site.ID).Public(), nil
}

// patchSettings answers PATCH /api/admin/settings.
func (s *settingsAPI) patchSettings(_ http.ResponseWriter, r *http.Request, by chat.Author, patch map[string]json.RawMessage) (any, error) {
	if refused := s.checkAddresses(patch); refused != nil {
		return nil, web.BothRefused(s.engine.CheckSettings(patch), refused)
	}
	for name := range patch {
		if by.Key != nil && chat.OpensConsole(name) {
			return nil, chat.ErrorAt(chat.Forbidden, name, "Keys of programs do not change who can sign in. Use the console, or the secret key")
		}
	}
	site, err := web.Home(by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	if err := s.patch(r.Context(), by, site.ID, patch); err != nil {
		return nil, err
	}
	if len(patch) > 0 {
		s.Audit(r, by, chat.AuditSettingsChanged, "", strings.Join(slices.Sorted(maps.Keys(patch)), ", "))
	}
	return s.settings(nil, r, by)
}

// patch changes a site's settings and, by who administers all sites, relay's own.
func (s *settingsAPI) patch(ctx context.Context, by chat.Author, site string, patch map[string]json.RawMessage) error {
	if by.Sites != nil {
		return s.engine.PatchOwnSettings(ctx, site, patch)
	}
	return s.engine.PatchSiteSettings(ctx, site, patch)
}

// checkAddresses rejects addresses in settings that relay must not connect to. The
// settings themselves reject malformed ones.
func (s *settingsAPI) checkAddresses(patch map[string]json.RawMessage) error {
	for name, check := range map[string]func(string) error{"eventsWebhookUrl": s.webhook.CheckAddress, "aiBaseUrl": s.ai.CheckAddress} {
		var to string
		if json.Unmarshal(patch[name], &to) != nil {
			continue
		}
		if err := check(to); err != nil {
			return err
		}
	}
	return nil
}
