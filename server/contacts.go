package server

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// contactView is a contact as operators see it.
type contactView struct {
	Name          string             `json:"name"`
	Fields        map[string]string  `json:"fields"`
	Notes         []chat.ContactNote `json:"notes"`
	Verified      bool               `json:"verified"`
	FirstSeen     chat.Time          `json:"firstSeen,omitzero"`
	LastSeen      chat.Time          `json:"lastSeen,omitzero"`
	Conversations []sessionView      `json:"conversations"`
	HasMore       bool               `json:"hasMore"`
	Claims        []sessionView      `json:"claims"`
}

// contact answers GET /api/admin/sessions/{session}/contact: whose conversation it is, with
// all others of the same person.
func (s *conversationAPI) contact(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	var out contactView
	err := s.engine.Store.Read(r.Context(), func(rd chat.Reader) error {
		v, err := s.engine.Contact(rd, web.PathVar(r, "session"))
		if err == nil {
			out, err = s.viewContact(rd, v)
		}
		return err
	})
	return out, err
}

// viewContact shows a contact with at most as many conversations as a list has.
func (s presentation) viewContact(rd chat.Reader, v *engine.ContactView) (out contactView, err error) {
	out = contactView{Name: v.Name, Fields: v.Fields, Notes: append([]chat.ContactNote{}, v.Notes...), Verified: v.Verified(), HasMore: v.More || len(v.Sessions) > maxSessions}
	if out.Fields == nil {
		out.Fields = map[string]string{}
	}
	for i := range v.Sessions {
		session := &v.Sessions[i]
		if out.FirstSeen == 0 || session.CreatedAt < out.FirstSeen {
			out.FirstSeen = session.CreatedAt
		}
		out.LastSeen = max(out.LastSeen, session.LastActivity)
	}
	if out.Conversations, err = s.views(rd, v.Sessions[:min(len(v.Sessions), maxSessions)]); err == nil {
		out.Claims, err = s.views(rd, v.Claims)
	}
	return out, err
}

// contactRequest changes a contact. What is left out stays; null takes away.
type contactRequest struct {
	Name   json.RawMessage    `json:"name"`
	Fields map[string]*string `json:"fields"`
}

func (in *contactRequest) change() (h chat.ContactChange, err error) {
	if len(in.Name) > 0 {
		name := ""
		if string(in.Name) != "null" && json.Unmarshal(in.Name, &name) != nil {
			return h, web.BadRequest("name must be a string, or null")
		}
		h.Name = &name
	}
	h.Fields = map[string]string{}
	for field, value := range in.Fields {
		h.Fields[field] = ""
		if value != nil {
			h.Fields[field] = *value
		}
	}
	return h, nil
}

// changeContact answers PATCH /api/admin/sessions/{session}/contact with the contact as it is
// then. The audit list gets what was changed, without the values: they go with the person.
func (s *conversationAPI) changeContact(w http.ResponseWriter, r *http.Request, by chat.Author, in contactRequest) (any, error) {
	h, err := in.change()
	if err != nil {
		return nil, err
	}
	changed, err := s.engine.ChangeContact(r.Context(), web.PathVar(r, "session"), h)
	if err != nil {
		return nil, err
	}
	if len(changed) > 0 {
		s.Audit(r, by, chat.AuditContactChanged, web.PathVar(r, "session"), strings.Join(changed, ", "))
	}
	return s.contact(w, r, by)
}

// contactNoteRequest is a note about a contact.
type contactNoteRequest struct {
	Content      string `json:"content"`
	OperatorName string `json:"operatorName"`
}

// noteContact answers POST /api/admin/sessions/{session}/contact/notes.
func (s *conversationAPI) noteContact(w http.ResponseWriter, r *http.Request, by chat.Author, in contactNoteRequest) (any, error) {
	by, err := s.named(r, by, in.OperatorName)
	if err == nil {
		err = s.engine.NoteContact(r.Context(), by, web.PathVar(r, "session"), in.Content)
	}
	if err != nil {
		return nil, err
	}
	return s.contact(w, r, by)
}

// dropContactNote answers DELETE /api/admin/sessions/{session}/contact/notes/{note}.
func (s *conversationAPI) dropContactNote(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	if err := s.engine.DropContactNote(r.Context(), by, web.PathVar(r, "session"), web.PathVar(r, "note")); err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditContactChanged, web.PathVar(r, "session"), "a note was deleted")
	return s.contact(w, r, by)
}

// exportContacts writes what is written down about contacts, of a site or of all with nil.
func (s *dataAPI) exportContacts(r *http.Request, out *json.Encoder, site *string) error {
	sites := s.engine.Sites()
	for _, id := range sites.IDs() {
		if site != nil && *site != id {
			continue
		}
		err := chat.EachContact(r.Context(), s.engine.Store, id, func(c *chat.Contact) error {
			line := contactLine{Type: "contact", WrittenContact: c.Written()}
			if sites.Several() {
				line.Site = chat.SiteName(id)
			}
			return out.Encode(line)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// contactLine is a contact in the export.
type contactLine struct {
	Type string `json:"type"`
	Site string `json:"site,omitempty"`
	chat.WrittenContact
}
