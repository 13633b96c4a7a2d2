// Package access is one chat platform as both directions of a mirror reach it: each
// call keeps to the platform's pauses and tells how it is doing. It imports
// server/chat and bridges/cache only.
package access

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/relay-chat/relay/bridges/cache"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/queue"
)

// Platform is a chat platform with its channels, which share a connection.
type Platform struct {
	Log *slog.Logger
	// Stateless is bridge mode: the store forgets, threads lead back to their
	// session, operators' files stay on the platform.
	Stateless bool

	store     chat.Store
	outbox    *queue.Outbox
	moved     func(ctx context.Context, from, to string) error
	ambiguous atomic.Int64
	opsDone   atomic.Int64            // how many ops were carried out
	turns     *cache.Cache[chat.Time] // by channel and thread: when relay itself closed or reopened it
	channels  []*channel              // the common one first
	homes     map[string]*channel     // by site
	unstored  chat.LogThrottle
}

// New makes the platform of its bridges. moved, if not nil, is called when a channel has
// another id.
func New(engine *engine.Engine, in Channels, log *slog.Logger, stateless bool, moved func(ctx context.Context, from, to string) error) *Platform {
	p := &Platform{Log: log.With("bridge", in.Common.Name()), Stateless: stateless, store: engine.Store, outbox: engine.Outbox, moved: moved,
		turns: cache.New[chat.Time](maxTurns)}
	p.channels, p.homes = channelsOf(in)
	return p
}

// Name is the platform's name everywhere.
func (p *Platform) Name() string { return p.common().Name() }

// Limits are those of the platform.
func (p *Platform) Limits() chat.Limits { return p.common().Limits() }

// Split splits an op, see [chat.Bridge].
func (p *Platform) Split(op chat.Op) []chat.Op { return p.common().Split(op) }

// Fetch opens a file that an operator sent. The caller closes it.
func (p *Platform) Fetch(ctx context.Context, ref string) (io.ReadCloser, error) {
	return p.common().Fetch(ctx, ref)
}

// Session is a session's id in a log: it is the visitor's key, so only its hash is written.
type Session string

// LogValue is for slog.
func (id Session) LogValue() slog.Value { return slog.StringValue(chat.SessionRef(string(id))) }

// Limits on calls.
const (
	opTimeout = time.Minute // unless the bridge says otherwise
	// optionalTimeout is that of what is not worth waiting for.
	optionalTimeout = 5 * time.Second
	// misconfiguredRest is the pause of a misconfigured bridge: pending deliveries arrive
	// that long after an operator fixed it, at the latest.
	misconfiguredRest = time.Minute
	maxTurns          = 10000 // that are remembered
)

// Attempt carries out one op in the thread's channel once, unless the platform asked for a
// pause there.
func (p *Platform) Attempt(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	c := p.at(th.Channel)
	if c == nil {
		return "", fmt.Errorf("%w: its channel is not connected", chat.ErrThreadGone)
	}
	if wait := c.pauseLeft(); wait > 0 {
		return "", &chat.RetryAfter{After: wait, Scope: chat.ScopeSink, Cause: errors.New("the platform asked for a pause")}
	}
	limit := p.Limits().Timeout
	if limit <= 0 {
		limit = opTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	failures := c.failureCount()
	remote, err = c.Do(ctx, th, op)
	var limited *chat.RetryAfter
	switch {
	case err == nil:
		c.noteSuccess(p.Log, failures)
		p.opsDone.Add(1)
		if op.Kind == chat.OpClose || op.Kind == chat.OpReopen {
			p.turns.Put(turnOf(th), chat.Now())
		}
		p.outbox.MarkReachable(p.Name())
	case errors.As(err, &limited) && limited.Scope == chat.ScopeSink:
		c.pauseFor(limited.Pause())
	}
	return remote, c.left(err)
}

// turnOf names a thread: some platforms number those of each channel from 1.
func turnOf(th chat.Thread) string { return th.Channel + "\n" + th.Ref }

// TurnedAt returns when relay itself closed or reopened a thread last, 0 when unknown.
func (p *Platform) TurnedAt(th chat.Thread) chat.Time {
	at, _ := p.turns.Get(turnOf(th))
	return at
}

// Do carries out one op; a closed thread is reopened for it, and if the op is
// nothing that anybody said, closed again. One that cannot be reopened is as
// good as gone.
func (p *Platform) Do(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	remote, err = p.Attempt(ctx, th, op)
	if !errors.Is(err, chat.ErrThreadClosed) || op.Kind == chat.OpClose {
		return remote, err
	}
	if _, err := p.Attempt(ctx, th, chat.Op{Kind: chat.OpReopen}); err != nil {
		return "", cannotReopen(err)
	}
	stays := op.Kind == chat.OpPost && !op.Aside || th.State != chat.ThreadClosed
	if stays {
		if err := p.SetThread(ctx, th, chat.ThreadLive); err != nil {
			return "", err
		}
	}
	if remote, err = p.Attempt(ctx, th, op); errors.Is(err, chat.ErrThreadClosed) {
		return "", cannotReopen(err)
	} else if err != nil {
		return "", err
	}
	if !stays {
		if _, err := p.Attempt(ctx, th, chat.Op{Kind: chat.OpClose}); err != nil {
			p.Log.Warn("a thread stays open that was closed", "ref", th.Ref, "err", err)
		}
	}
	return remote, nil
}

// Try carries out an unimportant op once, if the bridge has no problem and no
// pause.
func (p *Platform) Try(ctx context.Context, th chat.Thread, op chat.Op) {
	c := p.at(th.Channel)
	if c == nil || c.trouble() != nil || c.pauseLeft() > 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, optionalTimeout)
	defer cancel()
	if _, err := c.Do(ctx, th, op); err != nil {
		p.Log.Debug("an optional update is not shown", "session", Session(th.SessionID), "err", err)
	}
}

func cannotReopen(err error) error {
	if errors.Is(err, chat.ErrThreadClosed) || errors.Is(err, chat.ErrPermanent) {
		return fmt.Errorf("%w: it cannot be reopened: %s", chat.ErrThreadGone, err)
	}
	return err
}

// SetThread stores a thread's state.
func (p *Platform) SetThread(ctx context.Context, th chat.Thread, state chat.ThreadState) error {
	if th.SessionID == "" {
		return nil // it belongs to no session
	}
	th.State = state
	return p.Persist(ctx, func(tx chat.Tx) error { return tx.SaveThread(&th) })
}

// ReadOne reads one thing from the store.
func ReadOne[T any](ctx context.Context, store chat.Store, op func(chat.Reader) (T, error)) (v T, err error) {
	err = store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		v, err = op(rd)
		return err
	})
	return v, err
}

// Persist stores what the platform has done already. It retries while the database
// is away, because nothing else knows; an erased session's part is dropped.
func (p *Platform) Persist(ctx context.Context, op func(chat.Tx) error) error {
	for {
		err := p.store.Apply(ctx, op)
		if err == nil || errors.Is(err, chat.ErrSessionNotFound) {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w: it was carried out but not stored: %w", chat.ErrAmbiguous, err)
		}
		if n := p.unstored.Allow(); n > 0 {
			p.Log.Error("the mirror cannot use the database", "err", err, "count", n)
		}
		chat.Rest(ctx, chat.StorePause)
	}
}

// SaveGone stores that platform messages are gone.
func SaveGone(tx chat.Tx, links []chat.Link) error {
	for _, l := range links {
		l.State = chat.LinkGone
		if err := tx.SaveLink(&l); err != nil {
			return err
		}
	}
	return nil
}

// OpsDone counts the ops that were carried out.
func (p *Platform) OpsDone() int64 { return p.opsDone.Load() }

// Key makes the key of an op: 24 letters and digits.
func Key(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\n")))
	return base32.StdEncoding.EncodeToString(sum[:15])
}
