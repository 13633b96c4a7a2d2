package chat

import "cmp"

// PublicSession is the session as webhooks and backends see it.
type PublicSession struct {
	ID           string   `json:"id"`
	Site         string   `json:"site,omitempty"` // its public id, as soon as there are several
	VisitorID    string   `json:"visitorId"`
	CreatedAt    Time     `json:"createdAt"`
	LastActivity Time     `json:"lastActivity"`
	AIActive     bool     `json:"aiActive"`
	Metadata     Metadata `json:"metadata"`
	Identity     Raw      `json:"identity,omitempty"`
}

// Public returns the session for webhooks and backends, without its site, which
// [Sites.Public] adds.
func (s *Session) Public() PublicSession {
	return PublicSession{s.ID, "", s.VisitorID, s.CreatedAt, s.LastActivity, s.AIActive, s.Metadata.V, s.Identity}
}

// BrowserKey is the same for all sessions that one browser began, each with the token of
// an earlier one. Empty: the session has no token, and only its visitor's id names it.
func (s *Session) BrowserKey() string {
	if s.TokenHash == "" {
		return ""
	}
	return cmp.Or(s.Browser, s.ID)
}

// Siblings lists the ids of the sessions of the same browser, itself included; without a
// token, of the same visitor's id.
func (s *Session) Siblings(rd SessionReader, blocked bool, limit int) ([]string, error) {
	if browser := s.BrowserKey(); browser != "" {
		return rd.SessionsOfBrowser(browser, blocked, limit)
	}
	return rd.SessionsOfVisitor(s.Site, s.VisitorID, blocked, limit)
}

// Waits reports whether the session is among those that wait, or would be if it were not snoozed.
func (s *Session) Waits() bool {
	return s.WaitingSince != 0 && s.Status == StatusOpen && !s.Blocked
}
