package inbound

import (
	"context"
	"errors"
	"strconv"
	"strings"
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

const guestCommandText = "Nothing was done, and the visitor does not see this: commands and notes are only for people of your own workspace."

// barred ignores what somebody of another organisation does in the thread, and says so
// once.
func (ev *event) barred(ctx context.Context) error {
	who := strings.Join(append([]string{ev.Thread.Ref}, ev.Handles...), " ")
	if ev.Kind != chat.InboundMessage || !ev.h.barred.shouldWarn(who, chat.Now()) {
		return nil
	}
	return ev.answer(ctx, ev.Barred)
}

// refuseCommand answers a command of somebody of another organisation.
func (ev *event) refuseCommand(ctx context.Context, parts []chat.Inbound) error {
	if err := ev.answer(ctx, guestCommandText); err != nil {
		return err
	}
	return ev.markHandled(ctx, commandPlaceholder, parts)
}
