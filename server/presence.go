package server

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// presence answers GET /api/admin/operator/status.
func (s *conversationAPI) presence(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	answer := struct {
		engine.Presence
		// Viewing is who has which session on the screen, of those that the author may see.
		Viewing []engine.Viewer `json:"viewing,omitempty"`
	}{presenceFor(s.engine, by), s.engine.Viewers()}
	if by.Sites != nil {
		answer.Viewing = slices.DeleteFunc(answer.Viewing, func(one engine.Viewer) bool {
			return web.MayRead(r.Context(), s.engine.Store, by, one.SessionID) != nil
		})
	}
	return answer, nil
}

// presenceFor is the presence at the site that is meant where none is named.
func presenceFor(e *engine.Engine, by chat.Author) engine.Presence {
	site, err := web.Home(by, e.Sites())
	if err != nil {
		return engine.Presence{Mode: engine.PresenceAutomatic, Operators: []engine.Present{}}
	}
	return e.PresenceAt(site.ID).To(by.Sites)
}

type operatorStatusRequest struct {
	Online json.RawMessage `json:"online"`
}

// operatorStatus answers POST /api/admin/operator/status. A program's value
// holds until it is set again, an operator's in the console for some hours,
// because people forget to switch back.
func (s *conversationAPI) operatorStatus(_ http.ResponseWriter, r *http.Request, by chat.Author, in operatorStatusRequest) (any, error) {
	var online *bool
	if in.Online == nil {
		return nil, web.BadRequest("online is required: true, false, or null for automatic")
	}
	if json.Unmarshal(in.Online, &online) != nil {
		return nil, web.BadRequest("online must be true, false or null")
	}
	switch {
	case online == nil:
		return web.OK, s.engine.ResetOperatorStatus(r.Context(), by)
	case by.Source == chat.SourceConsole, by.Sites != nil: // a program's lasting one is for all sites
		return web.OK, s.engine.HoldOperatorStatus(r.Context(), by, *online)
	}
	return web.OK, s.engine.SetOperatorStatus(r.Context(), *online)
}

type operatorActivityRequest struct {
	Ago float64 `json:"ago"`
	// Viewing is the session that is on the screen.
	Viewing *string `json:"viewing"`
}

// operatorActivity answers POST /api/admin/operator/activity: the operator was
// active in the console so many seconds ago.
func (s *conversationAPI) operatorActivity(_ http.ResponseWriter, r *http.Request, by chat.Author, in operatorActivityRequest) (any, error) {
	const most = 24 * 3600
	if in.Ago < 0 || in.Ago > most {
		return nil, web.BadRequest("ago must be between 0 and 86400 seconds")
	}
	if by.Source == chat.SourceConsole {
		s.engine.OperatorActive(by.Name, time.Duration(in.Ago*float64(time.Second)))
		if in.Viewing != nil {
			if *in.Viewing != "" && web.MayRead(r.Context(), s.engine.Store, by, *in.Viewing) != nil {
				return web.OK, nil
			}
			s.engine.View(by.SignIn, by.Name, *in.Viewing)
		}
	}
	return web.OK, nil
}

// takeSeat counts an operator who reads the admin stream in the console as
// present. Programs do not count: signedOut is nil for them.
func (s *operatorStreams) takeSeat(r *http.Request, by chat.Author, reconnects bool) (signedOut <-chan struct{}, leave func()) {
	if by.Source != chat.SourceConsole || by.SignIn == "" {
		return nil, func() {}
	}
	seat := s.engine.TakeSeat(by.Name, by.SignIn, by.Sites, !reconnects)
	return seat.SignedOut(), func() {
		seat.Leave()
		if !s.engine.Seated(by.Name, by.SignIn) {
			s.engine.View(by.SignIn, by.Name, "") // whoever closes the console looks at nothing
		}
	}
}
