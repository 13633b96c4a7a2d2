package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
	"github.com/relay-chat/relay/server/words"
)

// Search finds messages.
type Search interface {
	// Find returns the newest messages of sites below a place, 0 for the newest of all, that
	// have all of the terms.
	Find(ctx context.Context, terms []words.Term, sites chat.SiteSet, below int64, limit int) ([]chat.FoundMessage, error)
	// Notice has a session indexed that has a new message.
	Notice(e *chat.Event)
	// Progress says how far the index of an older database is.
	Progress(ctx context.Context) (chat.SearchProgress, error)
}

// The bounds of a search.
const (
	maxSearch     = 200 // characters
	maxTerms      = 40
	maxFound      = 50 // messages in an answer
	standardFound = 20
)

// foundView is a message that was found.
type foundView struct {
	ID           string        `json:"id"`
	SessionID    string        `json:"sessionId"`
	Sender       chat.Sender   `json:"sender"`
	OperatorName string        `json:"operatorName,omitempty"`
	Internal     bool          `json:"internal,omitzero"`
	Timestamp    chat.Time     `json:"timestamp"`
	Excerpt      []excerptPart `json:"excerpt"`
}

// search answers GET /api/admin/search: messages, the newest first, and their sessions.
func (s *conversationAPI) search(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	terms, below, limit, err := searchQuery(r)
	if err != nil {
		return nil, err
	}
	sites, err := web.SitesAsked(r, by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	found, err := s.finder.Find(ctx, terms, sites, below, limit+1)
	if err != nil {
		return nil, err
	}
	progress, err := s.finder.Progress(ctx)
	if err != nil {
		return nil, err
	}
	if by.Sites != nil { // it counts the messages of all sites
		progress = chat.SearchProgress{}
	}
	answer := map[string]any{"indexed": progress}
	if len(found) > limit {
		found = found[:limit]
		answer["nextCursor"] = strconv.FormatInt(found[limit-1].Place, 36)
	}
	views := make([]foundView, len(found))
	for i := range found {
		m := &found[i]
		views[i] = foundView{m.ID, m.SessionID, m.Sender, m.OperatorName, m.Internal, m.Timestamp, excerpt(&m.Message, terms)}
	}
	answer["messages"] = views
	answer["sessions"], err = s.sessionsOf(ctx, found)
	return answer, err
}

// searchQuery reads what is asked for.
func searchQuery(r *http.Request) (terms []words.Term, below int64, limit int, err error) {
	q := strings.TrimSpace(r.URL.Query().Get("q"))
	if err = web.Required("q", q); err != nil {
		return nil, 0, 0, err
	}
	if utf8.RuneCountInString(q) > maxSearch {
		return nil, 0, 0, web.BadRequest("q must be at most " + strconv.Itoa(maxSearch) + " characters")
	}
	if terms = words.Terms(q); len(terms) > maxTerms {
		return nil, 0, 0, web.BadRequest("q must be at most " + strconv.Itoa(maxTerms) + " words")
	}
	if given := r.URL.Query().Get("cursor"); given != "" {
		if below, err = strconv.ParseInt(given, 36, 64); err != nil || below <= 0 {
			return nil, 0, 0, web.BadRequest("cursor must be a nextCursor of an earlier answer")
		}
	}
	limit, err = web.QueryLimit(r, standardFound, maxFound)
	return terms, below, limit, err
}

// sessionsOf shows the sessions of messages, each once.
func (s *conversationAPI) sessionsOf(ctx context.Context, found []chat.FoundMessage) (views []sessionView, err error) {
	err = s.engine.Store.Read(ctx, func(rd chat.Reader) (err error) {
		var list []chat.Session
		seen := map[string]bool{}
		for i := range found {
			id := found[i].SessionID
			if seen[id] {
				continue
			}
			seen[id] = true
			session, err := rd.Session(id)
			if err != nil && !errors.Is(err, chat.ErrSessionNotFound) { // erased meanwhile
				return err
			}
			if err == nil {
				list = append(list, session)
			}
		}
		views, err = s.views(rd, list)
		return err
	})
	return views, err
}
