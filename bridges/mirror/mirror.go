// Package mirror keeps a session and its thread on a platform the same, both
// ways, once for all bridges: outbound shows the session's events in the thread, inbound
// hands what operators do there to the service.
package mirror

import (
	"context"
	"io"
	"log/slog"

	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/bridges/mirror/inbound"
	"github.com/relay-chat/relay/bridges/mirror/outbound"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Mirror is both directions of one bridge.
type Mirror struct {
	*outbound.Sink
	*inbound.Handler
	platform *access.Platform
}

// Options are what a Mirror is made of.
type Options struct {
	Log *slog.Logger
	// Links makes links to files for platforms that take none; nil when relay
	// has no public address.
	Links *chat.FileLinks
	// Stateless is bridge mode: the store forgets, threads lead back to their
	// session, operators' files stay on the platform.
	Stateless bool
	// OpenFile opens an attachment of a message; nil opens those that relay
	// keeps.
	OpenFile func(ctx context.Context, sessionID string, a chat.Attachment) (io.ReadCloser, error)
	// Colleague completes an operator whom the platform calls by these names, if that is a
	// person of the team; nil: there is no team.
	Colleague func(ctx context.Context, by chat.Author, names ...string) chat.Author
	// Seal makes the tokens under which operators' files are read in bridge
	// mode.
	Seal *chat.FileSeal
	// Moved is called when a channel has another id.
	Moved func(ctx context.Context, from, to string) error
	// Own are the bridges of sites with a channel of their own, by the site's id, nil for those
	// with none, and Former those of channels that sites have left.
	Own    map[string]chat.Bridge
	Former []chat.Bridge
}

// New makes the mirror of a platform, whose common channel the bridge is.
func New(engine *engine.Engine, b chat.Bridge, o Options) *Mirror {
	p := access.New(engine, access.Channels{Common: b, Own: o.Own, Former: o.Former}, o.Log, o.Stateless, o.Moved)
	if o.Colleague == nil {
		o.Colleague = func(_ context.Context, by chat.Author, _ ...string) chat.Author { return by }
	}
	if o.OpenFile == nil {
		o.OpenFile = func(ctx context.Context, _ string, a chat.Attachment) (io.ReadCloser, error) {
			file, err := engine.Relay.Open(ctx, a.ID)
			return io.NopCloser(file), err
		}
	}
	return &Mirror{Sink: outbound.New(engine, p, o.Links, o.OpenFile), Handler: inbound.New(engine, p, o.Seal, o.Colleague), platform: p}
}

// Trouble returns the last failure, nil once an op succeeded again. It is a
// [chat.Misconfigured] when a human has to act.
func (m *Mirror) Trouble() error { return m.platform.Trouble() }

// TroubleAt is the last failure in a channel.
func (m *Mirror) TroubleAt(channel string) error { return m.platform.TroubleAt(channel) }

// Ambiguous counts the ops whose outcome was unknown.
func (m *Mirror) Ambiguous() int64 { return m.platform.Ambiguous() }
