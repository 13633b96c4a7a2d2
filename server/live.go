package server

import (
	"net/http"
	"slices"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// maxLiveListed is how many visitors who are on a website are listed.
const maxLiveListed = 200

// maxLiveAge bounds for how long a page says that its visit has lasted.
const maxLiveAge = 24 * 3600

// isLivePage is the form of the number that a page makes for its visit.
var isLivePage = chat.Pattern(`[A-Za-z0-9_-]{16,64}`)

// errNotLive answers pages of websites whose team does not want to see who is there.
var errNotLive = &web.Error{Status: http.StatusNotFound, Text: "This website does not show its team who is on it (liveVisitors)"}

// liveRequest is what an open page says every ten seconds.
type liveRequest struct {
	Visit     string   `json:"visit"`
	URL       string   `json:"url"`
	Referrer  string   `json:"referrer"`
	Pages     []string `json:"pages"`
	Seconds   float64  `json:"seconds"`
	SessionID string   `json:"sessionId"`
	Left      bool     `json:"left"`
}

// liveAnswer has the conversation that the page goes on with, because somebody wrote first.
type liveAnswer struct {
	OK           bool          `json:"ok"`
	Conversation *resumeAnswer `json:"conversation,omitempty"`
}

// live answers POST /api/widget/live.
func (s *widgetAPI) live(_ http.ResponseWriter, r *http.Request, by chat.Author, in liveRequest) (any, error) {
	switch {
	case !s.engine.SettingsOf(by.Site).Bool("liveVisitors"):
		return nil, errNotLive
	case in.Visit == "":
		return nil, web.BadRequest("visit is required")
	case !isLivePage(in.Visit):
		return nil, web.BadRequest("visit must have 16 to 64 letters, digits, - and _, made at random for each visit")
	case in.Seconds < 0 || in.Seconds > maxLiveAge:
		return nil, web.BadRequest("seconds must be between 0 and 86400")
	}
	browser, device := web.DescribeAgent(r.UserAgent())
	since := chat.Now().Add(-time.Duration(in.Seconds * float64(time.Second)))
	page := engine.LivePage{Own: in.Visit, Left: in.Left, Author: by, LiveVisitor: chat.LiveVisitor{Site: by.Site, URL: in.URL, Referrer: in.Referrer,
		Country: web.Country(r), Browser: browser, DeviceType: device, Since: since, Pages: in.Pages, SessionID: in.SessionID}}
	next, err := s.engine.PageOpen(r.Context(), &page)
	answer := liveAnswer{OK: true}
	if next != nil {
		answer.Conversation = &resumeAnswer{next.SessionID, next.Token}
	}
	return answer, err
}

// liveList is the answer of GET /api/admin/live-visitors.
type liveList struct {
	// Enabled: at least one of the websites shows who is on it.
	Enabled  bool               `json:"enabled"`
	Total    int                `json:"total"`
	Visitors []chat.LiveVisitor `json:"visitors"`
}

// liveVisitors answers GET /api/admin/live-visitors.
func (s *conversationAPI) liveVisitors(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	all := s.engine.Sites()
	sites, err := web.SitesAsked(r, by, all)
	if err != nil {
		return nil, err
	}
	limit, err := web.QueryLimit(r, maxLiveListed, maxLiveListed)
	if err != nil {
		return nil, err
	}
	list, total := s.engine.LiveVisitors(sites, limit)
	for i := range list {
		list[i].Site = all.Shown(list[i].Site)
	}
	enabled := slices.ContainsFunc(all.In(sites), func(site chat.Site) bool { return s.engine.SettingsOf(site.ID).Bool("liveVisitors") })
	return liveList{enabled, total, append([]chat.LiveVisitor{}, list...)}, nil
}

// liveMessage is the first message of a conversation with somebody whom relay knows already.
type liveMessage struct {
	Content      string `json:"content"`
	ClientID     string `json:"clientId"`
	OperatorName string `json:"operatorName"`
}

// writeToLive answers POST /api/admin/live-visitors/{visitor}/messages: the conversation, with
// the message that began it.
func (s *conversationAPI) writeToLive(_ http.ResponseWriter, r *http.Request, by chat.Author, in liveMessage) (any, error) {
	by, err := called(by, in.OperatorName)
	if err != nil {
		return nil, err
	}
	if err := s.noCommand(r.Context(), by, in.Content); err != nil {
		return nil, err
	}
	session, first, err := s.engine.WriteToLive(r.Context(), by, web.PathVar(r, "visitor"), in.Content, in.ClientID)
	if err != nil {
		return nil, err
	}
	if by.Key != nil {
		s.AuditAt(r, by, s.SiteOfSession(r, session.ID), chat.AuditKeyUsed, session.ID, "began")
	}
	return s.view(&session, first), nil
}
