package server

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/privacy"
	"github.com/relay-chat/relay/server/web"
)

// dataAPI exports and erases what is stored of visitors.
type dataAPI struct {
	presentation
	web.Auditor
	engine  *engine.Engine
	bridges Bridges
	log     *slog.Logger
}

// visitorSession is a session in the answer of GET /api/admin/visitors.
type visitorSession struct {
	ID           string      `json:"id"`
	VisitorID    string      `json:"visitorId"`
	Status       chat.Status `json:"status"`
	CreatedAt    chat.Time   `json:"createdAt"`
	LastActivity chat.Time   `json:"lastActivity"`
	Identity     chat.Raw    `json:"identity,omitempty"`
	Verified     bool        `json:"verified"`
	PreChat      chat.Raw    `json:"preChat,omitempty"`
	// Channels are the platforms where it has a thread.
	Channels []string `json:"channels"`
	// Claimed: see [privacy.Found].
	Claimed bool `json:"claimed"`
}

// findVisitor answers GET /api/admin/visitors: the conversations of one visitor, and
// what erasing them cannot reach.
func (s *dataAPI) findVisitor(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	list, err := privacy.Find(r.Context(), s.engine.Store, r.URL.Query().Get("visitor"), by.Sites)
	if err != nil {
		return nil, err
	}
	found := make([]visitorSession, len(list))
	for i := range list {
		v := &list[i]
		found[i] = visitorSession{v.ID, v.VisitorID, v.Status, v.CreatedAt, v.LastActivity, v.Identity, v.Verified, v.PreChat, []string{}, v.Claimed}
		var threads []chat.Thread
		err := s.engine.Store.ReadOne(r.Context(), func(rd chat.Reader) (err error) {
			threads, err = rd.ThreadsOf(v.ID)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, th := range threads {
			found[i].Channels = append(found[i].Channels, th.Bridge)
		}
	}
	return map[string]any{"conversations": found, "elsewhere": privacy.Elsewhere(s.engine.Settings())}, nil
}

// chosen returns the conversations that a request means: of a visitor, and of those the
// ones that it names, if it names any.
func (s *dataAPI) chosen(r *http.Request, by chat.Author) ([]chat.Session, error) {
	query := r.URL.Query()
	found, err := privacy.Find(r.Context(), s.engine.Store, query.Get("visitor"), by.Sites)
	if err != nil {
		return nil, err
	}
	return privacy.Choose(found, query["conversation"])
}

// exportVisitor answers GET /api/admin/visitors/export: all that relay has of a
// visitor as a zip, written while it is read.
func (s *dataAPI) exportVisitor(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	list, err := s.chosen(r, by)
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditVisitorExported, "", chat.Count(len(list), "conversation"))
	web.Attachment(w, "application/zip", "visitor-"+time.Now().UTC().Format(time.DateOnly)+".zip")
	if _, err := privacy.Export(r.Context(), s.engine, list, web.Patient(w)); err != nil {
		return cutExport(s.log, r, err)
	}
	return web.Written{}, nil
}

// eraseVisitor answers DELETE /api/admin/visitors with what remains elsewhere.
func (s *dataAPI) eraseVisitor(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(eraseTime)) // platforms may be slow
	list, err := s.chosen(r, by)
	if err != nil {
		return nil, err
	}
	out, err := privacy.Erase(r.Context(), s.engine, s.bridges, list)
	if err == nil {
		s.Audit(r, by, chat.AuditVisitorErased, "", chat.Count(out.Conversations, "conversation")) // of whom is not told: the person is erased
		s.log.Warn("a visitor was erased", "conversations", out.Conversations, "by", by.Source)
	}
	return out, err
}

// eraseTime bounds the erasure of a visitor.
const eraseTime = 5 * time.Minute
