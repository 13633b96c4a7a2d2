package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/team"
)

// settingsAPI is about the settings, and about what they connect.
type settingsAPI struct {
	*passwords
	auditor
	engine  *engine.Engine
	team    *team.Team
	keys    *Keyring
	bridges Bridges
	webhook Webhook
	ai      AI
}

func (s *settingsAPI) settings(http.ResponseWriter, *http.Request, chat.Author) (any, error) {
	return s.engine.Settings().Public(), nil
}

func (s *settingsAPI) patchSettings(_ http.ResponseWriter, r *http.Request, by chat.Author, patch map[string]json.RawMessage) (any, error) {
	if refused := s.checkAddresses(patch); refused != nil {
		return nil, bothRefused(s.engine.CheckSettings(patch), refused)
	}
	if err := s.engine.PatchSettings(r.Context(), patch); err != nil {
		return nil, err
	}
	if len(patch) > 0 {
		s.audit(r, by, chat.AuditSettingsChanged, "", strings.Join(slices.Sorted(maps.Keys(patch)), ", "))
	}
	return s.engine.Settings().Public(), nil
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
