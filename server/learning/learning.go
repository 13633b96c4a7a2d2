// Package learning answers requests about what the AI learns: its sources, the questions that had
// no answer, rehearsals and topics, and the actions that it may ask for. It has its own rows of
// the route table.
package learning

import (
	"net/http"
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// API is what the AI is taught, what it would have said, and what it may do.
type API struct {
	knowledge  *knowledgeAPI
	rehearsals *rehearsalAPI
	actions    *actionAPI
}

// New makes the handlers of what the AI learns.
func New(audit web.Auditor, engine *engine.Engine, knowledge Knowledge, rehearsals Rehearsals, actions Actions) *API {
	return &API{
		knowledge:  &knowledgeAPI{audit, knowledge, engine.Sites, engine.Store},
		rehearsals: &rehearsalAPI{audit, rehearsals, engine},
		actions:    &actionAPI{audit, actions, engine},
	}
}

// Routes are about what the AI knows, rehearses and does.
func (l *API) Routes(operators, administrators web.Rules) []web.Route {
	files, documents := administrators, administrators
	files.Body, documents.Body = 0, maxOperationsBody
	return []web.Route{
		web.On("POST", "/api/admin/widget/look", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), web.Body(l.knowledge.proposeLook)),
		web.On("GET", "/api/admin/ai/rehearsal", operators.Within(web.OwnSites).Needs(chat.ScopeRead), l.rehearsals.state),
		web.On("POST", "/api/admin/ai/rehearsal", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), web.Body(l.rehearsals.rehearse)),
		web.On("DELETE", "/api/admin/ai/rehearsal", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), l.rehearsals.stop),
		web.On("PATCH", "/api/admin/ai/rehearsal/{id}", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), web.Body(l.rehearsals.judge)),
		web.On("PATCH", "/api/admin/ai/topics/{id}", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), web.Body(l.rehearsals.changeTopic)),
		web.On("GET", "/api/admin/ai/actions", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), l.actions.list),
		web.On("POST", "/api/admin/ai/actions", administrators.Within(web.OwnSites).NoKeys(), web.Body(l.actions.add)),
		web.On("PATCH", "/api/admin/ai/actions/{id}", administrators.Within(web.OwnSites).NoKeys(), web.Body(l.actions.change)),
		web.On("DELETE", "/api/admin/ai/actions/{id}", administrators.Within(web.OwnSites).NoKeys(), l.actions.drop),
		web.On("POST", "/api/admin/ai/actions/{id}/try", administrators.Within(web.OwnSites).NoKeys(), web.Body(l.actions.try)),
		web.On("POST", "/api/admin/ai/operations", documents.Within(web.OwnSites).NoKeys(), web.Body(l.actions.operations)),
		web.On("GET", "/api/admin/ai/acts", operators.Within(web.OwnSites).Needs(chat.ScopeRead), l.actions.acts),
		web.On("POST", "/api/admin/ai/acts/{id}", operators.Within(web.OwnSites).NoKeys(), web.Body(l.actions.decide)),
		web.On("GET", "/api/admin/knowledge", operators.Within(web.OwnSites).Needs(chat.ScopeRead, chat.ScopeSettings), l.knowledge.sources),
		web.On("POST", "/api/admin/knowledge", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), web.Body(l.knowledge.add)),
		web.On("POST", "/api/admin/knowledge/files", files.Within(web.OwnSites).Needs(chat.ScopeSettings), l.knowledge.addFile),
		web.On("GET", "/api/admin/knowledge/search", operators.Within(web.OwnSites).Needs(chat.ScopeRead, chat.ScopeSettings), l.knowledge.search),
		web.On("GET", "/api/admin/knowledge/questions", operators.Within(web.OwnSites).Needs(chat.ScopeRead, chat.ScopeSettings), l.knowledge.questions),
		web.On("GET", "/api/admin/knowledge/questions/{id}", operators.Within(l.knowledge.ofQuestion).Needs(chat.ScopeRead), l.knowledge.question),
		web.On("DELETE", "/api/admin/knowledge/questions/{id}", administrators.Within(l.knowledge.ofQuestion).Needs(chat.ScopeSettings), l.knowledge.dropQuestion),
		web.On("POST", "/api/admin/knowledge/questions/{id}/answer", administrators.Within(l.knowledge.ofQuestion).Needs(chat.ScopeSettings), web.Body(l.knowledge.answerQuestion)),
		web.On("GET", "/api/admin/knowledge/sources/{id}", operators.Within(l.knowledge.ofSource).Needs(chat.ScopeRead, chat.ScopeSettings), l.knowledge.source),
		web.On("PATCH", "/api/admin/knowledge/sources/{id}", administrators.Within(l.knowledge.ofOwnSource).Needs(chat.ScopeSettings), web.Body(l.knowledge.move)),
		web.On("DELETE", "/api/admin/knowledge/sources/{id}", administrators.Within(l.knowledge.ofOwnSource).Needs(chat.ScopeSettings), l.knowledge.remove),
		web.On("POST", "/api/admin/knowledge/sources/{id}/refresh", administrators.Within(l.knowledge.ofOwnSource).Needs(chat.ScopeSettings), l.knowledge.refresh),
	}
}

// ofSource is the reach of routes that show a source of knowledge: of one of the sites, or for
// all of them.
func (s *knowledgeAPI) ofSource(r *http.Request, by chat.Author) error {
	_, err := s.sourceSite(r, by)
	return err
}

// sourceSite returns for whose visitors the source is that a request names.
func (s *knowledgeAPI) sourceSite(r *http.Request, by chat.Author) (string, error) {
	source, _, err := s.knowledge.Source(r.Context(), web.PathVar(r, "id"))
	if err == nil && !chat.IsFor(source.Site, by.Sites) {
		err = chat.ErrSourceNotFound
	}
	return source.Site, err
}

// ofOwnSource is the reach of routes that change a source.
func (s *knowledgeAPI) ofOwnSource(r *http.Request, by chat.Author) error {
	site, err := s.sourceSite(r, by)
	if err == nil && site == chat.AllSites {
		err = web.ErrAllSites
	}
	return err
}

// ofQuestion is the reach of routes to a question without an answer.
func (s *knowledgeAPI) ofQuestion(r *http.Request, by chat.Author) error {
	list, err := s.knowledge.Questions(r.Context())
	list = slices.DeleteFunc(list, func(q chat.Question) bool { return q.ID != web.PathVar(r, "id") })
	if err == nil {
		list = askedAt(list, by.Sites)
	}
	if err == nil && len(list) == 0 {
		err = chat.ErrQuestionNotFound
	}
	return err
}
