package bridges

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// eraseTimeout bounds the calls of one thread.
const eraseTimeout = 30 * time.Second

// EraseThreads deletes a session's threads, or what relay wrote in them, on the
// platforms. It returns what stays there, for people. It is called before the session
// is erased, which knows where they are.
func (s *Set) EraseThreads(ctx context.Context, sessionID string) (stays []string, err error) {
	var threads []chat.Thread
	err = s.engine.Store.ReadOne(ctx, func(r chat.Reader) (err error) {
		threads, err = r.ThreadsOf(sessionID)
		return err
	})
	for _, th := range threads {
		if text := s.eraseThread(ctx, th); text != "" {
			stays = append(stays, text)
		}
	}
	return stays, err
}

// eraseThread deletes a thread and returns what stays, "" for nothing.
func (s *Set) eraseThread(ctx context.Context, th chat.Thread) string {
	runner, err := s.runner(th.Bridge)
	if err != nil {
		return ""
	}
	title, on := runner.kind.Card.Title, runner.current()
	b := on.at(th.Channel)
	if b == nil {
		return fmt.Sprintf("%s: the thread %s; the channel is not connected now, so delete it there", title, th.Ref)
	}
	ctx, cancel := context.WithTimeout(ctx, eraseTimeout)
	defer cancel()
	eraser, whole := b.(chat.ThreadEraser)
	if !whole {
		return s.eraseMessages(ctx, b, title, th)
	}
	if err := eraser.EraseThread(ctx, th); err != nil && !errors.Is(err, chat.ErrThreadGone) {
		e := chat.Explain(title, err)
		return fmt.Sprintf("%s: the thread %s could not be deleted (%s); delete it there", title, th.Ref, e.Problem)
	}
	return ""
}

// eraseMessages deletes what relay wrote in a thread of a platform that does not
// delete threads.
func (s *Set) eraseMessages(ctx context.Context, b chat.Bridge, title string, th chat.Thread) string {
	var links []chat.Link
	err := s.engine.Store.ReadOne(ctx, func(r chat.Reader) (err error) {
		links, err = r.LinksOf(th.SessionID, th.Bridge, th.Channel)
		return err
	})
	if err != nil {
		return fmt.Sprintf("%s: the thread %s; its messages could not be looked up", title, th.Ref)
	}
	failed, operators := 0, 0
	for _, remote := range remotesOf(links, th, &operators) {
		_, err := b.Do(ctx, th, chat.Op{Kind: chat.OpDelete, Remote: remote})
		if err != nil && !errors.Is(err, chat.ErrMessageGone) && !errors.Is(err, chat.ErrThreadGone) {
			failed++
		}
	}
	if failed+operators == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s that the team wrote in the thread, and %d that could not be deleted; delete them there", title, chat.Count(operators, "message"), failed)
}

// remotesOf lists the platform messages that relay wrote, the one that the thread hangs
// on last, and counts those of operators.
func remotesOf(links []chat.Link, th chat.Thread, operators *int) (remotes []string) {
	seen := map[string]bool{"": true, th.Anchor: true, th.Ref: true}
	for _, l := range links {
		switch {
		case l.State != chat.LinkLive || seen[l.Remote]:
		case l.Origin:
			*operators++
		default:
			remotes = append(remotes, l.Remote)
		}
		seen[l.Remote] = true
	}
	if th.Anchor != "" && th.Anchor != th.Ref {
		remotes = append(remotes, th.Anchor)
	}
	return append(remotes, th.Ref)
}
