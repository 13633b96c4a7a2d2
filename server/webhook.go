package server

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"relay/bridges/webhook"
	"relay/server/chat"
	"relay/server/config"
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

// webhookOff says why nothing is posted, and what to do about it; nil while the
// webhook is on.
func webhookOff(s *chat.Settings) error {
	target, on := webhookTarget(s)
	switch {
	case on:
		return nil
	case target.URL == "":
		return chat.Errorf(chat.Conflict, "The webhook has no address; set eventsWebhookUrl first")
	}
	return chat.Errorf(chat.Conflict, "The webhook is switched off; set eventsWebhookEnabled to true first")
}

// checkReceiver refuses a receiver that the guard would not let be reached, as
// far as its address alone tells. What is no address at all the settings refuse.
func (s *Server) checkReceiver(address json.RawMessage) error {
	var to string
	if json.Unmarshal(address, &to) != nil {
		return nil
	}
	private, err := webhook.Refuse(to, s.cfg.WebhookAllowCIDRs)
	switch {
	case err == nil:
		return nil
	case private.IsValid():
		return badRequest(fmt.Sprintf("eventsWebhookUrl is not allowed: %[1]s is in a private network; add %[1]s to WEBHOOK_ALLOW_CIDRS and restart relay, "+
			"or set the address by EVENTS_WEBHOOK_URL", private))
	}
	return badRequest("eventsWebhookUrl is not allowed: relay never speaks to link-local and metadata addresses; use the receiver's public address")
}

// NewWebhook makes the webhook's sink: it follows the settings as they change.
func NewWebhook(cfg config.Config, relay *chat.Relay, links *chat.FileLinks, log *slog.Logger, version string) *webhook.Sink {
	return webhook.New(webhook.Options{
		Links: links, Allowed: cfg.WebhookAllowCIDRs, Retries: cfg.WebhookRetries, Version: version,
		Target: func() (webhook.Target, bool) { return webhookTarget(relay.Settings()) },
		Gone: func(ctx context.Context) {
			switch was, err := relay.SwitchOff(ctx, "eventsWebhookEnabled"); {
			case err != nil:
				log.Error("cannot switch the webhook off", "err", err)
			case was && cfg.Mode == config.ModeBridge:
				log.Warn("the webhook's receiver answered 410 Gone: switched off until relay is started again")
			case was:
				log.Warn("the webhook's receiver answered 410 Gone: switched off. Switch it on again with the setting eventsWebhookEnabled")
			}
		},
	})
}

// ServeWebhook delivers the webhook's events until ctx ends. Once the settings
// name another receiver, what rests is due at once: it failed at the one before,
// or waits because that one asked for patience.
func ServeWebhook(ctx context.Context, relay *chat.Relay, outbox *chat.Outbox, sink *webhook.Sink, log *slog.Logger) error {
	for hasten := false; ; {
		var err error
		if hasten {
			err = outbox.Hasten(ctx, sink.Name())
		}
		if err == nil {
			err = serveTarget(ctx, relay, outbox, sink)
			hasten = err == nil
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			log.Error("the webhook cannot use the database", "err", err)
			_ = chat.Rest(ctx, time.Second)
		}
	}
}

// serveTarget delivers the webhook's events until the settings name another
// receiver or ctx ends.
func serveTarget(ctx context.Context, relay *chat.Relay, outbox *chat.Outbox, sink *webhook.Sink) error {
	serving, stop := context.WithCancel(ctx)
	target, _ := webhookTarget(relay.Settings())
	var watching sync.WaitGroup
	watching.Go(func() {
		defer stop()
		awaitOtherTarget(serving, relay, target)
	})
	defer watching.Wait()
	defer stop()
	return outbox.Serve(serving, sink)
}

// awaitOtherTarget waits until events are to go to another target, or ctx ends.
func awaitOtherTarget(ctx context.Context, relay *chat.Relay, target webhook.Target) {
	for {
		changed := relay.SettingsChanged()
		if now, on := webhookTarget(relay.Settings()); on && now != target {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}
