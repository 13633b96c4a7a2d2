package chat

import "context"

// Follow opens a feed of a session, whose visitor is online from now on; see [Hub.Follow].
func (r *Relay) Follow(ctx context.Context, by Author, sessionID, cursor string) (*Feed, Opening, error) {
	f, open, err := r.hub.Follow(ctx, r.store, by, sessionID, cursor)
	if err != nil {
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
