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
func (h *hearing) answer(ctx context.Context, text string) error {
	about := h.Remote
	if h.Kind == chat.InboundEdited { // the message may have been answered, too
		about += " " + h.update.Key
	}
	var list []chat.Update
	for i, op := range h.desk.bridge.Split(chat.Op{Kind: chat.OpNote, Text: text}) {
		list = append(list, h.errand("answer "+strconv.Itoa(i), errand{About: about + " " + strconv.Itoa(i), Text: op.Text}))
	}
	return h.leave(ctx, list...)
}

// say writes in a thread as relay itself, in answer to a platform message.
func (d *Mirror) say(ctx context.Context, th chat.Thread, remote, text string) error {
	for i, op := range d.bridge.Split(chat.Op{Kind: chat.OpNote, Text: text}) {
		op.Key = opKey("answer", th.Ref, remote, strconv.Itoa(i))
		if _, err := d.do(ctx, th, op); err != nil {
			return d.unimportant(err)
		}
	}
	return nil
}

// unimportant passes over a failure unless a later attempt can do better.
func (d *Mirror) unimportant(err error) error {
	var wrong *chat.Misconfigured
	for _, final := range []error{chat.ErrPermanent, chat.ErrThreadGone, chat.ErrThreadClosed, chat.ErrMessageGone, chat.ErrAmbiguous, context.DeadlineExceeded} {
		if errors.Is(err, final) || errors.As(err, &wrong) {
			d.log.Warn("an answer to operators is lost", "err", err)
			return nil
		}
	}
	return err
}

// strangers remembers which threads were told that they belong to no session.
type strangers struct {
	mu   sync.Mutex
	told map[string]bool
	last chat.Time
}

// How many threads are told, and how often.
const (
	maxStrangers   = 1000
	strangersPause = 5 * time.Second
)

// first reports whether a thread is to be told now: once, one after the other.
func (s *strangers) first(ref string, now chat.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told[ref] || len(s.told) >= maxStrangers || s.last != 0 && now.Sub(s.last) < strangersPause {
		return false
	}
	if s.told == nil {
		s.told = map[string]bool{}
	}
	s.told[ref], s.last = true, now
	return true
}

// refuse tells operators who write in a thread of no session that nobody reads
// it.
func (d *Mirror) refuse(ctx context.Context, in chat.Inbound) error {
	if in.Kind != chat.InboundMessage || !d.strange.first(in.Thread.Ref, chat.Now()) {
		return nil
	}
	return d.say(ctx, in.Thread, in.Remote, "This thread is not linked to a session: no visitor reads what is written here.")
}
