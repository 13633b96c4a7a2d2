package engine

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/hub"
)

// Follow opens a feed of a session, whose visitor is online from now on; see [hub.Hub.Follow].
func (r *Relay) Follow(ctx context.Context, by chat.Author, sessionID, cursor string) (*hub.Feed, hub.Opening, error) {
	f, open, err := r.hub.Follow(ctx, r.store, by, sessionID, cursor)
	if err != nil {
		return nil, open, err
	}
	goes, err := r.goesOn(ctx, by, &open.Session)
	if err == nil && goes {
		err = chat.ErrSessionNotFound
	}
	if err != nil {
		f.Close()
		return nil, open, err
	}
	f.OnClose(r.visitorCame(sessionID))
	if open.Session.LeavingRev != 0 {
		if err := r.stay(ctx, by, sessionID); err != nil { // the leaver also checks for open streams
			r.log.Warn("cannot cancel an announced leave", "session", sessionID, "err", err)
		}
	}
	return f, open, nil
}
