package engine

import (
	"context"
	"errors"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// mostClosed is how many idle sessions of a site one sweep closes: who has just switched it on
// may have very many, which the platforms hear of, too.
const mostClosed = 100

// closeIdle closes the conversations in which nothing has happened for as many days as their
// site's settings say, with its last word. One that waits for an answer, or is snoozed, stays.
func (e *Engine) closeIdle(ctx context.Context, now chat.Time) error {
	if e.backend {
		return nil
	}
	sites := e.Sites()
	var errs []error
	for _, site := range sites.All() {
		if days := sites.Settings(site.ID).Number("autoCloseDays"); days > 0 {
			errs = append(errs, e.closeIdleAt(ctx, site.ID, now.Add(-time.Duration(days)*24*time.Hour)))
		}
	}
	return errors.Join(errs...)
}

// closeIdleAt closes a site's conversations in which nothing has happened since a time, the
// oldest first.
func (e *Engine) closeIdleAt(ctx context.Context, site string, since chat.Time) error {
	var ids []string
	err := e.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		ids, err = rd.IdleSessions(site, since, mostClosed)
		return err
	})
	for i := 0; i < len(ids) && err == nil; i++ {
		err = e.closeIdleSession(ctx, ids[i], since)
	}
	return err
}

// closeIdleSession closes a session unless something has happened in it meanwhile.
func (e *Engine) closeIdleSession(ctx context.Context, id string, since chat.Time) error {
	err := e.change(ctx, chat.Author{Source: chat.SourceRelay}, id, func(c *change) error {
		s := c.session
		if s.Status != chat.StatusOpen || s.LastActivity >= since || s.WaitingSince != 0 || s.SnoozedUntil != 0 {
			return nil
		}
		if text := c.settings.Text("autoCloseText"); text != "" {
			if err := c.say(text); err != nil {
				return err
			}
		}
		return e.enterStatus(c, chat.StatusClosed, chat.EventSessionClosed)
	})
	if errors.Is(err, chat.ErrSessionNotFound) { // erased meanwhile
		return nil
	}
	return err
}
