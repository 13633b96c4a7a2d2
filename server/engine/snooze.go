package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// When snoozed sessions are looked for: first some time after the start, then when the
// next is due, and now and then because another node may have stopped.
const (
	firstSnoozeLook = time.Minute
	snoozeLook      = 10 * time.Minute
	snoozePage      = 100
)

// snoozes wakes snoozed sessions when they are due. The rows know when that is; the timer
// only says when to look.
type snoozes struct {
	relay   *Relay
	mu      sync.Mutex
	timer   *time.Timer
	due     time.Time
	ended   bool
	running sync.WaitGroup
}

// keepSnoozes begins to look for sessions that are due, until the returned function is
// called, which waits for a look that is under way.
func (s *snoozes) keepSnoozes(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.due = time.Now().Add(firstSnoozeLook)
	s.timer = time.AfterFunc(firstSnoozeLook, func() { s.wakeSnoozed(ctx) })
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		s.ended = true
		s.timer.Stop()
		s.mu.Unlock()
		cancel()
		s.running.Wait()
	}
}

// lookAt looks for due sessions at a time, or earlier if that was planned.
func (s *snoozes) lookAt(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer == nil || s.ended || !s.due.IsZero() && s.due.Before(at) {
		return
	}
	s.due = at
	s.timer.Reset(max(time.Until(at), 0))
}

// begin notes that a look begins, unless everything ended.
func (s *snoozes) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.due = time.Time{}
	s.running.Add(1)
	return true
}

// wakeSnoozed returns what is due to the waiting conversations and plans the next look.
func (s *snoozes) wakeSnoozed(ctx context.Context) {
	if !s.begin() {
		return
	}
	defer s.running.Done()
	next := time.Now().Add(snoozeLook)
	list, err := s.snoozed(ctx)
	for i := 0; i < len(list) && err == nil; i++ {
		if at := list[i].SnoozedUntil; at > chat.Now() {
			next = minTime(next, at.Monotonic())
			break
		}
		if err = s.wakeSession(ctx, list[i].ID); i == len(list)-1 {
			next = time.Now()
		}
	}
	if err != nil && ctx.Err() == nil {
		s.relay.log.Error("cannot wake snoozed conversations", "err", err)
		next = time.Now().Add(time.Minute)
	}
	s.lookAt(next)
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func (s *snoozes) snoozed(ctx context.Context) (list []chat.Session, err error) {
	err = s.relay.store.ReadOne(ctx, func(rd chat.Reader) error {
		list, err = rd.Snoozed(snoozePage)
		return err
	})
	return list, err
}

// wakeSession ends a session's snooze if it is still due.
func (s *snoozes) wakeSession(ctx context.Context, id string) error {
	err := s.relay.change(ctx, chat.Author{Source: chat.SourceRelay}, id, func(c *change) error {
		s := c.session
		if s.SnoozedUntil == 0 || s.SnoozedUntil > c.at {
			return nil
		}
		return errors.Join(c.endSnooze(), c.askWokenMails())
	})
	if errors.Is(err, chat.ErrSessionNotFound) { // erased meanwhile
		return nil
	}
	return err
}

// endSnooze returns a session to those that wait.
func (c *change) endSnooze() error {
	c.session.SnoozedUntil = 0
	if c.session.Status == chat.StatusOpen && c.session.WaitingSince == 0 {
		c.session.WaitingSince = c.at
	}
	return c.emitFact(chat.EventSnoozed, Organised{By: c.by.Name, At: c.at})
}
