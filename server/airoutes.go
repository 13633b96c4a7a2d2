package server

import "github.com/relay-chat/relay/server/chat"

// aiRoutes are about the AI, what it knows, and what it would have said.
func (c *community) aiRoutes() []route {
	operators, administrators := c.operatorRules(maxAdminBody)
	files := administrators
	files.body = 0
	return []route{
		{"POST", "/api/admin/ai/test", administrators.needs(chat.ScopeSettings), c.settings.testAI},
		{"POST", "/api/admin/ai/ask", administrators.within(ownSites).needs(chat.ScopeSettings), body(c.settings.askAI)},
		{"GET", "/api/admin/ai/rehearsal", operators.within(ownSites).needs(chat.ScopeRead), c.rehearsals.state},
		{"POST", "/api/admin/ai/rehearsal", administrators.within(ownSites).needs(chat.ScopeSettings), body(c.rehearsals.rehearse)},
		{"DELETE", "/api/admin/ai/rehearsal", administrators.within(ownSites).needs(chat.ScopeSettings), c.rehearsals.stop},
		{"PATCH", "/api/admin/ai/rehearsal/{id}", administrators.within(ownSites).needs(chat.ScopeSettings), body(c.rehearsals.judge)},
		{"PATCH", "/api/admin/ai/topics/{id}", administrators.within(ownSites).needs(chat.ScopeSettings), body(c.rehearsals.changeTopic)},
		{"GET", "/api/admin/ai/actions", administrators.within(ownSites).needs(chat.ScopeSettings), c.actions.list},
		{"POST", "/api/admin/ai/actions", administrators.within(ownSites).noKeys(), body(c.actions.add)},
		{"PATCH", "/api/admin/ai/actions/{id}", administrators.within(ownSites).noKeys(), body(c.actions.change)},
		{"DELETE", "/api/admin/ai/actions/{id}", administrators.within(ownSites).noKeys(), c.actions.drop},
		{"POST", "/api/admin/ai/actions/{id}/try", administrators.within(ownSites).noKeys(), body(c.actions.try)},
		{"GET", "/api/admin/ai/acts", operators.within(ownSites).needs(chat.ScopeRead), c.actions.acts},
		{"POST", "/api/admin/ai/acts/{id}", operators.within(ownSites).noKeys(), body(c.actions.decide)},
		{"POST", "/api/admin/ai/private-host", administrators.noKeys(), body(c.settings.confirmAIHost)},
		{"GET", "/api/admin/knowledge", operators.within(ownSites).needs(chat.ScopeRead, chat.ScopeSettings), c.knowledge.sources},
		{"POST", "/api/admin/knowledge", administrators.within(ownSites).needs(chat.ScopeSettings), body(c.knowledge.add)},
		{"POST", "/api/admin/knowledge/files", files.within(ownSites).needs(chat.ScopeSettings), c.knowledge.addFile},
		{"GET", "/api/admin/knowledge/search", operators.within(ownSites).needs(chat.ScopeRead, chat.ScopeSettings), c.knowledge.search},
		{"GET", "/api/admin/knowledge/questions", operators.within(ownSites).needs(chat.ScopeRead, chat.ScopeSettings), c.knowledge.questions},
		{"GET", "/api/admin/knowledge/questions/{id}", operators.within(c.reaches.question).needs(chat.ScopeRead), c.knowledge.question},
		{"DELETE", "/api/admin/knowledge/questions/{id}", administrators.within(c.reaches.question).needs(chat.ScopeSettings), c.knowledge.dropQuestion},
		{"POST", "/api/admin/knowledge/questions/{id}/answer", administrators.within(c.reaches.question).needs(chat.ScopeSettings), body(c.knowledge.answerQuestion)},
		{"GET", "/api/admin/knowledge/sources/{id}", operators.within(c.reaches.source).needs(chat.ScopeRead, chat.ScopeSettings), c.knowledge.source},
		{"PATCH", "/api/admin/knowledge/sources/{id}", administrators.within(c.reaches.ownSource).needs(chat.ScopeSettings), body(c.knowledge.move)},
		{"DELETE", "/api/admin/knowledge/sources/{id}", administrators.within(c.reaches.ownSource).needs(chat.ScopeSettings), c.knowledge.remove},
		{"POST", "/api/admin/knowledge/sources/{id}/refresh", administrators.within(c.reaches.ownSource).needs(chat.ScopeSettings), c.knowledge.refresh},
	}
}
