package server

import (
	"context"
	"io"
	"net/http"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/web"
)

// Bridges connect relay to the platforms where the team answers.
type Bridges interface {
	// Names lists the configured bridges.
	Names() []string
	States(ctx context.Context) ([]chat.BridgeState, error)
	// Cards are what the console shows of all bridges beside their states.
	Cards() []chat.BridgeCard
	// Check tests a bridge's token, rights, channel and reception, or the channel that a
	// site has of its own.
	Check(ctx context.Context, name, site string) ([]chat.Finding, error)
	// EraseThreads deletes a session's threads on the platforms and returns what remains.
	EraseThreads(ctx context.Context, sessionID string) (remains []string, err error)
	// Connect takes the next step of connecting a platform, or of giving a site a channel of
	// its own there.
	Connect(ctx context.Context, name, site string, step chat.BridgeStep) (chat.BridgeSetup, error)
	// Disconnect removes a platform's stored settings, or a site's own channel.
	Disconnect(ctx context.Context, name, site string) error
	// Try posts a test message in a site's channel on a platform and deletes it.
	Try(ctx context.Context, name, site string) (chat.Finding, error)
	// Webhook handles the requests that a platform pushes to a bridge.
	Webhook(name string) http.Handler
	// Fetch opens a file that stayed on its platform. The caller closes it.
	Fetch(ctx context.Context, f chat.FileRef) (io.ReadCloser, error)
}

// Webhook posts events to a receiver.
type Webhook interface {
	// Off returns why the webhook is off, nil while it is on.
	Off() error
	// CheckAddress rejects a receiver that relay must not connect to.
	CheckAddress(address string) error
	// Test posts a test event and returns how the receiver answered.
	Test(ctx context.Context, site string) (chat.WebhookTest, error)
	// Describe returns the id and the type under which the receiver gets a delivery.
	Describe(d *chat.Delivery) (id, eventType string)
}

// Hooks are the webhooks beside the first.
type Hooks interface {
	// CheckAddress rejects a receiver that relay must not connect to.
	CheckAddress(address string) error
	// Test posts a test event and returns how the receiver answered.
	Test(ctx context.Context, h chat.Hook) (chat.WebhookTest, error)
}

// The paths that platforms push updates to, without the bridge's name.
const (
	communityHooks = "/api/webhooks/"
	bridgeHooks    = "/webhooks/"
)

// HooksURL returns the address that platforms push updates to, without the bridge's
// name; "" without a public address.
func HooksURL(cfg config.Config) string {
	switch {
	case cfg.PublicURL == "":
		return ""
	case cfg.Mode == chat.ModeBridge:
		return cfg.PublicURL + bridgeHooks
	}
	return cfg.PublicURL + communityHooks
}

// listBridges answers GET /api/admin/bridges, with the AI's state.
func (s *settingsAPI) listBridges(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	if by.Sites != nil { // channels are relay's
		ai, err := s.ai.State(r.Context())
		ai.Fix = ""
		return map[string]any{"bridges": []struct{}{}, "kinds": s.bridges.Cards(), "ai": ai}, err
	}
	states, err := s.bridges.States(r.Context())
	if err != nil {
		return nil, err
	}
	settings := s.engine.Settings()
	for i := range states {
		states[i].Fix = settings.InConsole(states[i].Fix)
	}
	ai, err := s.ai.State(r.Context())
	ai.Fix = settings.InConsole(ai.Fix)
	return map[string]any{"bridges": states, "kinds": s.bridges.Cards(), "ai": ai}, err
}

// testRequest is the body of a test, which may be omitted.
type testRequest struct {
	Post bool `json:"post"` // also post a test message and delete it
}

// testBridge answers POST /api/admin/bridges/{name}/test with the bridge's findings.
func (s *settingsAPI) testBridge(_ http.ResponseWriter, r *http.Request, by chat.Author, in testRequest) (any, error) {
	site, err := web.SiteOrAll(r, by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	findings, err := s.bridges.Check(r.Context(), web.PathVar(r, "name"), site)
	if err != nil {
		return nil, err
	}
	if in.Post && !chat.Failed(findings) {
		f, err := s.bridges.Try(r.Context(), web.PathVar(r, "name"), site)
		if err != nil {
			return nil, err
		}
		findings = append(findings, f)
	}
	return map[string]any{"ok": !chat.Failed(findings), "findings": s.engine.Settings().FindingsInConsole(findings)}, nil
}

// connectBridge answers POST /api/admin/bridges/{name}/connect with the state of the set-up
// after the step in the body, which may be omitted.
func (s *settingsAPI) connectBridge(_ http.ResponseWriter, r *http.Request, by chat.Author, step chat.BridgeStep) (any, error) {
	site, err := web.SiteOrAll(r, by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	state, err := s.bridges.Connect(r.Context(), web.PathVar(r, "name"), site, step)
	if err != nil {
		return nil, err
	}
	if state.Stored {
		s.Audit(r, by, chat.AuditChannelConnected, web.PathVar(r, "name"), "as "+state.Bot)
	}
	state.Findings = s.engine.Settings().FindingsInConsole(state.Findings)
	return struct {
		chat.BridgeSetup
		Code string `json:"code,omitempty"`
	}{state, linkCode(state)}, nil
}

// disconnectBridge answers DELETE /api/admin/bridges/{name}.
func (s *settingsAPI) disconnectBridge(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	name := web.PathVar(r, "name")
	site, err := web.SiteOrAll(r, by, s.engine.Sites())
	if err == nil {
		err = s.bridges.Disconnect(r.Context(), name, site)
	}
	return s.Audited(r, by, chat.AuditChannelDisconnected, name, err)
}

// linkCode returns the QR code of the link that adds the bot, for the phone that has
// the platform's app.
func linkCode(s chat.BridgeSetup) string {
	if s.Step != chat.StepPlace || s.Link == "" {
		return ""
	}
	return web.QRPath(s.Link)
}
