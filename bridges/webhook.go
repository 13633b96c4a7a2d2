package bridges

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/guard"
	"github.com/relay-chat/relay/bridges/webhook"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// WebhookOptions are the parts and settings of a Webhook.
type WebhookOptions struct {
	Links     *chat.FileLinks
	Allowed   []netip.Prefix // private networks that receivers may be in
	Retries   int
	Stateless bool // bridge mode: changed settings are lost at a restart
	Log       *slog.Logger
	Version   string
}

// Webhook posts events to the receiver that the current settings name.
type Webhook struct {
	*webhook.Sink
	engine *engine.Engine
	opts   WebhookOptions
}

// NewWebhook makes the webhook.
func NewWebhook(engine *engine.Engine, o WebhookOptions) *Webhook {
	w := &Webhook{engine: engine, opts: o}
	w.Sink = webhook.New(webhook.Options{Links: o.Links, Allowed: o.Allowed, Retries: o.Retries, Version: o.Version, Target: w.target, Gone: w.gone})
	return w
}

// target returns where events are posted under the current settings.
func (w *Webhook) target() (t webhook.Target, on bool) { return webhookTarget(w.engine.Settings()) }

func webhookTarget(s *chat.Settings) (t webhook.Target, on bool) {
	t = webhook.Target{URL: s.Text("eventsWebhookUrl"), Secret: s.Text("eventsWebhookSecret"),
		Prefix: s.Text("eventsWebhookHeaderPrefix"), Trusted: s.Source("eventsWebhookUrl") == chat.FromEnvironment}
	return t, t.URL != "" && s.Bool("eventsWebhookEnabled")
}

// gone switches the webhook off: its receiver answered 410 Gone.
func (w *Webhook) gone(ctx context.Context) {
	switch was, err := w.engine.SwitchOff(ctx, "eventsWebhookEnabled"); {
	case err != nil:
		w.opts.Log.Error("cannot switch the webhook off", "err", err)
	case was && w.opts.Stateless:
		w.opts.Log.Warn("the webhook's receiver answered 410 Gone: switched off until relay is restarted")
	case was:
		w.opts.Log.Warn("the webhook's receiver answered 410 Gone: switched off. Switch it on again with the setting eventsWebhookEnabled")
	}
}

// Off explains why the webhook is off and how to switch it on; nil while it is on.
func (w *Webhook) Off() error {
	target, on := w.target()
	switch {
	case on:
		return nil
	case target.URL == "":
		return chat.Errorf(chat.Conflict, "The webhook has no address; set eventsWebhookUrl first")
	}
	return chat.Errorf(chat.Conflict, "The webhook is switched off; set eventsWebhookEnabled to true first")
}

// CheckAddress rejects a forbidden receiver, as far as its address alone shows.
func (w *Webhook) CheckAddress(address string) error {
	private, err := guard.Refuse(address, w.opts.Allowed)
	switch {
	case err == nil:
		return nil
	case private.IsValid():
		return chat.Errorf(chat.Invalid, "eventsWebhookUrl is not allowed: %[1]s is in a private network; add %[1]s to WEBHOOK_ALLOW_CIDRS and restart relay, "+
			"or set the address by EVENTS_WEBHOOK_URL", private)
	}
	return chat.Errorf(chat.Invalid, "eventsWebhookUrl is not allowed: relay never connects to link-local and metadata addresses; use the receiver's public address")
}

// WebhookType is an event's type as the receiver gets it.
func WebhookType(d *chat.Delivery) string { return webhook.TypeOf(&d.Event) }

// Describe returns the id and the type under which the receiver gets a delivery.
func (w *Webhook) Describe(d *chat.Delivery) (id, eventType string) {
	return webhook.MessageID(d), webhook.TypeOf(&d.Event)
}

// Test posts a test event at once and returns how the receiver answered.
func (w *Webhook) Test(ctx context.Context) (chat.WebhookTest, error) {
	a, err := w.Sink.Test(ctx)
	return chat.WebhookTest{Status: a.Status, Body: a.Body, Duration: a.Duration}, err
}

// Run delivers the webhook's events until ctx ends, on one node.
func (w *Webhook) Run(ctx context.Context) error {
	return w.engine.Nodes.Hold(ctx, w.Name(), w.serve)
}

// serve delivers the webhook's events until ctx ends. When the settings name another
// receiver, all pending events are due at once: their failures and waits belong to
// the earlier one.
func (w *Webhook) serve(ctx context.Context, lease *nodes.Lease) error {
	for retryNow := false; ; {
		var err error
		if retryNow {
			err = w.engine.Outbox.RetryNow(ctx, w.Name())
		}
		if err == nil {
			err = w.serveTarget(ctx, lease)
			retryNow = err == nil
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			w.opts.Log.Error("the webhook cannot use the database", "err", err)
			_ = chat.Rest(ctx, time.Second)
		}
	}
}

// serveTarget delivers the webhook's events until the settings name another
// receiver or ctx ends.
func (w *Webhook) serveTarget(ctx context.Context, lease *nodes.Lease) error {
	serving, stop := context.WithCancel(ctx)
	target, _ := w.target()
	var watching sync.WaitGroup
	watching.Go(func() {
		defer stop()
		w.awaitOtherTarget(serving, target)
	})
	defer watching.Wait()
	defer stop()
	return w.engine.Outbox.ServeUnder(serving, lease, w.Sink)
}

// awaitOtherTarget waits until the settings name another target, or ctx ends.
func (w *Webhook) awaitOtherTarget(ctx context.Context, target webhook.Target) {
	for {
		changed := w.engine.SettingsChanged()
		if now, on := w.target(); on && now != target {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}
