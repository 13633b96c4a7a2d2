package mirror

import (
	"context"
	"errors"
	"fmt"

	"github.com/relay-chat/relay/server/chat"
)

// attempt carries out one op once, unless the platform asked for a pause.
func (m *Mirror) attempt(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	if wait := m.pauseLeft(); wait > 0 {
		return "", &chat.RetryAfter{After: wait, Scope: chat.ScopeSink, Cause: errors.New("the platform asked for a pause")}
	}
	limit := m.bridge.Limits().Timeout
	if limit <= 0 {
		limit = opTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	failures := m.failureCount()
	remote, err = m.bridge.Do(ctx, th, op)
	var limited *chat.RetryAfter
	switch {
	case err == nil:
		m.noteSuccess(failures)
		m.opsDone.Add(1)
		m.noteTurn(th.Ref, op.Kind)
		m.engine.Outbox.MarkReachable(m.Name())
	case errors.As(err, &limited) && limited.Scope == chat.ScopeSink:
		m.pauseFor(limited.Pause())
	}
	return remote, err
}

// maxTurns bounds the remembered turns.
const maxTurns = 10000

// noteTurn remembers when relay itself closed or reopened a thread.
func (m *Mirror) noteTurn(ref string, kind chat.OpKind) {
	if kind != chat.OpClose && kind != chat.OpReopen {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turns == nil || len(m.turns) >= maxTurns {
		m.turns = map[string]chat.Time{}
	}
	m.turns[ref] = chat.Now()
}

// turnedAt returns when relay itself closed or reopened a thread last, 0 when unknown.
func (m *Mirror) turnedAt(ref string) chat.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.turns[ref]
}

// do carries out one op; a closed thread is reopened for it, and if the op is
// nothing that anybody said, closed again. One that cannot be reopened is as
// good as gone.
func (m *Mirror) do(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	remote, err = m.attempt(ctx, th, op)
	if !errors.Is(err, chat.ErrThreadClosed) || op.Kind == chat.OpClose {
		return remote, err
	}
	if _, err := m.attempt(ctx, th, chat.Op{Kind: chat.OpReopen}); err != nil {
		return "", cannotReopen(err)
	}
	stays := op.Kind == chat.OpPost && !op.Aside || th.State != chat.ThreadClosed
	if stays {
		if err := m.setThread(ctx, th, chat.ThreadLive); err != nil {
			return "", err
		}
	}
	if remote, err = m.attempt(ctx, th, op); errors.Is(err, chat.ErrThreadClosed) {
		return "", cannotReopen(err)
	} else if err != nil {
		return "", err
	}
	if !stays {
		if _, err := m.attempt(ctx, th, chat.Op{Kind: chat.OpClose}); err != nil {
			m.log.Warn("a thread stays open that was closed", "ref", th.Ref, "err", err)
		}
	}
	return remote, nil
}

func cannotReopen(err error) error {
	if errors.Is(err, chat.ErrThreadClosed) || errors.Is(err, chat.ErrPermanent) {
		return fmt.Errorf("%w: it cannot be reopened: %s", chat.ErrThreadGone, err)
	}
	return err
}

// setThread stores a thread's state.
func (m *Mirror) setThread(ctx context.Context, th chat.Thread, state chat.ThreadState) error {
	if th.SessionID == "" {
		return nil // it belongs to no session
	}
	th.State = state
	return m.persist(ctx, func(tx chat.Tx) error { return tx.SaveThread(&th) })
}

// persist stores what the platform has done already. It retries while the database
// is away, because nothing else knows; an erased session's part is dropped.
func (m *Mirror) persist(ctx context.Context, op func(chat.Tx) error) error {
	for {
		err := m.store.Apply(ctx, op)
		if err == nil || errors.Is(err, chat.ErrSessionNotFound) {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w: it was carried out but not stored: %w", chat.ErrAmbiguous, err)
		}
		if n := m.unstored.Allow(); n > 0 {
			m.log.Error("the mirror cannot use the database", "err", err, "count", n)
		}
		chat.Rest(ctx, chat.StorePause)
	}
}
