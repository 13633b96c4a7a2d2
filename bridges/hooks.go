package bridges

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/webhook"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// hooksLease is the lease of the node that serves the webhooks beside the first.
const hooksLease = "hooks"

// lateFor is how long after the end of a webhook another node may still add deliveries to it.
const lateFor = 30 * time.Second

// Hooks post events to the webhooks beside the first. Each is a sink of its own, so that none
// waits for another.
type Hooks struct {
	engine *engine.Engine
	opts   WebhookOptions
}

// NewHooks makes the webhooks beside the first. They post nothing before Run.
func NewHooks(engine *engine.Engine, o WebhookOptions) *Hooks { return &Hooks{engine, o} }

// CheckAddress rejects a forbidden receiver, as far as its address alone shows.
func (h *Hooks) CheckAddress(address string) error {
	if _, refused := refuseAddress("url", address, h.opts.Allowed, "add ADDRESS to WEBHOOK_ALLOW_CIDRS and restart relay"); refused != nil {
		return refused
	}
	return nil
}

// Test posts a test event to a webhook at once, even a paused one, and returns how its receiver
// answered.
func (h *Hooks) Test(ctx context.Context, hook chat.Hook) (chat.WebhookTest, error) {
	a, err := h.sink(hook, func() (chat.Hook, bool) { return hook, true }).Test(ctx, hook.Site)
	return chat.WebhookTest{Status: a.Status, Body: a.Body, Duration: a.Duration}, err
}

// sink makes the sink of a webhook, which is as current returns it at each delivery; ok is
// false while nothing may be posted to it.
func (h *Hooks) sink(hook chat.Hook, current func() (now chat.Hook, ok bool)) *webhook.Sink {
	return webhook.New(webhook.Options{Name: hook.Sink(), Links: h.opts.Links, Allowed: h.opts.Allowed, Retries: h.opts.Retries, Version: h.opts.Version, Waits: true,
		Target: func(string) (webhook.Target, bool) {
			now, ok := current()
			return webhook.Target{URL: now.URL, Secret: now.Secret, Prefix: h.engine.SettingsOf(now.Site).Text("eventsWebhookHeaderPrefix")}, ok
		},
		Sites: h.engine.Sites,
		Gone: func(ctx context.Context, _ string) {
			if now, ok := current(); ok {
				h.gone(ctx, &now)
			}
		}})
}

// gone pauses a webhook whose receiver answered 410 Gone.
func (h *Hooks) gone(ctx context.Context, hook *chat.Hook) {
	switch was, err := h.engine.PauseHook(ctx, hook, "The receiver answered 410 Gone: it wants no more events"); {
	case err != nil:
		h.opts.Log.Error("cannot pause a webhook", "hook", hook.ID, "err", err)
	case was:
		h.opts.Log.Warn("a webhook's receiver answered 410 Gone: paused. Resume it in the console under Webhook", "hook", hook.ID)
	}
}

// Run delivers the events of the webhooks until ctx ends, on one node.
func (h *Hooks) Run(ctx context.Context) error {
	return h.engine.Nodes.Hold(ctx, hooksLease, func(ctx context.Context, lease *nodes.Lease) error {
		s := &serving{Hooks: h, lease: lease, running: map[string]*servedHook{}}
		defer s.parts.Wait()
		s.follow(ctx)
		return nil
	})
}

// serving are the webhooks that this node serves.
type serving struct {
	*Hooks
	lease   *nodes.Lease
	running map[string]*servedHook // by id
	parts   sync.WaitGroup
}

// servedHook is a webhook while it is served.
type servedHook struct {
	hook    chat.Hook // as it was when it began
	stop    func()
	stopped bool
	ended   chan struct{} // closed when nothing of it is under way any more
}

// follow serves the webhooks as they are configured, until ctx ends.
func (s *serving) follow(ctx context.Context) {
	for {
		changed := s.engine.SettingsChanged()
		hooks := s.engine.Sites().Hooks()
		s.apply(ctx, hooks)
		again := make(<-chan time.Time)
		if slices.ContainsFunc(hooks, func(h chat.Hook) bool { return h.EndedAt != 0 }) {
			again = time.After(s.clear(ctx, hooks))
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-again:
		}
	}
}

// apply starts and stops webhooks. One that changed starts again, as soon as what is under way
// has ended: failures and waits belong to the earlier receiver.
func (s *serving) apply(ctx context.Context, hooks []chat.Hook) {
	wanted := map[string]bool{}
	for i := range hooks {
		hook := &hooks[i]
		if !hook.Works() {
			continue
		}
		wanted[hook.ID] = true
		before := s.running[hook.ID]
		if before != nil && !before.stopped && before.hook.URL == hook.URL && before.hook.Secret == hook.Secret {
			continue
		}
		if before != nil {
			before.end()
		}
		s.running[hook.ID] = s.start(ctx, *hook, before)
	}
	for id, served := range s.running {
		if !wanted[id] {
			served.end()
			if isClosed(served.ended) {
				delete(s.running, id)
			}
		}
	}
}

// end stops serving a webhook. What is under way is finished.
func (h *servedHook) end() {
	h.stopped = true
	h.stop()
}

func isClosed(ended chan struct{}) bool {
	select {
	case <-ended:
		return true
	default:
		return false
	}
}

// start serves a webhook, after the one before it has ended.
func (s *serving) start(ctx context.Context, hook chat.Hook, before *servedHook) *servedHook {
	ctx, cancel := context.WithCancel(ctx)
	served := &servedHook{hook: hook, stop: cancel, ended: make(chan struct{})}
	s.parts.Go(func() {
		defer close(served.ended)
		defer cancel()
		if before != nil {
			<-before.ended
		}
		s.serve(ctx, hook)
	})
	return served
}

// serve delivers a webhook's events until ctx ends. What waits is due at once.
func (s *serving) serve(ctx context.Context, hook chat.Hook) {
	sink := s.sink(hook, func() (chat.Hook, bool) {
		now, err := s.engine.Sites().Hook(hook.ID)
		return now, err == nil && now.Works()
	})
	for n := 1; ctx.Err() == nil; n++ {
		err := s.engine.Outbox.RetryNow(ctx, hook.Sink())
		if err == nil {
			err = s.engine.Outbox.ServeUnder(ctx, s.lease, sink)
		}
		if ctx.Err() == nil && err != nil {
			s.opts.Log.Error("a webhook cannot use the database", "hook", hook.ID, "err", err)
			_ = chat.Rest(ctx, pauses(n)) // the loop ends with ctx
		}
	}
}

// endingPause is how long relay waits for what is under way at a webhook that has ended.
const endingPause = 200 * time.Millisecond

// clear removes what waits for webhooks that have ended, and at last those themselves. It returns
// when to look again.
func (s *serving) clear(ctx context.Context, hooks []chat.Hook) (again time.Duration) {
	again = lateFor
	for i := range hooks {
		hook := &hooks[i]
		if hook.EndedAt == 0 {
			continue
		}
		if served := s.running[hook.ID]; served != nil && !isClosed(served.ended) {
			again = endingPause
			continue
		}
		if err := s.engine.DropHook(ctx, hook, chat.Now().Sub(hook.EndedAt) > lateFor); err != nil && ctx.Err() == nil {
			s.opts.Log.Error("cannot remove what waits for a deleted webhook; trying again", "hook", hook.ID, "err", err)
		}
	}
	return again
}
