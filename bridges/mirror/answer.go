package mirror

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"relay/server/chat"
)

// answer writes to the operators in the thread, as relay itself. What operators
// say next does not wait for it.
func (ev *inboundEvent) answer(ctx context.Context, text string) error {
	about := ev.Remote
	if ev.Kind == chat.InboundEdited { // the message may have been answered, too
		about += " " + ev.update.Key
	}
	var list []chat.Update
	for i, op := range ev.mirror.bridge.Split(chat.Op{Kind: chat.OpNote, Text: text}) {
		list = append(list, ev.errand("answer "+strconv.Itoa(i), errand{About: about + " " + strconv.Itoa(i), Text: op.Text}))
	}
	return ev.storeErrands(ctx, list...)
}

// reply writes in a thread as relay itself, in answer to a platform message.
func (m *Mirror) reply(ctx context.Context, th chat.Thread, remote, text string) error {
	for i, op := range m.bridge.Split(chat.Op{Kind: chat.OpNote, Text: text}) {
		op.Key = opKey("answer", th.Ref, remote, strconv.Itoa(i))
		if _, err := m.do(ctx, th, op); err != nil {
			return m.dropIfFinal(err)
		}
	}
	return nil
}

// dropIfFinal passes over a failure unless a later attempt can do better.
func (m *Mirror) dropIfFinal(err error) error {
	var wrong *chat.Misconfigured
	for _, final := range []error{chat.ErrPermanent, chat.ErrThreadGone, chat.ErrThreadClosed, chat.ErrMessageGone, chat.ErrAmbiguous, context.DeadlineExceeded} {
		if errors.Is(err, final) || errors.As(err, &wrong) {
			m.log.Warn("an answer to operators is lost", "err", err)
			return nil
		}
	}
	return err
}

// unlinkedThreads remembers which threads were told that they belong to no session.
type unlinkedThreads struct {
	mu     sync.Mutex
	warned map[string]bool
	last   chat.Time
}

// How many threads are told, and how often.
const (
	maxUnlinked   = 1000
	unlinkedPause = 5 * time.Second
)

// shouldWarn reports whether a thread is to be told now: once, one after the other.
func (s *unlinkedThreads) shouldWarn(ref string, now chat.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.warned[ref] || len(s.warned) >= maxUnlinked || s.last != 0 && now.Sub(s.last) < unlinkedPause {
		return false
	}
	if s.warned == nil {
		s.warned = map[string]bool{}
	}
	s.warned[ref], s.last = true, now
	return true
}

// replyUnlinked tells operators who write in a thread of no session that nobody reads
// it.
func (m *Mirror) replyUnlinked(ctx context.Context, in chat.Inbound) error {
	if in.Kind != chat.InboundMessage || !m.unlinked.shouldWarn(in.Thread.Ref, chat.Now()) {
		return nil
	}
	return m.reply(ctx, in.Thread, in.Remote, "This thread is not linked to a session: no visitor reads what is written here.")
}
