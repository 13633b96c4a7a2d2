package bridges

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/guard"
	"github.com/relay-chat/relay/bridges/push"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/nodes"
	"github.com/relay-chat/relay/server/team"
)

// PushOptions are the parts and settings of a Push.
type PushOptions struct {
	Allowed   []netip.Prefix // private networks that push services may be in
	Contact   string
	Transport http.RoundTripper // nil is one that keeps to public networks
	Log       *slog.Logger
}

// Push notifies operators' browsers while there are any.
type Push struct {
	*push.Sink
	engine *engine.Engine
	opts   PushOptions
}

// NewPush makes the notifications. It sends nothing before its Run, but tests.
func NewPush(engine *engine.Engine, devices *team.Devices, o PushOptions) *Push {
	return &Push{push.New(push.Options{Engine: engine, Devices: devices, Allowed: o.Allowed, Contact: o.Contact, Log: o.Log, Transport: o.Transport}), engine, o}
}

// CheckAddress rejects a push service that relay never connects to, as far as its
// address alone shows.
func (p *Push) CheckAddress(address string) error {
	if _, err := guard.Refuse(address, p.opts.Allowed); err != nil {
		return chat.Errorf(chat.Invalid, "endpoint is not allowed: it is in a private or special network")
	}
	return nil
}

// Run sends notifications until ctx ends, on one node at a time. Without devices it
// only waits.
func (p *Push) Run(ctx context.Context) error {
	for await(ctx, p.engine, p.wanted); ctx.Err() == nil; await(ctx, p.engine, p.wanted) {
		if err := p.engine.Nodes.Hold(ctx, chat.PushSink, p.serve); err != nil && ctx.Err() == nil {
			p.opts.Log.Error("notifications cannot use the database", "err", err)
			_ = chat.Rest(ctx, time.Second)
		}
	}
	return nil
}

// wanted reports whether there are devices.
func (p *Push) wanted() bool { return p.engine.Settings().Pushes() }

// serve sends notifications until the last device is gone or ctx ends.
func (p *Push) serve(ctx context.Context, lease *nodes.Lease) error {
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		defer stop()
		await(ctx, p.engine, func() bool { return !p.wanted() })
	})
	defer watching.Wait()
	defer stop()
	return p.engine.Outbox.ServeUnder(ctx, lease, p.Sink)
}
