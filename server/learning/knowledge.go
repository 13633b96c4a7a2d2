package learning

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// Knowledge is what the AI's answers come from.
type Knowledge interface {
	Sources(ctx context.Context) ([]chat.KnowledgeSource, error)
	Source(ctx context.Context, id string) (chat.KnowledgeSource, []chat.SourcePage, error)
	// What is added answers the visitors of a site, or of all with chat.AllSites.
	AddText(ctx context.Context, site, title, text, address string) (chat.KnowledgeSource, error)
	AddFile(ctx context.Context, site, name string, data []byte) (chat.KnowledgeSource, error)
	// AddPages adds a web page; with follow, also the pages that it leads to.
	AddPages(ctx context.Context, site, address string, follow, trusted bool) (chat.KnowledgeSource, error)
	// Move makes a source answer the visitors of another site, or of all.
	Move(ctx context.Context, id, site string) error
	Refresh(ctx context.Context, id string) error
	// Look reads a website's name, icon and colour.
	Look(ctx context.Context, address string) (chat.SiteLook, error)
	Remove(ctx context.Context, id string) error
	// SourceText returns what is known of a text or file.
	SourceText(ctx context.Context, id string) (string, error)
	// Passages are those of sources for a site's visitors, or of all with nil.
	Passages(ctx context.Context, site *string, question string, n int) ([]chat.Passage, error)
	// Questions are those that had no answer.
	Questions(ctx context.Context) ([]chat.Question, error)
	// Group puts alike ones together, in groups below the most asked.
	Group(list []chat.Question) []chat.Question
	DropQuestion(ctx context.Context, id string) error
	// Answer adds a text that answers a question and those that ask the same.
	Answer(ctx context.Context, site, question string, alike []string, title, text string) (chat.KnowledgeSource, error)
}

// shownPassages is how many passages a search returns: the first of those that the AI gets.
const shownPassages = 6

// knowledgeAPI is about what the AI knows.
type knowledgeAPI struct {
	web.Auditor
	knowledge Knowledge
	sites     func() *chat.Sites
	store     chat.Store
}

// sourceView is a source with its site, if it has one, as soon as there are several.
type sourceView struct {
	chat.KnowledgeSource
	Site string `json:"site,omitempty"`
}

func (s *knowledgeAPI) view(source chat.KnowledgeSource) sourceView {
	return sourceView{source, s.sites().Shown(source.Site)}
}

// sources answers GET /api/admin/knowledge: with ?site= what answers its visitors.
func (s *knowledgeAPI) sources(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	sites, err := web.SitesAsked(r, by, s.sites())
	if err != nil {
		return nil, err
	}
	list, err := s.knowledge.Sources(r.Context())
	views := []sourceView{}
	for _, source := range list {
		if chat.IsFor(source.Site, sites) {
			views = append(views, s.view(source))
		}
	}
	return map[string]any{"sources": views}, err
}

type addKnowledgeRequest struct {
	Title  string `json:"title"`
	Text   string `json:"text"`
	URL    string `json:"url"`
	Follow bool   `json:"follow"`
}

// add answers POST /api/admin/knowledge: a text, or the address of pages.
func (s *knowledgeAPI) add(_ http.ResponseWriter, r *http.Request, by chat.Author, in addKnowledgeRequest) (any, error) {
	site, err := web.SiteOrAll(r, by, s.sites())
	switch {
	case err != nil:
		return nil, err
	case in.Text != "" || in.Title != "":
		added, err := s.knowledge.AddText(r.Context(), site, in.Title, in.Text, in.URL)
		return s.added(r, by, added, added.Title, err)
	case in.URL == "":
		return nil, web.BadRequest("url, or title and text are required")
	}
	added, err := s.knowledge.AddPages(r.Context(), site, in.URL, in.Follow, false)
	return s.added(r, by, added, added.URL, err)
}

// added answers the new source and records that it was added.
func (s *knowledgeAPI) added(r *http.Request, by chat.Author, added chat.KnowledgeSource, name string, err error) (any, error) {
	if err == nil {
		s.Audit(r, by, chat.AuditKnowledgeAdded, name, added.Kind)
	}
	return s.view(added), err
}

// addFile answers POST /api/admin/knowledge/files.
func (s *knowledgeAPI) addFile(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	site, err := web.SiteOrAll(r, by, s.sites())
	if err != nil {
		return nil, err
	}
	boundary, err := web.FormBoundary(r)
	if err != nil {
		return nil, err
	}
	body := web.NewPatientReader(http.MaxBytesReader(nil, r.Body, chat.MaxKnowledgeFile+web.FormOverhead), w)
	defer body.End()
	form, data := web.NewForm(body, boundary, "none"), []byte(nil)
	if err = form.Read(); err == nil && form.File != nil {
		data, err = io.ReadAll(form.File)
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, chat.ErrKnowledgeFile
	}
	if err != nil {
		return nil, web.FormError(err)
	}
	if form.Filename == "" || !web.IsText(form.Filename) {
		return nil, web.BadRequest("file is required, with a name")
	}
	added, err := s.knowledge.AddFile(r.Context(), site, form.Filename, data)
	return s.added(r, by, added, added.Title, err)
}

// source answers GET /api/admin/knowledge/sources/{id} with its pages.
func (s *knowledgeAPI) source(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	source, pages, err := s.knowledge.Source(r.Context(), web.PathVar(r, "id"))
	return map[string]any{"source": s.view(source), "pages": append([]chat.SourcePage{}, pages...)}, err
}

type moveSourceRequest struct {
	Site json.RawMessage `json:"site"`
}

// move answers PATCH /api/admin/knowledge/sources/{id}: whose visitors it answers, with null
// those of all sites.
func (s *knowledgeAPI) move(_ http.ResponseWriter, r *http.Request, by chat.Author, in moveSourceRequest) (any, error) {
	id, site := "", chat.AllSites
	switch {
	case string(in.Site) == "null" && by.Sites != nil:
		return nil, web.ErrAllSites
	case string(in.Site) != "null":
		if json.Unmarshal(in.Site, &id) != nil {
			return nil, web.BadRequest("site must be the id of a site, or null")
		}
		named, err := s.sites().Named(id)
		if err != nil || !by.Sites.Has(named.ID) {
			return nil, chat.ErrorAt(chat.Invalid, "site", "site must be the id of a site; GET /api/admin/sites lists them")
		}
		site = named.ID
	}
	if err := s.knowledge.Move(r.Context(), web.PathVar(r, "id"), site); err != nil {
		return nil, err
	}
	moved, _, err := s.knowledge.Source(r.Context(), web.PathVar(r, "id"))
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditKnowledgeMoved, knowledgeName(moved), cmp.Or(s.view(moved).Site, chat.AllSites))
	return s.view(moved), nil
}

func (s *knowledgeAPI) remove(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	removed, _, err := s.knowledge.Source(r.Context(), web.PathVar(r, "id"))
	if err == nil {
		err = s.knowledge.Remove(r.Context(), removed.ID)
	}
	return s.Audited(r, by, chat.AuditKnowledgeRemoved, knowledgeName(removed), err)
}

func (s *knowledgeAPI) refresh(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	source, _, err := s.knowledge.Source(r.Context(), web.PathVar(r, "id"))
	if err == nil {
		err = s.knowledge.Refresh(r.Context(), source.ID)
	}
	return s.Audited(r, by, chat.AuditKnowledgeRefreshed, knowledgeName(source), err)
}

// knowledgeName is a source's name in the audit list. The title of a text may be a visitor's
// question, which goes with its conversation: the list has its id.
func knowledgeName(s chat.KnowledgeSource) string {
	if s.Kind == chat.KnowledgeText {
		return s.ID
	}
	return cmp.Or(s.URL, s.Title)
}

// passageView is a passage as people look at it.
type passageView struct {
	SourceID string `json:"sourceId"`
	Title    string `json:"title"`
	URL      string `json:"url,omitempty"`
	Text     string `json:"text"`
}

// search answers GET /api/admin/knowledge/search: what the AI would get for
// a question.
func (s *knowledgeAPI) search(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	question := strings.TrimSpace(r.URL.Query().Get("q"))
	if err := web.Required("q", question); err != nil {
		return nil, err
	}
	site, err := web.SiteAsked(r, by, s.sites())
	if err != nil {
		return nil, err
	}
	found, err := s.knowledge.Passages(r.Context(), site, question, shownPassages)
	views := make([]passageView, len(found))
	for i, p := range found {
		views[i] = passageView{p.Source, p.Title, p.URL, p.Text}
	}
	return map[string]any{"passages": views}, err
}

type proposeLookRequest struct {
	URL string `json:"url"`
}

// proposeLook answers POST /api/admin/widget/look: what a website says about its look.
func (s *knowledgeAPI) proposeLook(_ http.ResponseWriter, r *http.Request, _ chat.Author, in proposeLookRequest) (any, error) {
	if in.URL == "" || len(in.URL) > 2000 || !web.IsText(in.URL) {
		return nil, web.BadRequest("url is required")
	}
	return s.knowledge.Look(r.Context(), in.URL)
}
