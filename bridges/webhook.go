package bridges

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

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
	engine  *engine.Engine
	opts    WebhookOptions
	counted atomic.Pointer[receiverCount]
}

// receiverCount is how many receivers the sites of one moment have: it is asked for often.
type receiverCount struct {
	sites *chat.Sites
	n     int
}

// NewWebhook makes the webhook.
func NewWebhook(engine *engine.Engine, o WebhookOptions) *Webhook {
	w := &Webhook{engine: engine, opts: o}
	w.Sink = webhook.New(webhook.Options{Links: o.Links, Allowed: o.Allowed, Retries: o.Retries, Version: o.Version, Target: w.target, Receivers: w.receivers, Sites: engine.Sites, Gone: w.gone})
	return w
}

// target returns where a site's events are posted under the current settings.
func (w *Webhook) target(site string) (t webhook.Target, on bool) {
	return webhookTarget(w.engine.SettingsOf(site))
}

// targets are those of all sites that have one.
func (w *Webhook) targets() map[string]webhook.Target {
	sites, all := w.engine.Sites(), map[string]webhook.Target{}
	for _, site := range sites.All() {
		if t, on := webhookTarget(sites.Settings(site.ID)); on {
			all[site.ID] = t
		}
	}
	return all
}

// receivers counts the different targets.
func (w *Webhook) receivers() int {
	sites := w.engine.Sites()
	if last := w.counted.Load(); last != nil && last.sites == sites {
		return last.n
	}
	different := map[webhook.Target]bool{}
	for _, t := range w.targets() {
		different[t] = true
	}
	w.counted.Store(&receiverCount{sites, len(different)})
	return len(different)
}

func webhookTarget(s *chat.Settings) (t webhook.Target, on bool) {
	t = webhook.Target{URL: s.Text("eventsWebhookUrl"), Secret: s.Text("eventsWebhookSecret"),
		Prefix: s.Text("eventsWebhookHeaderPrefix"), Trusted: s.Source("eventsWebhookUrl") == chat.FromEnvironment}
	return t, t.URL != "" && s.Bool("eventsWebhookEnabled")
}

// gone switches the webhook of a site off: its receiver answered 410 Gone.
func (w *Webhook) gone(ctx context.Context, site string) {
	switch was, err := w.engine.SwitchOff(ctx, site, "eventsWebhookEnabled"); {
	case err != nil:
		w.opts.Log.Error("cannot switch the webhook off", "err", err)
	case was && w.opts.Stateless:
		w.opts.Log.Warn("the webhook's receiver answered 410 Gone: switched off until relay is restarted")
	case was:
		w.opts.Log.Warn("the webhook's receiver answered 410 Gone: switched off. Switch it on again with the setting eventsWebhookEnabled")
	}
}

// Off explains why the webhook is off and how to switch it on; nil while it is on at any
// site.
func (w *Webhook) Off() error {
	target, _ := w.target("")
	switch {
	case len(w.targets()) > 0:
		return nil
	case target.URL == "":
		return chat.Errorf(chat.Conflict, "The webhook has no address; set eventsWebhookUrl first")
	}
	return chat.Errorf(chat.Conflict, "The webhook is switched off; set eventsWebhookEnabled to true first")
}

// CheckAddress rejects a forbidden receiver, as far as its address alone shows.
func (w *Webhook) CheckAddress(address string) error {
	if _, refused := refuseAddress("eventsWebhookUrl", address, w.opts.Allowed, "add ADDRESS to WEBHOOK_ALLOW_CIDRS and restart relay, or set the address by EVENTS_WEBHOOK_URL"); refused != nil {
		return refused
	}
	return nil
}

// WebhookType is an event's type as the receiver gets it.
func WebhookType(d *chat.Delivery) string { return d.Event.ReceivedType() }

// Describe returns the id and the type under which the receiver gets a delivery.
func (w *Webhook) Describe(d *chat.Delivery) (id, eventType string) {
	return webhook.MessageID(d), d.Event.ReceivedType()
}

// Test posts a test event to a site's receiver at once and returns how it answered.
func (w *Webhook) Test(ctx context.Context, site string) (chat.WebhookTest, error) {
	a, err := w.Sink.Test(ctx, site)
	return chat.WebhookTest{Status: a.Status, Body: a.Body, Duration: a.Duration}, err
}

// Run delivers the webhook's events until ctx ends, on one node.
func (w *Webhook) Run(ctx context.Context) error {
	return w.engine.Nodes.Hold(ctx, w.Name(), w.serve)
}

// serve delivers the webhook's events until ctx ends. When the settings name other
// receivers, all pending events are due at once: their failures and waits belong to
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
	targets := w.targets()
	var watching sync.WaitGroup
	watching.Go(func() {
		defer stop()
		await(serving, w.engine, func() bool { return w.others(targets) })
	})
	defer watching.Wait()
	defer stop()
	return w.engine.Outbox.ServeUnder(serving, lease, w.Sink)
}

// others reports whether the settings name other targets than these.
func (w *Webhook) others(targets map[string]webhook.Target) bool {
	for site, now := range w.targets() {
		if now != targets[site] {
			return true
		}
	}
	return false
}
