package inbound

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/mirror/platform"
	"github.com/relay-chat/relay/server/chat"
)

// answer queues a reply to the operators in the thread; their next messages do not
// wait for it.
func (ev *event) answer(ctx context.Context, text string) error {
	return ev.storeErrands(ctx, ev.answers(text)...)
}

// answers are the errands of a reply.
func (ev *event) answers(text string) (list []chat.Update) {
	about := ev.Remote
	if ev.Kind == chat.InboundEdited { // the message may have been answered, too
		about += " " + ev.update.Key
	}
	for i, op := range ev.h.platform.Split(chat.Op{Kind: chat.OpNote, Text: text}) {
		list = append(list, ev.errand("answer "+strconv.Itoa(i), errand{About: about + " " + strconv.Itoa(i), Text: op.Text}))
	}
	return list
}

// reply writes in a thread as relay itself, in answer to a platform message.
func (h *Handler) reply(ctx context.Context, th chat.Thread, remote, text string) error {
	for i, op := range h.platform.Split(chat.Op{Kind: chat.OpNote, Text: text}) {
		op.Key = platform.Key("answer", th.Ref, remote, strconv.Itoa(i))
		if _, err := h.platform.Do(ctx, th, op); err != nil {
			return h.dropIfFinal(err)
		}
	}
	return nil
}

// dropIfFinal logs and drops a failure that no later attempt can mend.
func (h *Handler) dropIfFinal(err error) error {
	var wrong *chat.Misconfigured
	for _, final := range []error{chat.ErrPermanent, chat.ErrThreadGone, chat.ErrThreadClosed, chat.ErrMessageGone, chat.ErrAmbiguous, context.DeadlineExceeded} {
		if errors.Is(err, final) || errors.As(err, &wrong) {
			h.platform.Log.Warn("an answer to operators is lost", "err", err)
			return nil
		}
	}
	return err
}

// warnings remembers which threads were warned, or who in them.
type warnings struct {
	mu     sync.Mutex
	warned map[string]bool
	last   chat.Time
}

// Limits on warnings.
const (
	maxUnlinked   = 1000
	unlinkedPause = 5 * time.Second
)

// shouldWarn reports whether to give a warning now: each once, one at a time.
func (s *warnings) shouldWarn(ref string, now chat.Time) bool {
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

// replyUnlinked warns operators who write in a thread of no session.
func (h *Handler) replyUnlinked(ctx context.Context, in chat.Inbound) error {
	if in.Kind != chat.InboundMessage || !h.unlinked.shouldWarn(in.Thread.Ref, chat.Now()) {
		return nil
	}
	return h.reply(ctx, in.Thread, in.Remote, "This thread is not linked to a conversation: no visitor reads what is written here.")
}
