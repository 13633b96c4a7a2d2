package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"

	"relay/bridges"
	"relay/bridges/webhook"
	"relay/server/chat"
	"relay/server/config"
)

// Where platforms push updates to, the bridge's name still to be added (seed
// 4.3 and 4.4).
const (
	communityHooks = "/api/webhooks/"
	bridgeHooks    = "/webhooks/"
)

// BridgeKinds returns the bridges that relay knows, as the configuration wants
// them made.
func BridgeKinds(cfg config.Config, log *slog.Logger) []bridges.Kind {
	return bridges.Kinds(bridgeEnv(cfg, log))
}

// SlackManifest is the manifest of the app that has to be made at Slack.
func SlackManifest(cfg config.Config, settings *chat.Settings) string {
	return bridgeEnv(cfg, slog.New(slog.DiscardHandler)).SlackManifest(settings)
}

func bridgeEnv(cfg config.Config, log *slog.Logger) bridges.Env {
	env := bridges.Env{Log: log, TelegramAPI: cfg.TelegramAPIURL, DiscordAPI: cfg.DiscordAPIURL, SlackAPI: cfg.SlackAPIURL,
		Stateless: cfg.Mode == config.ModeBridge}
	switch {
	case cfg.PublicURL == "":
	case cfg.Mode == config.ModeBridge:
		env.WebhookURL = cfg.PublicURL + bridgeHooks
	default:
		env.WebhookURL = cfg.PublicURL + communityHooks
	}
	return env
}

// Targets returns where events go: to the bridges and the webhook, as the
// settings have them.
func Targets(kinds []bridges.Kind) func(*chat.Settings) []chat.Target {
	desks := bridges.Targets(kinds)
	return func(s *chat.Settings) []chat.Target { return append(desks(s), WebhookTargets(s)...) }
}

// NewBridges makes the set of bridges. In community mode the desks link to the
// files that platforms do not take, if relay has a public address; in bridge
// mode seal makes the links to operators' files, and a backend's are fetched from
// where it has them.
func NewBridges(cfg config.Config, kinds []bridges.Kind, store chat.Store, relay *chat.Relay, outbox *chat.Outbox, links *chat.FileLinks, seal *chat.FileSeal, log *slog.Logger) *bridges.Set {
	desk := chat.DeskOptions{}
	switch {
	case cfg.Mode == config.ModeBridge:
		desk.Stateless, desk.Seal = true, seal
		files := webhook.NewFetcher(cfg.WebhookAllowCIDRs, cfg.AttachmentMaxBytes)
		desk.OpenFile = func(ctx context.Context, _ string, a chat.Attachment) (io.ReadCloser, error) {
			return files.Open(ctx, a.URL)
		}
	case cfg.PublicURL != "":
		desk.Links = links
	}
	return bridges.NewSet(bridges.Options{Kinds: kinds, Store: store, Relay: relay, Outbox: outbox, Inbox: chat.NewInbox(store, log), Log: log, Desk: desk})
}

// hookRoutes are for platforms, each of which proves itself in its own way.
func (s *Server) hookRoutes(prefix string) []route {
	return []route{{"POST", prefix + "{name}", s.hook}}
}

// hook hands what a platform pushes to its bridge.
func (s *Server) hook(w http.ResponseWriter, r *http.Request) (any, error) {
	s.bridges.Webhook(pathVar(r, "name")).ServeHTTP(w, r)
	return written{}, nil
}

// listBridges answers GET /api/admin/bridges.
func (s *Server) listBridges(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	states, err := s.bridges.States(r.Context())
	return map[string]any{"bridges": states}, err
}

// testBridge answers POST /api/admin/bridges/{name}/test: what the bridge finds
// when it looks at itself.
func (s *Server) testBridge(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	findings, err := s.bridges.Check(r.Context(), pathVar(r, "name"))
	if err != nil {
		return nil, err
	}
	well := true
	for _, f := range findings {
		well = well && f.Level != chat.FindingFail
	}
	return map[string]any{"ok": well, "findings": append([]chat.Finding{}, findings...)}, nil
}
