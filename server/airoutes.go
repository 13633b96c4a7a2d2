package server

import (
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// aiRoutes are about the AI, what it knows, and what it would have said.
func (c *community) aiRoutes() []web.Route {
	operators, administrators := c.accounts.Rules(web.MaxAdminBody)
	files := administrators
	files.Body = 0
	return []web.Route{
		web.On("POST", "/api/admin/ai/test", administrators.Needs(chat.ScopeSettings), c.settings.testAI),
		web.On("POST", "/api/admin/ai/ask", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), web.Body(c.settings.askAI)),
		web.On("GET", "/api/admin/ai/rehearsal", operators.Within(web.OwnSites).Needs(chat.ScopeRead), c.rehearsals.state),
		web.On("POST", "/api/admin/ai/rehearsal", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), web.Body(c.rehearsals.rehearse)),
		web.On("DELETE", "/api/admin/ai/rehearsal", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), c.rehearsals.stop),
		web.On("PATCH", "/api/admin/ai/rehearsal/{id}", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), web.Body(c.rehearsals.judge)),
		web.On("PATCH", "/api/admin/ai/topics/{id}", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), web.Body(c.rehearsals.changeTopic)),
		web.On("GET", "/api/admin/ai/actions", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), c.actions.list),
		web.On("POST", "/api/admin/ai/actions", administrators.Within(web.OwnSites).NoKeys(), web.Body(c.actions.add)),
		web.On("PATCH", "/api/admin/ai/actions/{id}", administrators.Within(web.OwnSites).NoKeys(), web.Body(c.actions.change)),
		web.On("DELETE", "/api/admin/ai/actions/{id}", administrators.Within(web.OwnSites).NoKeys(), c.actions.drop),
		web.On("POST", "/api/admin/ai/actions/{id}/try", administrators.Within(web.OwnSites).NoKeys(), web.Body(c.actions.try)),
		web.On("GET", "/api/admin/ai/acts", operators.Within(web.OwnSites).Needs(chat.ScopeRead), c.actions.acts),
		web.On("POST", "/api/admin/ai/acts/{id}", operators.Within(web.OwnSites).NoKeys(), web.Body(c.actions.decide)),
		web.On("POST", "/api/admin/ai/private-host", administrators.NoKeys(), web.Body(c.settings.confirmAIHost)),
		web.On("GET", "/api/admin/knowledge", operators.Within(web.OwnSites).Needs(chat.ScopeRead, chat.ScopeSettings), c.knowledge.sources),
		web.On("POST", "/api/admin/knowledge", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), web.Body(c.knowledge.add)),
		web.On("POST", "/api/admin/knowledge/files", files.Within(web.OwnSites).Needs(chat.ScopeSettings), c.knowledge.addFile),
		web.On("GET", "/api/admin/knowledge/search", operators.Within(web.OwnSites).Needs(chat.ScopeRead, chat.ScopeSettings), c.knowledge.search),
		web.On("GET", "/api/admin/knowledge/questions", operators.Within(web.OwnSites).Needs(chat.ScopeRead, chat.ScopeSettings), c.knowledge.questions),
		web.On("GET", "/api/admin/knowledge/questions/{id}", operators.Within(c.reaches.question).Needs(chat.ScopeRead), c.knowledge.question),
		web.On("DELETE", "/api/admin/knowledge/questions/{id}", administrators.Within(c.reaches.question).Needs(chat.ScopeSettings), c.knowledge.dropQuestion),
		web.On("POST", "/api/admin/knowledge/questions/{id}/answer", administrators.Within(c.reaches.question).Needs(chat.ScopeSettings), web.Body(c.knowledge.answerQuestion)),
		web.On("GET", "/api/admin/knowledge/sources/{id}", operators.Within(c.reaches.source).Needs(chat.ScopeRead, chat.ScopeSettings), c.knowledge.source),
		web.On("PATCH", "/api/admin/knowledge/sources/{id}", administrators.Within(c.reaches.ownSource).Needs(chat.ScopeSettings), web.Body(c.knowledge.move)),
		web.On("DELETE", "/api/admin/knowledge/sources/{id}", administrators.Within(c.reaches.ownSource).Needs(chat.ScopeSettings), c.knowledge.remove),
		web.On("POST", "/api/admin/knowledge/sources/{id}/refresh", administrators.Within(c.reaches.ownSource).Needs(chat.ScopeSettings), c.knowledge.refresh),
	}
}
