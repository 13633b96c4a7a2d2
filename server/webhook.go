package server

import (
	"context"
	"log/slog"

	"relay/bridges/webhook"
	"relay/server/chat"
)

// WebhookTargets returns the webhook if it is to hear of events.
func WebhookTargets(s *chat.Settings) []chat.Target {
	if _, on := webhookTarget(s); !on {
		return nil
	}
	return []chat.Target{{Name: webhook.Name, Kind: chat.TargetWebhook}}
}

// webhookTarget reads from the settings where events are posted.
func webhookTarget(s *chat.Settings) (t webhook.Target, on bool) {
	t = webhook.Target{URL: s.Text("eventsWebhookUrl"), Secret: s.Text("eventsWebhookSecret"),
		Prefix: s.Text("eventsWebhookHeaderPrefix"), Trusted: s.Source("eventsWebhookUrl") == chat.FromEnvironment}
	return t, t.URL != "" && s.Bool("eventsWebhookEnabled")
}

// NewWebhook makes the webhook's sink: it follows the settings as they change.
func NewWebhook(cfg Config, relay *chat.Relay, links *chat.FileLinks, log *slog.Logger, version string) *webhook.Sink {
	return webhook.New(webhook.Options{
		Links: links, Allowed: cfg.WebhookAllowCIDRs, Retries: cfg.WebhookRetries, Version: version,
		Target: func() (webhook.Target, bool) { return webhookTarget(relay.Settings()) },
		Gone: func(ctx context.Context) {
			log.Warn("the webhook's receiver answered 410 Gone: switched off. Switch it on again with the setting eventsWebhookEnabled")
			if err := relay.SwitchOff(ctx, "eventsWebhookEnabled"); err != nil {
				log.Error("cannot switch the webhook off", "err", err)
			}
		},
	})
}
