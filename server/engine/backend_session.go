package engine

import (
	"maps"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
)

// SessionInfo is a backend's description of a session. In the reduced form it has
// only ids; omitted facts stay unchanged.
type SessionInfo struct {
	ID        string
	VisitorID string
	// Site is the public id of a declared site, decided when the session is mentioned first;
	// "" is the first.
	Site      string
	CreatedAt chat.Time
	AIActive  *bool
	Metadata  *chat.Metadata
	Identity  map[string]any
}

// check rejects an invalid session.
func (in *SessionInfo) check() error {
	switch {
	case in.ID == "":
		return chat.Errorf(chat.Invalid, "session.id is required")
	case utf8.RuneCountInString(in.ID) > maxForeignID:
		return chat.Errorf(chat.Invalid, "session.id must be at most %d characters", maxForeignID)
	case utf8.RuneCountInString(in.VisitorID) > maxVisitorID:
		return chat.Errorf(chat.Invalid, "session.visitorId must be at most %d characters", maxVisitorID)
	}
	in.Identity = known(in.Identity)
	return checkIdentity("session.identity", in.Identity)
}

// siteOf returns the site that the backend names, by its id inside relay.
func (in *SessionInfo) siteOf(sites *chat.Sites) (string, error) {
	if in.Site == "" {
		return "", nil
	}
	site, err := sites.Named(in.Site)
	if err != nil {
		return "", chat.Errorf(chat.Invalid, "session.site must be the id of a site that SITES_FILE declares")
	}
	return site.ID, nil
}

// known drops null values, which many backends send for unknown
// ones.
func known(identity map[string]any) map[string]any {
	identity = maps.Clone(identity)
	maps.DeleteFunc(identity, func(_ string, v any) bool { return v == nil })
	return identity
}

// updateSession stores the backend's description of the session.
func (in *SessionInfo) updateSession(s *chat.Session) error {
	if in.VisitorID != "" {
		s.VisitorID = in.VisitorID
	}
	if in.AIActive != nil {
		s.AIActive = *in.AIActive
	}
	if in.Metadata != nil {
		in.Metadata.Clip()
		s.Metadata = chat.Of(newerOver(*in.Metadata, s.Metadata.V))
	}
	if len(in.Identity) == 0 {
		return nil
	}
	return mergeIdentity(s, in.Identity)
}
