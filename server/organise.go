package server

import (
	"encoding/json"
	"net/http"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// organiseRequest changes how a session is organised. A field that is left out stays;
// null takes away.
type organiseRequest struct {
	Tags         *[]string       `json:"tags"`
	AddTags      []string        `json:"addTags"`
	RemoveTags   []string        `json:"removeTags"`
	SnoozedUntil json.RawMessage `json:"snoozedUntil"`
	Assignee     json.RawMessage `json:"assignee"`
}

// organising reads what a request changes.
func (in *organiseRequest) organising() (o engine.Organising, err error) {
	o = engine.Organising{Tags: in.Tags, Add: in.AddTags, Remove: in.RemoveTags}
	if len(in.SnoozedUntil) > 0 {
		until := chat.Time(0)
		if string(in.SnoozedUntil) != "null" {
			if err := json.Unmarshal(in.SnoozedUntil, &until); err != nil {
				return o, web.BadRequest("snoozedUntil must be a time, such as 2026-01-31T12:00:00Z, or null")
			}
		}
		o.Until = &until
	}
	if len(in.Assignee) > 0 {
		id := ""
		if string(in.Assignee) != "null" && (json.Unmarshal(in.Assignee, &id) != nil || id == "") {
			return o, web.BadRequest("assignee must be the id of a person, or null")
		}
		o.Assignee = &id
	}
	return o, nil
}

// organise answers PATCH /api/admin/sessions/{session} with the session as it is then.
func (s *conversationAPI) organise(w http.ResponseWriter, r *http.Request, by chat.Author, in organiseRequest) (any, error) {
	o, err := in.organising()
	if err != nil {
		return nil, err
	}
	if by, err = s.named(r, by, ""); err != nil {
		return nil, err
	}
	if err := s.engine.Organise(r.Context(), by, web.PathVar(r, "session"), o); err != nil {
		return nil, err
	}
	return s.session(w, r, by)
}

// counts answers GET /api/admin/counts.
func (s *conversationAPI) counts(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	answer := struct {
		chat.Counts
		Tags []chat.Tag `json:"tags"`
		// Sites are the waiting ones of each site, as long as there are several.
		Sites map[string]int `json:"sites,omitempty"`
	}{}
	sites := s.engine.Sites()
	asked, err := web.SitesAsked(r, by, sites)
	if err != nil {
		return nil, err
	}
	err = s.engine.Store.Read(r.Context(), func(rd chat.Reader) (err error) {
		if answer.Counts, err = rd.Counts(by.Person, asked); err != nil {
			return err
		}
		if answer.Tags, err = rd.TagsInUse(asked); err != nil || !sites.Several() {
			return err
		}
		answer.Sites, err = waitingBySite(rd, sites.In(by.Sites))
		return err
	})
	return answer, err
}

// waitingBySite counts what waits at each site, by its public id.
func waitingBySite(rd chat.Reader, sites []chat.Site) (map[string]int, error) {
	counts, err := rd.WaitingBySite()
	named := map[string]int{}
	for _, site := range sites {
		named[site.PublicID()] = counts[site.ID]
	}
	return named, err
}
