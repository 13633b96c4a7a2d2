package engine

import (
	"context"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
)

// The values of the setting csatTrigger for asking automatically.
const (
	csatOnClose      = "on_close"
	csatOnDisconnect = "on_disconnect"
)

// maxComment is the longest comment of a rating, in characters.
const maxComment = 2000

// AskCSAT asks a visitor for a rating: once, and only one that was answered. Backends ask
// themselves, and are told each time.
func (r *Relay) AskCSAT(ctx context.Context, by chat.Author, sessionID string) error {
	return r.change(ctx, by, sessionID, func(c *change) error {
		if c.backend {
			return c.emitFact(chat.EventCSATRequest, momentOf(c.at))
		}
		if c.session.AnsweredAt == 0 {
			return chat.Errorf(chat.Conflict, "Only a visitor who was answered can be asked for a rating")
		}
		return c.ask()
	})
}

// askAt asks for a rating if the settings name this trigger.
func (c *change) askAt(trigger string) error {
	if s := c.settings; !s.Bool("csatEnabled") || s.Text("csatTrigger") != trigger || c.session.AnsweredAt == 0 {
		return nil
	}
	return c.ask()
}

func (c *change) ask() error {
	if c.session.AskedAt != 0 || c.session.RespondedAt != 0 {
		return nil
	}
	c.session.AskedAt = c.at
	return c.emitFact(chat.EventCSATRequest, momentOf(c.at))
}

// Rate stores a visitor's rating, 1 to 5. The first one counts; a later one
// changes nothing and is reported as already rated.
func (r *Relay) Rate(ctx context.Context, by chat.Author, sessionID string, score int, comment string) (alreadyRated bool, err error) {
	if err := checkRating(score, comment); err != nil {
		return false, err
	}
	err = r.change(ctx, by, sessionID, func(c *change) error {
		if alreadyRated = c.session.RespondedAt != 0; alreadyRated {
			return nil
		}
		return c.rate(score, comment, c.at)
	})
	return alreadyRated, err
}

func checkRating(score int, comment string) error {
	if score < 1 || score > 5 {
		return chat.Errorf(chat.Invalid, "score must be a number from 1 to 5")
	}
	if utf8.RuneCountInString(comment) > maxComment {
		return chat.Errorf(chat.Invalid, "comment must be at most %d characters", maxComment)
	}
	return nil
}

// rate stores a rating with its time.
func (c *change) rate(score int, comment string, at chat.Time) error {
	s := c.session
	s.Score, s.Comment, s.RespondedAt, s.LastActivity = score, comment, at, c.at
	return c.emitFact(chat.EventCSATSubmitted, map[string]any{"score": score, "comment": comment, "respondedAt": at})
}
