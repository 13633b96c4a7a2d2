package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// maxChanged is how many sessions one request may change.
const maxChanged = 200

// changeRequest changes several sessions in the same way.
type changeRequest struct {
	IDs          []string        `json:"ids"`
	Status       chat.Status     `json:"status"`
	Unread       *bool           `json:"unread"`
	AddTags      []string        `json:"addTags"`
	RemoveTags   []string        `json:"removeTags"`
	SnoozedUntil json.RawMessage `json:"snoozedUntil"`
	Assignee     json.RawMessage `json:"assignee"`
}

// changeResult is what became of one session. Status and Error are those that a request about
// it alone would be refused with.
type changeResult struct {
	ID     string `json:"id"`
	OK     bool   `json:"ok"`
	Status int    `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
}

// changing is a checked request.
type changing struct {
	engine.Organising
	organises bool
	unread    *bool
}

// changing checks what a request asks for, before anything is changed.
func (in *changeRequest) changing() (c changing, err error) {
	switch {
	case len(in.IDs) == 0:
		return c, web.BadRequest("ids is required: the ids of up to 200 sessions")
	case len(in.IDs) > maxChanged:
		return c, web.BadRequest("ids must be at most 200")
	case slices.Contains(in.IDs, ""):
		return c, web.BadRequest("ids must not have an empty id")
	case in.Status != "" && in.Status != chat.StatusOpen && in.Status != chat.StatusClosed:
		return c, web.BadRequest("status must be open or closed")
	}
	one := organiseRequest{AddTags: in.AddTags, RemoveTags: in.RemoveTags, SnoozedUntil: in.SnoozedUntil, Assignee: in.Assignee}
	c.Organising, err = one.organising()
	c.Status, c.unread = in.Status, in.Unread
	c.organises = in.Status != "" || len(in.AddTags)+len(in.RemoveTags) > 0 || c.Until != nil || c.Assignee != nil
	if err == nil && !c.organises && c.unread == nil {
		err = web.BadRequest("Say what to change: status, addTags, removeTags, assignee, snoozedUntil or unread")
	}
	return c, cmp.Or(err, c.Check())
}

// change answers POST /api/admin/session-changes: what became of each session, in the order of
// the request. An error of relay itself ends it; then the same request can be sent again.
func (s *conversationAPI) change(_ http.ResponseWriter, r *http.Request, by chat.Author, in changeRequest) (any, error) {
	c, err := in.changing()
	if err != nil {
		return nil, err
	}
	results := make([]changeResult, 0, len(in.IDs))
	seen := make(map[string]bool, len(in.IDs))
	for _, id := range in.IDs {
		if seen[id] {
			continue
		}
		seen[id] = true
		result := changeResult{ID: id, OK: true}
		if err := s.changeOne(r, by, id, &c); err != nil {
			var refused *chat.Error
			if !errors.As(err, &refused) || refused.Kind == chat.StorageFull {
				return nil, err
			}
			result.OK, result.Status, result.Error = false, web.Statuses[refused.Kind], refused.Text
		}
		results = append(results, result)
	}
	return map[string]any{"results": results}, nil
}

// changeOne changes one session as the routes for one do.
func (s *conversationAPI) changeOne(r *http.Request, by chat.Author, id string, c *changing) error {
	if err := web.MayRead(r.Context(), s.engine.Store, by, id); err != nil {
		return err
	}
	if c.organises {
		var err error
		if by, err = s.namedIn(r.Context(), by, id); err != nil {
			return err
		}
		if err := s.engine.Organise(r.Context(), by, id, c.Organising); err != nil {
			return err
		}
		if by.Key != nil {
			s.AuditAt(r, by, s.SiteOfSession(r, id), chat.AuditKeyUsed, id, "assigned, tagged, snoozed, closed or reopened")
		}
	}
	switch {
	case c.unread == nil:
		return nil
	case *c.unread:
		return s.engine.MarkUnread(r.Context(), by, id)
	}
	return s.engine.MarkRead(r.Context(), by, id, nil)
}
