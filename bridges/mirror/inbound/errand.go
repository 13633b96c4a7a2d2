package inbound

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
)

// errand is work that remains after an operator's message was handled, and
// may take a while: an answer in the thread, its state, a file that is slow. It is
// stored as an update of its own, so that it survives a restart, is done in order
// per thread, and holds up nothing that operators say.
type errand struct {
	Kind      string            `json:"kind"` // the first word of its key: answer, status or file
	Channel   string            `json:"channel"`
	SessionID string            `json:"sessionId"`
	About     string            `json:"about,omitempty"` // the platform message that it is about
	Text      string            `json:"text,omitempty"`
	File      *chat.InboundFile `json:"file,omitempty"`
	Name      string            `json:"name,omitempty"` // the operator's
	Person    string            `json:"person,omitempty"`
	Internal  bool              `json:"internal,omitempty"`
}

// errand makes an errand for the thread. Its key is the same at every attempt of
// the update that leaves it.
func (ev *event) errand(key string, e errand) chat.Update {
	e.Kind, _, _ = strings.Cut(key, " ")
	e.Channel, e.SessionID = ev.thread.Channel, ev.thread.SessionID
	raw, _ := json.Marshal(e) // strings and numbers
	return chat.Update{Bridge: ev.h.platform.Name() + chat.Errands, Thread: ev.thread.Ref, Key: access.Key(ev.thread.Channel, ev.thread.Ref, ev.update.Key, key),
		Raw: raw, ReceivedAt: chat.Now(), NextAt: chat.Now()}
}

// storeErrands stores errands that belong to no message.
func (ev *event) storeErrands(ctx context.Context, errands ...chat.Update) error {
	defer ev.wakeErrands()
	return ev.thread.save(ctx, errands, nil)
}

func (ev *event) wakeErrands() {
	ev.h.inbox.Wake(ev.h.platform.Name()+chat.Errands, ev.thread.Ref)
}

// queueStatus has the thread closed or opened as the session is.
func (ev *event) queueStatus(ctx context.Context) error {
	return ev.storeErrands(ctx, ev.errand("status", errand{}))
}

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
		op.Key = access.Key("answer", th.Ref, remote, strconv.Itoa(i))
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

// barred ignores what somebody of another organisation does in the thread, and says so
// once.
func (ev *event) barred(ctx context.Context) error {
	who := strings.Join(append([]string{ev.Thread.Ref}, ev.Handles...), " ")
	if ev.Kind != chat.InboundMessage || !ev.h.barred.shouldWarn(who, chat.Now()) {
		return nil
	}
	return ev.answer(ctx, ev.Barred)
}
