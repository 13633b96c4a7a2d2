package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/oauth"
	"github.com/relay-chat/relay/server/web"
)

// audiences is the route table of community mode. What is asked most often comes first.
func (c *community) audiences() []web.Audience {
	return []web.Audience{
		{Prefix: "/api/widget/", Unmatched: web.Rules{CORS: c.accounts.Admission.WidgetCORS, Filtered: true}, Routes: c.widgetRoutes()},
		{Prefix: "/api/admin/", Unmatched: web.Rules{Filtered: true}, Routes: slices.Concat(c.noting(c.conversationRoutes()), c.siteRoutes(), c.settingRoutes(), c.aiRoutes(), c.learning.Routes(c.accounts.Rules(web.MaxAdminBody)), c.webhookRoutes(), c.accounts.Routes(c.reaches.person))},
		{Prefix: communityHooks, Unmatched: web.Rules{}, Routes: hookRoutes(c.bridges, communityHooks)},
		{Prefix: "/api/", Unmatched: web.Rules{Filtered: true}, Routes: nil},
		{Prefix: oauth.ResourcePath, Unmatched: web.Rules{CORS: web.OpenToPages}, Routes: c.assistantRoutes()},
		{Prefix: oauth.MetadataPath, Unmatched: web.Rules{CORS: web.OpenToPages}, Routes: c.accounts.MetadataRoutes()},
		{Prefix: oauth.Path, Unmatched: web.Rules{CORS: web.OpenToPages}, Routes: c.accounts.OAuthRoutes()},
		{Prefix: "", Unmatched: web.Rules{}, Routes: slices.Concat(c.programRoutes(), c.fileRoutes(), c.accounts.FaceRoutes(), c.openRoutes(), c.pageRoutes(), c.accounts.PageRoutes(), c.docs.routes())},
	}
}

// audiences is the route table of bridge mode.
func (b *bridge) audiences() []web.Audience {
	stream := web.Rules{CORS: b.backend.streamCORS, Filtered: true}
	return []web.Audience{
		{Prefix: "/api/events/stream", Unmatched: stream, Routes: b.streamRoutes()},
		{Prefix: "/api/", Unmatched: web.Rules{Filtered: true}, Routes: b.backendRoutes()},
		{Prefix: bridgeHooks, Unmatched: web.Rules{}, Routes: hookRoutes(b.bridges, bridgeHooks)},
		{Prefix: "", Unmatched: web.Rules{}, Routes: slices.Concat(b.fileRoutes(), b.openRoutes(), b.docs.routes(), []web.Route{web.On("GET", "/", web.Rules{Page: true}, web.Page(toDocs))})},
	}
}

// assemble makes the router and the HTTP server.
func (s *Server) assemble(audiences []web.Audience) {
	s.router, s.table = mux.NewRouter().SkipClean(true), audiences
	for _, a := range audiences {
		sub := s.router.PathPrefix(a.Prefix).Subrouter().UseEncodedPath() // ids may have slashes
		sub.NotFoundHandler = s.handle(web.Route{Rules: a.Unmatched, Action: s.unmatched})
		sub.MethodNotAllowedHandler = sub.NotFoundHandler
		for _, rt := range a.Routes {
			path := strings.TrimPrefix(rt.Path, strings.TrimSuffix(a.Prefix, "/"))
			sub.Path(path).Methods(rt.Methods()...).Name(rt.Path).Handler(s.handle(rt))
		}
	}
	s.handler = s.receiving.notice(s.router)
	s.web = s.HTTPServer()
}

// widgetRoutes are for pages, which send the public key.
func (c *community) widgetRoutes() []web.Route {
	visitors := web.Rules{CORS: c.accounts.Admission.WidgetCORS, Filtered: true, Access: c.accounts.Admission.Visitor, Rate: c.Rates.Requests, Body: web.MaxBody}
	uploads, headerless, open := visitors, visitors, visitors
	open.Rate = c.Rates.Live
	uploads.Body = 0
	headerless.QueryKey = true // browsers call these without headers
	return []web.Route{
		web.On("POST", "/api/widget/messages", visitors, web.SessionBody(c.widget.send)),
		web.On("GET", "/api/widget/stream", headerless, c.visitors.stream),
		web.On("POST", "/api/widget/init", visitors, c.widget.begin),
		web.On("GET", "/api/widget/config", visitors, c.widget.config),
		web.On("GET", "/api/widget/messages", visitors, c.widget.messages),
		web.On("PATCH", "/api/widget/messages/{id}", visitors, web.SessionBody(c.widget.edit)),
		web.On("DELETE", "/api/widget/messages/{id}", visitors, c.widget.delete),
		web.On("POST", "/api/widget/attachments", uploads, c.files.widgetUpload),
		web.On("POST", "/api/widget/identify", visitors, web.Body(c.widget.identify)),
		web.On("POST", "/api/widget/read", visitors, web.SessionBody(c.widget.read)),
		web.On("POST", "/api/widget/typing", visitors, web.SessionBody(c.widget.typing)),
		web.On("POST", "/api/widget/prechat", visitors, web.SessionBody(c.widget.preChat)),
		web.On("POST", "/api/widget/csat", visitors, web.SessionBody(c.widget.csat)),
		web.On("POST", "/api/widget/events", visitors, web.SessionBody(c.widget.event)),
		web.On("POST", "/api/widget/page", visitors, web.SessionBody(c.widget.page)),
		web.On("POST", "/api/widget/handoff", visitors, web.SessionBody(c.widget.handOff)),
		web.On("POST", "/api/widget/close", visitors, web.SessionBody(c.widget.close)),
		web.On("POST", "/api/widget/link", visitors, web.SessionBody(c.devices.newLink)),
		web.On("POST", "/api/widget/transcript", visitors, web.SessionBody(c.mail.visitorTranscript)),
		web.On("POST", "/api/widget/conversations", visitors, web.SessionBody(c.devices.conversations)),
		web.On("POST", "/api/widget/resume", visitors, web.Body(c.devices.resume)),
		web.On("GET", "/api/widget/proactive", visitors, c.widget.proactive),
		web.On("POST", "/api/widget/live", open, web.Body(c.widget.live)),
		web.On("POST", "/api/widget/disconnect", headerless, web.SessionBody(c.widget.disconnect)),
	}
}

// conversationRoutes are about conversations and those who answer them.
func (c *community) conversationRoutes() []web.Route {
	operators, administrators := c.accounts.Rules(web.MaxAdminBody)
	inSession, erasers := operators.Within(c.reaches.session), administrators.Within(c.reaches.session)
	operators = operators.Within(web.OwnSites)
	uploads := inSession
	uploads.Body = 0
	return []web.Route{
		web.On("GET", "/api/admin/sessions", operators.Needs(chat.ScopeRead), c.conversations.sessions),
		web.On("POST", "/api/admin/sessions", operators.Needs(chat.ScopeWrite), web.Body(c.conversations.open)),
		web.On("GET", "/api/admin/sessions/{session}", inSession.Needs(chat.ScopeRead), c.conversations.session),
		web.On("PATCH", "/api/admin/sessions/{session}", inSession.Needs(chat.ScopeWrite), web.Body(c.conversations.organise)),
		web.On("POST", "/api/admin/session-changes", operators.Needs(chat.ScopeWrite), web.Body(c.conversations.change)),
		web.On("GET", "/api/admin/live-visitors", operators.Needs(chat.ScopeRead), c.conversations.liveVisitors),
		web.On("POST", "/api/admin/live-visitors/{visitor}/messages", operators.Needs(chat.ScopeWrite), web.Body(c.conversations.writeToLive)),
		web.On("GET", "/api/admin/counts", operators.Needs(chat.ScopeRead), c.conversations.counts),
		web.On("GET", "/api/admin/search", operators.Needs(chat.ScopeRead), c.conversations.search),
		web.On("DELETE", "/api/admin/sessions/{session}", erasers.Needs(chat.ScopeErase), c.conversations.erase),
		web.On("GET", "/api/admin/sessions/{session}/messages", inSession.Needs(chat.ScopeRead), c.conversations.messages),
		web.On("POST", "/api/admin/sessions/{session}/messages", inSession.Needs(chat.ScopeWrite, chat.ScopeNote), web.Body(c.conversations.send)),
		web.On("PATCH", "/api/admin/sessions/{session}/messages/{id}", inSession.Needs(chat.ScopeWrite), web.Body(c.conversations.edit)),
		web.On("DELETE", "/api/admin/sessions/{session}/messages/{id}", inSession.Needs(chat.ScopeErase), c.conversations.delete),
		web.On("GET", "/api/admin/sessions/{session}/export", inSession.Needs(chat.ScopeRead), c.data.exportOne),
		web.On("GET", "/api/admin/sessions/{session}/transcript", inSession.Needs(chat.ScopeRead), c.data.transcript),
		web.On("POST", "/api/admin/sessions/{session}/transcript", inSession.Needs(chat.ScopeWrite), c.mail.transcript),
		web.On("POST", "/api/admin/sessions/{session}/next", inSession.Needs(chat.ScopeWrite), web.Body(c.conversations.beginAnother)),
		web.On("POST", "/api/admin/sessions/{session}/merge", inSession.Needs(chat.ScopeWrite), web.Body(c.conversations.merge)),
		web.On("DELETE", "/api/admin/sessions/{session}/merge", inSession.Needs(chat.ScopeWrite), c.conversations.separate),
		web.On("GET", "/api/admin/sessions/{session}/contact", inSession.Needs(chat.ScopeRead), c.conversations.contact),
		web.On("PATCH", "/api/admin/sessions/{session}/contact", inSession.Needs(chat.ScopeWrite), web.Body(c.conversations.changeContact)),
		web.On("POST", "/api/admin/sessions/{session}/contact/notes", inSession.Needs(chat.ScopeWrite, chat.ScopeNote), web.Body(c.conversations.noteContact)),
		web.On("DELETE", "/api/admin/sessions/{session}/contact/notes/{note}", inSession.Needs(chat.ScopeErase), c.conversations.dropContactNote),
		web.On("GET", "/api/admin/sessions/{session}/mails/{mail}", inSession.Needs(chat.ScopeRead), c.conversations.mail),
		web.On("POST", "/api/admin/sessions/{session}/attachments", uploads.Needs(chat.ScopeWrite, chat.ScopeNote), c.files.adminUpload),
		web.On("POST", "/api/admin/sessions/{session}/commands", inSession.Needs(chat.ScopeWrite, chat.ScopeNote), web.Body(c.conversations.command)),
		web.On("POST", "/api/admin/sessions/{session}/close", inSession.Needs(chat.ScopeWrite), c.conversations.close),
		web.On("POST", "/api/admin/sessions/{session}/reopen", inSession.Needs(chat.ScopeWrite), c.conversations.reopen),
		web.On("POST", "/api/admin/sessions/{session}/block", inSession.Needs(chat.ScopeErase), c.conversations.block),
		web.On("POST", "/api/admin/sessions/{session}/unblock", inSession.Needs(chat.ScopeErase), c.conversations.unblock),
		web.On("POST", "/api/admin/sessions/{session}/read", inSession.Needs(chat.ScopeWrite), web.OptionalBody(c.conversations.read)),
		web.On("POST", "/api/admin/sessions/{session}/unread", inSession.Needs(chat.ScopeWrite), c.conversations.unread),
		web.On("POST", "/api/admin/sessions/{session}/typing", inSession.Needs(chat.ScopeWrite), web.OptionalBody(c.conversations.typing)),
		web.On("POST", "/api/admin/sessions/{session}/csat", inSession.Needs(chat.ScopeWrite), c.conversations.askCSAT),
		web.On("POST", "/api/admin/sessions/{session}/events", inSession.Needs(chat.ScopeWrite), web.Body(c.conversations.event)),
		web.On("GET", "/api/admin/saved-answers", operators.Needs(chat.ScopeRead, chat.ScopeSettings), c.conversations.savedAnswers),
		web.On("PUT", "/api/admin/saved-answers/{name}", operators.Needs(chat.ScopeSettings), web.Body(c.conversations.saveAnswer)),
		web.On("DELETE", "/api/admin/saved-answers/{name}", operators.Needs(chat.ScopeSettings), c.conversations.deleteSavedAnswer),
		web.On("GET", "/api/admin/operator/status", operators.Needs(chat.ScopeRead), c.conversations.presence),
		web.On("POST", "/api/admin/operator/status", operators.Needs(chat.ScopeWrite), web.Body(c.conversations.operatorStatus)),
		web.On("POST", "/api/admin/operator/activity", operators.Needs(chat.ScopeWrite), web.OptionalBody(c.conversations.operatorActivity)),
		web.On("GET", "/api/admin/stream", operators.Needs(chat.ScopeRead), c.operators.stream),
	}
}

// siteRoutes are about the websites.
func (c *community) siteRoutes() []web.Route {
	operators, administrators := c.accounts.Rules(web.MaxAdminBody)
	readers, changers := operators.Within(c.reaches.site), administrators.Within(c.reaches.site)
	keeping, uploads := changers, administrators
	keeping.Access, uploads.Body = web.Lasting(changers.Access), 0
	return []web.Route{
		web.On("GET", "/api/admin/sites", operators.Within(web.OwnSites).Needs(chat.ScopeRead, chat.ScopeSettings), c.sites.list),
		web.On("POST", "/api/admin/sites", administrators.Needs(chat.ScopeSettings), web.Body(c.sites.add)),
		web.On("POST", "/api/admin/site-imports", uploads.Needs(chat.ScopeSettings), c.sites.importSite),
		web.On("GET", "/api/admin/sites/{site}/export", changers.Needs(chat.ScopeErase), c.sites.exportSite),
		web.On("GET", "/api/admin/sites/{site}", readers.Needs(chat.ScopeRead, chat.ScopeSettings), c.sites.site),
		web.On("PATCH", "/api/admin/sites/{site}", changers.Needs(chat.ScopeSettings), web.Body(c.sites.change)),
		web.On("DELETE", "/api/admin/sites/{site}", administrators.Needs(chat.ScopeErase), c.sites.erase),
		web.On("POST", "/api/admin/sites/{site}/key", keeping.NoKeys(), c.sites.rotateKey),
		web.On("GET", "/api/admin/sites/{site}/settings", readers.Needs(chat.ScopeSettings), c.sites.readSettings),
		web.On("PATCH", "/api/admin/sites/{site}/settings", changers.Needs(chat.ScopeSettings), web.Body(c.sites.patchSettings)),
	}
}

// settingRoutes are about settings, channels, numbers and relay's state.
func (c *community) settingRoutes() []web.Route {
	operators, administrators := c.accounts.Rules(web.MaxAdminBody)
	keepingOperators, keepingAdministrators := operators, administrators
	keepingOperators.Access, keepingAdministrators.Access = web.Lasting(operators.Access), web.Lasting(administrators.Access)
	examined, erasers := operators, operators
	examined.Access, erasers.Access = c.accounts.Admission.OperatorOr(isDoctor(c.keys)), web.Administrator(c.accounts.Admission.OperatorOr(isEraser(c.keys)))
	return []web.Route{
		web.On("GET", "/api/admin/settings", operators.Within(web.OwnSites).Needs(chat.ScopeSettings), c.settings.settings),
		web.On("PATCH", "/api/admin/settings", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), web.Body(c.settings.patchSettings)),
		web.On("GET", bridgesPath, examined.Within(web.OwnSites).Needs(chat.ScopeSettings), c.settings.listBridges),
		web.On("POST", "/api/admin/bridges/{name}/test", administrators.Needs(chat.ScopeSettings), web.OptionalBody(c.settings.testBridge)),
		web.On("POST", "/api/admin/bridges/{name}/connect", administrators.Needs(chat.ScopeSettings), web.OptionalBody(c.settings.connectBridge)),
		web.On("DELETE", "/api/admin/bridges/{name}", administrators.Needs(chat.ScopeSettings), c.settings.disconnectBridge),
		web.On("POST", "/api/admin/webhooks/test", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), c.settings.testWebhook),
		web.On("GET", "/api/admin/mail", operators.Within(web.OwnSites).Needs(chat.ScopeSettings), c.mail.state),
		web.On("POST", "/api/admin/mail/test", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), web.Body(c.mail.test)),
		web.On("POST", "/api/admin/mail/round-trip", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), c.mail.roundTrip),
		web.On("POST", consentPath, administrators.NoKeys(), c.mail.askConsent),
		web.On("POST", consentPath+"/redeem", administrators.NoKeys(), web.Body(c.mail.redeemConsent)),
		web.On("GET", "/api/admin/deliveries", administrators.Needs(chat.ScopeSettings), c.deliveries.list),
		web.On("POST", "/api/admin/deliveries/retry", administrators.Needs(chat.ScopeSettings), web.OptionalBody(c.deliveries.retryAll)),
		web.On("POST", "/api/admin/deliveries/{id}/retry", operators.Within(c.reaches.delivery).Needs(chat.ScopeWrite), c.deliveries.retry),
		web.On("POST", "/api/admin/deliveries/discard", administrators.Needs(chat.ScopeSettings), web.Body(c.deliveries.discardAll)),
		web.On("POST", "/api/admin/deliveries/{id}/discard", administrators.Within(c.reaches.delivery).Needs(chat.ScopeSettings), c.deliveries.discard),
		web.On("GET", "/api/admin/widget", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), c.pages.widgetSnippet),
		web.On("GET", "/api/admin/stats", operators.Within(web.OwnSites).Needs(chat.ScopeRead), c.statistics.stats),
		web.On("GET", "/api/admin/statistics", operators.Within(web.OwnSites).Needs(chat.ScopeRead), c.statistics.statistics),
		web.On("GET", "/api/admin/statistics.csv", operators.Within(web.OwnSites).Needs(chat.ScopeRead), c.statistics.statisticsCSV),
		web.On("GET", "/api/admin/export", administrators.Within(web.OwnSites).Needs(chat.ScopeErase), c.data.export),
		web.On("GET", "/api/admin/visitors", administrators.Within(web.OwnSites).Needs(chat.ScopeErase), c.data.findVisitor),
		web.On("GET", "/api/admin/visitors/export", administrators.Within(web.OwnSites).Needs(chat.ScopeErase), c.data.exportVisitor),
		web.On("DELETE", "/api/admin/visitors", erasers.Within(web.OwnSites).Needs(chat.ScopeErase), c.data.eraseVisitor),
		web.On("GET", "/api/admin/push", operators.Within(web.OwnSites).NoKeys(), c.push.devices),
		web.On("POST", "/api/admin/push/devices", keepingOperators.Within(web.OwnSites).NoKeys(), web.Body(c.push.add)),
		web.On("DELETE", "/api/admin/push/devices/{id}", operators.Within(web.OwnSites).NoKeys(), c.push.remove),
		web.On("POST", "/api/admin/push/devices/{id}/test", operators.Within(web.OwnSites).NoKeys(), c.push.test),
		web.On("GET", "/api/admin/system", administrators.Needs(chat.ScopeSettings), c.system.state),
		web.On("GET", "/api/admin/system/backup", administrators.NoKeys(), c.system.sendBackup),
		web.On("POST", "/api/admin/system/backups", administrators.Needs(chat.ScopeSettings), c.system.backUp),
		web.On("GET", "/api/admin/system/backups/{name}", administrators.NoKeys(), c.system.downloadBackup),
		web.On("POST", "/api/admin/keys/rotate", keepingAdministrators.NoKeys(), web.Body(c.system.rotateKey)),
	}
}

// aiRoutes are about the service that the AI uses.
func (c *community) aiRoutes() []web.Route {
	_, administrators := c.accounts.Rules(web.MaxAdminBody)
	return []web.Route{
		web.On("POST", "/api/admin/ai/test", administrators.Needs(chat.ScopeSettings), c.settings.testAI),
		web.On("POST", "/api/admin/ai/ask", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), web.Body(c.settings.askAI)),
		web.On("POST", "/api/admin/ai/private-host", administrators.NoKeys(), web.Body(c.settings.confirmAIHost)),
	}
}

// webhookRoutes are about webhooks beside the first, and incoming ones. No key makes an address at
// which a program may do more than the key itself.
func (c *community) webhookRoutes() []web.Route {
	_, administrators := c.accounts.Rules(web.MaxAdminBody)
	keeping := administrators
	keeping.Access = web.Lasting(administrators.Access)
	ofHook, ofIncoming := administrators.Within(c.reaches.hook).Needs(chat.ScopeSettings), administrators.Within(c.reaches.incomingHook).Needs(chat.ScopeSettings)
	keepingIncoming := keeping.Within(c.reaches.incomingHook).NoKeys()
	return []web.Route{
		web.On("GET", "/api/admin/hooks", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), c.hooks.hooks),
		web.On("POST", "/api/admin/hooks", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), web.Body(c.hooks.add)),
		web.On("PATCH", "/api/admin/hooks/{hook}", ofHook, web.Body(c.hooks.change)),
		web.On("DELETE", "/api/admin/hooks/{hook}", ofHook, c.hooks.end),
		web.On("POST", "/api/admin/hooks/{hook}/test", ofHook, c.hooks.test),
		web.On("GET", "/api/admin/hooks/{hook}/deliveries", ofHook, c.hooks.deliveries),
		web.On("POST", "/api/admin/hooks/{hook}/deliveries/{id}", ofHook, c.hooks.redeliver),
		web.On("GET", "/api/admin/incoming-hooks", administrators.Within(web.OwnSites).Needs(chat.ScopeSettings), c.incoming.list),
		web.On("POST", "/api/admin/incoming-hooks", keeping.Within(web.OwnSites).NoKeys(), web.Body(c.incoming.add)),
		web.On("PATCH", "/api/admin/incoming-hooks/{hook}", keepingIncoming, web.Body(c.incoming.change)),
		web.On("DELETE", "/api/admin/incoming-hooks/{hook}", ofIncoming, c.incoming.end),
		web.On("POST", "/api/admin/incoming-hooks/{hook}/token", keepingIncoming, c.incoming.renew),
	}
}

// fileRoutes are for anyone with a signed link.
func (c *community) fileRoutes() []web.Route {
	file := c.Download(c.files.file)
	return []web.Route{
		web.On("GET", "/files/{id}/{name}", web.Rules{}, file),
		web.On("HEAD", "/files/{id}/{name}", web.Rules{}, file),
	}
}

// pageRoutes are relay's own pages, the files that they load, and the ways to sign in.
func (c *community) pageRoutes() []web.Route {
	pages, forms := web.Rules{Page: true}, web.Rules{Body: web.MaxBody}
	return []web.Route{
		web.On("GET", "/widget.js", pages, web.Page(c.hiding.loader)),
		web.On("GET", "/widget.mjs", pages, web.Page(c.static.widgetLoader)),
		web.On("GET", "/widget.d.mts", pages, web.Page(c.static.widgetLoader)),
		web.On("GET", "/widget/{file}", pages, web.Page(c.static.widgetFile)),
		web.On("GET", "/static/{file}", pages, web.Page(c.static.staticFile)),
		web.On("GET", "/", pages, web.Page(c.pages.home)),
		web.On("POST", "/setup/done", pages, web.Page(c.pages.setupDone)),
		web.On("GET", "/demo", pages, web.Page(c.pages.demo)),
		web.On("GET", chatPath, pages, web.Page(c.pages.chatPage)),
		web.On("GET", chatPath+"/{site}", pages, web.Page(c.pages.chatPage)),
		web.On("GET", chatPath+"/{site}/app.webmanifest", pages, web.Page(c.pages.chatManifest)),
		web.On("GET", linkPath+"{link}", pages, web.Page(c.devices.page)),
		web.On("GET", letterPath+"{letter}", pages, web.Page(c.mail.page)),
		web.On("POST", letterPath+"{letter}", forms, c.mail.stop),
		web.On("POST", letterPath+"{letter}/confirm", forms, c.mail.confirm),
		web.On("GET", "/preview", pages, web.Page(c.pages.preview)),
		web.On("GET", returnPath, pages, web.Page(c.mail.consentPage)),
	}
}

// hookRoutes are for platforms. Each bridge checks its platform's signature.
func hookRoutes(bridges Bridges, prefix string) []web.Route {
	hook := func(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
		bridges.Webhook(web.PathVar(r, "name")).ServeHTTP(w, r)
		return web.Written{}, nil
	}
	return []web.Route{web.On("POST", prefix+"{name}", web.Rules{}, hook)}
}

// openRoutes are for everybody.
func (s *Server) openRoutes() []web.Route {
	return []web.Route{
		web.On("GET", "/health", web.Rules{}, s.health),
		web.On("HEAD", "/health", web.Rules{}, s.health),
		web.On("GET", "/ready", web.Rules{}, s.readiness),
		web.On("HEAD", "/ready", web.Rules{}, s.readiness),
	}
}
