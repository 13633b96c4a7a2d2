package server

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/web"
)

// linkPath is where the links begin with which visitors go on at another device.
const linkPath = "/c/"

// conversationLinks signs the links of conversations: each names the session and until when
// it works, which the session knows too, so that a newer one ends it.
type conversationLinks struct{ key []byte }

// conversationsBy signs the links of conversations. Its key never changes.
func conversationsBy(k *keyring.Ring) conversationLinks {
	return conversationLinks{k.LastingKey("conversation")}
}

// make returns the secret part of a link.
func (l conversationLinks) make(sessionID string, until chat.Time) string {
	named := sessionID + "." + strconv.FormatInt(int64(until), 36)
	return named + "." + l.sign(named)
}

// open returns what a link names; ok is false if it was not made here.
func (l conversationLinks) open(link string) (sessionID string, until chat.Time, ok bool) {
	end := strings.LastIndexByte(link, '.')
	if end < 0 || !chat.SameSecret(link[end+1:], l.sign(link[:end])) {
		return "", 0, false
	}
	sessionID, at, _ := strings.Cut(link[:end], ".")
	n, err := strconv.ParseInt(at, 36, 64)
	return sessionID, chat.Time(n), err == nil
}

func (l conversationLinks) sign(named string) string {
	return base64.RawURLEncoding.EncodeToString(chat.MAC(l.key, named)[:16])
}

// deviceAPI lets visitors go on at another device.
type deviceAPI struct {
	*web.Limiter
	pages  *ownPages
	engine *engine.Engine
	links  conversationLinks
}

// linkAnswer is the link to a conversation, for its visitor.
type linkAnswer struct {
	URL   string    `json:"url"`
	Code  string    `json:"code"` // the data of an SVG path, each module of one unit
	Size  int       `json:"size"` // of the code, in modules
	Until chat.Time `json:"until"`
}

func (s *deviceAPI) newLink(w http.ResponseWriter, r *http.Request, by chat.Author, in web.InSession) (any, error) {
	if err := s.Limited(w, r, s.Rates.Identifys, s.VisitorKey(r, in.SessionID)); err != nil {
		return nil, err
	}
	until, err := s.engine.NewLink(r.Context(), by, in.SessionID)
	if err != nil {
		return nil, err
	}
	address := s.BaseURL(r) + linkPath + s.links.make(in.SessionID, until)
	code, size := web.QRCode(address)
	return linkAnswer{address, code, size, until}, nil
}

// conversations lists what the visitor of a verified identity may also go on with.
func (s *deviceAPI) conversations(w http.ResponseWriter, r *http.Request, by chat.Author, in web.InSession) (any, error) {
	if err := s.Limited(w, r, s.Rates.Identifys, s.VisitorKey(r, in.SessionID)); err != nil {
		return nil, err
	}
	list, err := s.engine.Conversations(r.Context(), by, in.SessionID)
	return map[string][]engine.Conversation{"conversations": list}, err
}

// resumeRequest is the body of POST /api/widget/resume.
type resumeRequest struct {
	Link string `json:"link"`
}

// resumeAnswer is the session with the token of this device.
type resumeAnswer struct {
	SessionID    string `json:"sessionId"`
	SessionToken string `json:"sessionToken,omitempty"`
}

// resume lets a device go on with the conversation of a link.
func (s *deviceAPI) resume(w http.ResponseWriter, r *http.Request, by chat.Author, in resumeRequest) (any, error) {
	if err := s.Limited(w, r, s.Rates.Inits, s.Address(r)); err != nil {
		return nil, err
	}
	if err := web.Required("link", in.Link); err != nil {
		return nil, err
	}
	id, until, ok := s.links.open(in.Link)
	if !ok {
		return nil, engine.ErrLinkEnded
	}
	token, err := s.engine.Resume(r.Context(), by.Site, id, until)
	return resumeAnswer{id, token}, err
}

// page answers GET /c/{link}: it asks where to go on, and does nothing yet, because mail
// programs and messengers also look at what they show.
func (s *deviceAPI) page(w http.ResponseWriter, r *http.Request) {
	id, until, made := s.links.open(web.PathVar(r, "link"))
	if !made {
		s.ended(w, r, "")
		return
	}
	s.show(w, r, id, until, "")
}

// ended answers a link that does not work any more. letter is that of an e-mail, which may
// still end the e-mails.
func (s *deviceAPI) ended(w http.ResponseWriter, r *http.Request, letter string) {
	s.pages.Show(w, r, http.StatusNotFound, "resume.html", web.Slots{"Link": "", "PublicKey": "", "Name": "", "Chat": "", "There": "", "Letter": letter})
}

// show asks where to go on with a conversation. One without a token cannot go on at another
// device: its page only leads back.
func (s *deviceAPI) show(w http.ResponseWriter, r *http.Request, id string, until chat.Time, letter string) {
	session, site, err := s.linked(r, id, until)
	switch {
	case errors.Is(err, engine.ErrLinkEnded):
		s.ended(w, r, letter)
	case err != nil:
		s.Log.Error("request failed", "request", w.Header().Get(web.RequestIDHeader), "err", err)
		s.pages.ShowError(w, r, http.StatusServiceUnavailable, "The chat cannot be reached at the moment. Load the page again in a minute.")
	default:
		link := s.links.make(id, until)
		if until == 0 {
			link = ""
		}
		s.pages.Show(w, r, http.StatusOK, "resume.html", web.Slots{"Link": link, "PublicKey": s.pages.Keys.PublicOf(site), "Name": s.pages.chatName(site),
			"Chat": chatPath + "/" + site.PublicID(), "There": s.pageOf(&session, site), "Letter": letter})
	}
}

// linked returns the session of a link and its site, or [engine.ErrLinkEnded].
func (s *deviceAPI) linked(r *http.Request, id string, until chat.Time) (chat.Session, *chat.Site, error) {
	session, err := s.engine.Linked(r.Context(), id, until)
	site := s.engine.Sites().Of(session.Site)
	if err == nil && (site == nil || site.ArchivedAt != 0 || site.ErasedAt != 0) {
		err = engine.ErrLinkEnded
	}
	return session, site, err
}

// pageOf is the page of the website where the visitor was last, "" if its website has no list
// of origins that says that it is one of its own.
func (s *deviceAPI) pageOf(session *chat.Session, site *chat.Site) string {
	u, err := url.Parse(session.Metadata.V.URL)
	if err != nil || !slices.Contains(s.Config.OriginsOf(site), u.Scheme+"://"+u.Host) {
		return ""
	}
	return session.Metadata.V.URL
}
