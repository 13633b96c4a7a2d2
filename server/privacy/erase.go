package privacy

import (
	"context"
	"errors"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Platforms delete what they have of a session.
type Platforms interface {
	// EraseThreads returns what stays, for people.
	EraseThreads(ctx context.Context, sessionID string) (stays []string, err error)
}

// Erased is what became of an erasure.
type Erased struct {
	Conversations int `json:"conversations"`
	// Remains lists what relay cannot erase, for people.
	Remains []string `json:"remains"`
}

// ErrNobody means that no session is of a visitor.
var ErrNobody = &chat.Error{Kind: chat.NotFound, Text: "No conversations of this visitor: give the id or the e-mail address that the console shows"}

// Erase erases sessions: on the platforms first, as far as they allow it, then in the
// database, with their files. Open streams and consoles learn of it.
func Erase(ctx context.Context, relay *engine.Engine, platforms Platforms, list []chat.Session) (out Erased, err error) {
	out.Remains = []string{}
	for i := 0; i < len(list) && err == nil; i++ {
		var stays []string
		if stays, err = platforms.EraseThreads(ctx, list[i].ID); err != nil {
			break
		}
		out.Remains = append(out.Remains, stays...)
		if err = relay.Erase(ctx, list[i].ID); errors.Is(err, chat.ErrSessionNotFound) {
			err = nil
		}
		out.Conversations++
	}
	out.Remains = append(out.Remains, Elsewhere(relay.Settings())...)
	return out, err
}

// Elsewhere lists what relay never reaches.
func Elsewhere(s *chat.Settings) []string {
	list := []string{"Backups, until they are rotated (BACKUP_KEEP) or deleted by you.",
		"Files and exports that somebody has downloaded."}
	if s.Text("eventsWebhookUrl") != "" {
		list = append(list, "What the webhook's receiver has stored.")
	}
	if ai := s.AI(); ai.SetUp() {
		list = append(list, "What the provider of the AI keeps of the questions.")
	}
	return list
}
