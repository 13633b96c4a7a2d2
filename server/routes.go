package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/limits"
)

// route is one line of the route table: a method and a path, the rules for its
// requests, and the handler. Without a method it handles every request that no line
// above handles, below its path.
type route struct {
	method, path string
	rules
	action action
}

// rules apply to a request before its action, in this order.
type rules struct {
	cors     cors           // for pages of other origins; nil allows none
	filtered bool           // by the User-Agent filter
	page     bool           // opened by browsers: GET includes HEAD, any address is accepted
	queryKey bool           // the key may be in the query
	access   access         // nil admits everybody
	reach    reach          // of people of some sites; nil refuses them
	scopes   chat.KeyScopes // of which an API key needs one; without any no key may
	rate     *limits.Rate   // of requests of one address; nil for none
	body     int64          // the largest body; 0 where the action itself limits it
}

// access identifies the author of a request by its key, or rejects it.
type access func(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error)

// cors lets pages of other origins read the answer, and reports whether the request
// was a preflight, which it has answered.
type cors func(w http.ResponseWriter, r *http.Request) (preflight bool)

// audience is a part of the route table: the routes below a prefix, and the rules for
// the requests there that no route handles.
type audience struct {
	prefix    string
	unmatched rules
	routes    []route
}

// audiences is the route table of community mode. What is asked most often comes first.
func (c *community) audiences() []audience {
	return []audience{
		{"/api/widget/", rules{cors: c.admission.widgetCORS, filtered: true}, c.widgetRoutes()},
		{"/api/admin/", rules{filtered: true}, slices.Concat(c.noting(c.conversationRoutes()), c.siteRoutes(), c.settingRoutes(), c.aiRoutes(), c.webhookRoutes(), c.teamRoutes())},
		{communityHooks, rules{}, hookRoutes(c.bridges, communityHooks)},
		{"/api/", rules{filtered: true}, nil},
		{"", rules{}, slices.Concat(c.programRoutes(), c.fileRoutes(), c.openRoutes(), c.pageRoutes(), c.docs.routes())},
	}
}

// audiences is the route table of bridge mode.
func (b *bridge) audiences() []audience {
	stream := rules{cors: b.backend.streamCORS, filtered: true}
	return []audience{
		{"/api/events/stream", stream, b.streamRoutes()},
		{"/api/", rules{filtered: true}, b.backendRoutes()},
		{bridgeHooks, rules{}, hookRoutes(b.bridges, bridgeHooks)},
		{"", rules{}, slices.Concat(b.fileRoutes(), b.openRoutes(), b.docs.routes(), []route{{"GET", "/", rules{page: true}, pageAction(toDocs)}})},
	}
}

// assemble makes the router and the HTTP server.
func (s *Server) assemble(audiences []audience) {
	s.router, s.table = mux.NewRouter().SkipClean(true), audiences
	for _, a := range audiences {
		sub := s.router.PathPrefix(a.prefix).Subrouter().UseEncodedPath() // ids may have slashes
		sub.NotFoundHandler = s.handle(route{rules: a.unmatched, action: s.unmatched})
		sub.MethodNotAllowedHandler = sub.NotFoundHandler
		for _, rt := range a.routes {
			path := strings.TrimPrefix(rt.path, strings.TrimSuffix(a.prefix, "/"))
			sub.Path(path).Methods(rt.methods()...).Name(rt.path).Handler(s.handle(rt))
		}
	}
	s.handler = s.receiving.notice(s.router)
	s.web = s.HTTPServer()
}

// methods are those that a route accepts: on pages, GET includes HEAD.
func (rt *route) methods() []string {
	if rt.page && rt.method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{rt.method}
}

// widgetRoutes are for pages, which send the public key.
func (c *community) widgetRoutes() []route {
	visitors := rules{cors: c.admission.widgetCORS, filtered: true, access: c.admission.visitor, rate: c.rates.Requests, body: maxBody}
	uploads, headerless, open := visitors, visitors, visitors
	open.rate = c.rates.Live
	uploads.body = 0
	headerless.queryKey = true // browsers call these without headers
	return []route{
		{"POST", "/api/widget/messages", visitors, sessionBody(c.widget.send)},
		{"GET", "/api/widget/stream", headerless, c.visitors.stream},
		{"POST", "/api/widget/init", visitors, c.widget.begin},
		{"GET", "/api/widget/config", visitors, c.widget.config},
		{"GET", "/api/widget/messages", visitors, c.widget.messages},
		{"PATCH", "/api/widget/messages/{id}", visitors, sessionBody(c.widget.edit)},
		{"DELETE", "/api/widget/messages/{id}", visitors, c.widget.delete},
		{"POST", "/api/widget/attachments", uploads, c.files.widgetUpload},
		{"POST", "/api/widget/identify", visitors, body(c.widget.identify)},
		{"POST", "/api/widget/read", visitors, sessionBody(c.widget.read)},
		{"POST", "/api/widget/typing", visitors, sessionBody(c.widget.typing)},
		{"POST", "/api/widget/prechat", visitors, sessionBody(c.widget.preChat)},
		{"POST", "/api/widget/csat", visitors, sessionBody(c.widget.csat)},
		{"POST", "/api/widget/events", visitors, sessionBody(c.widget.event)},
		{"POST", "/api/widget/page", visitors, sessionBody(c.widget.page)},
		{"POST", "/api/widget/handoff", visitors, sessionBody(c.widget.handOff)},
		{"POST", "/api/widget/close", visitors, sessionBody(c.widget.close)},
		{"POST", "/api/widget/link", visitors, sessionBody(c.devices.newLink)},
		{"POST", "/api/widget/conversations", visitors, sessionBody(c.devices.conversations)},
		{"POST", "/api/widget/resume", visitors, body(c.devices.resume)},
		{"GET", "/api/widget/proactive", visitors, c.widget.proactive},
		{"POST", "/api/widget/live", open, body(c.widget.live)},
		{"POST", "/api/widget/disconnect", headerless, sessionBody(c.widget.disconnect)},
	}
}

// operatorRules are for operators and administrators, who send a key or sign in at the
// console.
func (c *community) operatorRules(body int64) (operators, administrators rules) {
	operators = rules{filtered: true, access: c.admission.operator, body: body}
	administrators = operators
	administrators.access = administrator(operators.access)
	return operators, administrators
}

// conversationRoutes are about conversations and those who answer them.
func (c *community) conversationRoutes() []route {
	operators, administrators := c.operatorRules(maxAdminBody)
	inSession, erasers := operators.within(c.reaches.session), administrators.within(c.reaches.session)
	operators = operators.within(ownSites)
	uploads := inSession
	uploads.body = 0
	return []route{
		{"GET", "/api/admin/sessions", operators.needs(chat.ScopeRead), c.conversations.sessions},
		{"POST", "/api/admin/sessions", operators.needs(chat.ScopeWrite), body(c.conversations.open)},
		{"GET", "/api/admin/sessions/{session}", inSession.needs(chat.ScopeRead), c.conversations.session},
		{"PATCH", "/api/admin/sessions/{session}", inSession.needs(chat.ScopeWrite), body(c.conversations.organise)},
		{"POST", "/api/admin/session-changes", operators.needs(chat.ScopeWrite), body(c.conversations.change)},
		{"GET", "/api/admin/live-visitors", operators.needs(chat.ScopeRead), c.conversations.liveVisitors},
		{"POST", "/api/admin/live-visitors/{visitor}/messages", operators.needs(chat.ScopeWrite), body(c.conversations.writeToLive)},
		{"GET", "/api/admin/counts", operators.needs(chat.ScopeRead), c.conversations.counts},
		{"GET", "/api/admin/search", operators.needs(chat.ScopeRead), c.conversations.search},
		{"DELETE", "/api/admin/sessions/{session}", erasers.needs(chat.ScopeErase), c.conversations.erase},
		{"GET", "/api/admin/sessions/{session}/messages", inSession.needs(chat.ScopeRead), c.conversations.messages},
		{"POST", "/api/admin/sessions/{session}/messages", inSession.needs(chat.ScopeWrite, chat.ScopeNote), body(c.conversations.send)},
		{"PATCH", "/api/admin/sessions/{session}/messages/{id}", inSession.needs(chat.ScopeWrite), body(c.conversations.edit)},
		{"DELETE", "/api/admin/sessions/{session}/messages/{id}", inSession.needs(chat.ScopeErase), c.conversations.delete},
		{"GET", "/api/admin/sessions/{session}/export", inSession.needs(chat.ScopeRead), c.data.exportOne},
		{"GET", "/api/admin/sessions/{session}/transcript", inSession.needs(chat.ScopeRead), c.data.transcript},
		{"POST", "/api/admin/sessions/{session}/next", inSession.needs(chat.ScopeWrite), body(c.conversations.beginAnother)},
		{"GET", "/api/admin/sessions/{session}/contact", inSession.needs(chat.ScopeRead), c.conversations.contact},
		{"PATCH", "/api/admin/sessions/{session}/contact", inSession.needs(chat.ScopeWrite), body(c.conversations.changeContact)},
		{"POST", "/api/admin/sessions/{session}/contact/notes", inSession.needs(chat.ScopeWrite, chat.ScopeNote), body(c.conversations.noteContact)},
		{"DELETE", "/api/admin/sessions/{session}/contact/notes/{note}", inSession.needs(chat.ScopeErase), c.conversations.dropContactNote},
		{"GET", "/api/admin/sessions/{session}/mails/{mail}", inSession.needs(chat.ScopeRead), c.conversations.mail},
		{"POST", "/api/admin/sessions/{session}/attachments", uploads.needs(chat.ScopeWrite, chat.ScopeNote), c.files.adminUpload},
		{"POST", "/api/admin/sessions/{session}/commands", inSession.needs(chat.ScopeWrite, chat.ScopeNote), body(c.conversations.command)},
		{"POST", "/api/admin/sessions/{session}/close", inSession.needs(chat.ScopeWrite), c.conversations.close},
		{"POST", "/api/admin/sessions/{session}/reopen", inSession.needs(chat.ScopeWrite), c.conversations.reopen},
		{"POST", "/api/admin/sessions/{session}/block", inSession.needs(chat.ScopeErase), c.conversations.block},
		{"POST", "/api/admin/sessions/{session}/unblock", inSession.needs(chat.ScopeErase), c.conversations.unblock},
		{"POST", "/api/admin/sessions/{session}/read", inSession.needs(chat.ScopeWrite), optionalBody(c.conversations.read)},
		{"POST", "/api/admin/sessions/{session}/unread", inSession.needs(chat.ScopeWrite), c.conversations.unread},
		{"POST", "/api/admin/sessions/{session}/typing", inSession.needs(chat.ScopeWrite), optionalBody(c.conversations.typing)},
		{"POST", "/api/admin/sessions/{session}/csat", inSession.needs(chat.ScopeWrite), c.conversations.askCSAT},
		{"POST", "/api/admin/sessions/{session}/events", inSession.needs(chat.ScopeWrite), body(c.conversations.event)},
		{"GET", "/api/admin/saved-answers", operators.needs(chat.ScopeRead, chat.ScopeSettings), c.conversations.savedAnswers},
		{"PUT", "/api/admin/saved-answers/{name}", operators.needs(chat.ScopeSettings), body(c.conversations.saveAnswer)},
		{"DELETE", "/api/admin/saved-answers/{name}", operators.needs(chat.ScopeSettings), c.conversations.deleteSavedAnswer},
		{"GET", "/api/admin/operator/status", operators.needs(chat.ScopeRead), c.conversations.presence},
		{"POST", "/api/admin/operator/status", operators.needs(chat.ScopeWrite), body(c.conversations.operatorStatus)},
		{"POST", "/api/admin/operator/activity", operators.needs(chat.ScopeWrite), optionalBody(c.conversations.operatorActivity)},
		{"GET", "/api/admin/stream", operators.needs(chat.ScopeRead), c.operators.stream},
	}
}

// siteRoutes are about the websites.
func (c *community) siteRoutes() []route {
	operators, administrators := c.operatorRules(maxAdminBody)
	readers, changers := operators.within(c.reaches.site), administrators.within(c.reaches.site)
	keeping, uploads := changers, administrators
	keeping.access, uploads.body = lasting(changers.access), 0
	return []route{
		{"GET", "/api/admin/sites", operators.within(ownSites).needs(chat.ScopeRead, chat.ScopeSettings), c.sites.list},
		{"POST", "/api/admin/sites", administrators.needs(chat.ScopeSettings), body(c.sites.add)},
		{"POST", "/api/admin/site-imports", uploads.needs(chat.ScopeSettings), c.sites.importSite},
		{"GET", "/api/admin/sites/{site}/export", changers.needs(chat.ScopeErase), c.sites.exportSite},
		{"GET", "/api/admin/sites/{site}", readers.needs(chat.ScopeRead, chat.ScopeSettings), c.sites.site},
		{"PATCH", "/api/admin/sites/{site}", changers.needs(chat.ScopeSettings), body(c.sites.change)},
		{"DELETE", "/api/admin/sites/{site}", administrators.needs(chat.ScopeErase), c.sites.erase},
		{"POST", "/api/admin/sites/{site}/key", keeping.noKeys(), c.sites.rotateKey},
		{"GET", "/api/admin/sites/{site}/settings", readers.needs(chat.ScopeSettings), c.sites.readSettings},
		{"PATCH", "/api/admin/sites/{site}/settings", changers.needs(chat.ScopeSettings), body(c.sites.patchSettings)},
	}
}

// settingRoutes are about settings, channels, numbers and relay's state.
func (c *community) settingRoutes() []route {
	operators, administrators := c.operatorRules(maxAdminBody)
	keepingOperators, keepingAdministrators := operators, administrators
	keepingOperators.access, keepingAdministrators.access = lasting(operators.access), lasting(administrators.access)
	examined, erasers := operators, operators
	examined.access, erasers.access = c.admission.operatorOr(c.admission.isDoctor), administrator(c.admission.operatorOr(c.admission.isEraser))
	return []route{
		{"GET", "/api/admin/settings", operators.within(ownSites).needs(chat.ScopeSettings), c.settings.settings},
		{"PATCH", "/api/admin/settings", administrators.within(ownSites).needs(chat.ScopeSettings), body(c.settings.patchSettings)},
		{"GET", bridgesPath, examined.within(ownSites).needs(chat.ScopeSettings), c.settings.listBridges},
		{"POST", "/api/admin/bridges/{name}/test", administrators.needs(chat.ScopeSettings), optionalBody(c.settings.testBridge)},
		{"POST", "/api/admin/bridges/{name}/connect", administrators.needs(chat.ScopeSettings), optionalBody(c.settings.connectBridge)},
		{"DELETE", "/api/admin/bridges/{name}", administrators.needs(chat.ScopeSettings), c.settings.disconnectBridge},
		{"POST", "/api/admin/webhooks/test", administrators.within(ownSites).needs(chat.ScopeSettings), c.settings.testWebhook},
		{"GET", "/api/admin/mail", operators.within(ownSites).needs(chat.ScopeSettings), c.mail.state},
		{"POST", "/api/admin/mail/test", administrators.within(ownSites).needs(chat.ScopeSettings), body(c.mail.test)},
		{"POST", "/api/admin/mail/round-trip", administrators.within(ownSites).needs(chat.ScopeSettings), c.mail.roundTrip},
		{"POST", consentPath, administrators.noKeys(), c.mail.askConsent},
		{"POST", consentPath + "/redeem", administrators.noKeys(), body(c.mail.redeemConsent)},
		{"POST", "/api/admin/sign-on/test", administrators.noKeys(), c.signOn.test},
		{"GET", "/api/admin/deliveries", administrators.needs(chat.ScopeSettings), c.deliveries.list},
		{"POST", "/api/admin/deliveries/retry", administrators.needs(chat.ScopeSettings), optionalBody(c.deliveries.retryAll)},
		{"POST", "/api/admin/deliveries/{id}/retry", operators.within(c.reaches.delivery).needs(chat.ScopeWrite), c.deliveries.retry},
		{"POST", "/api/admin/deliveries/discard", administrators.needs(chat.ScopeSettings), body(c.deliveries.discardAll)},
		{"POST", "/api/admin/deliveries/{id}/discard", administrators.within(c.reaches.delivery).needs(chat.ScopeSettings), c.deliveries.discard},
		{"POST", "/api/admin/widget/look", administrators.within(ownSites).needs(chat.ScopeSettings), body(c.knowledge.proposeLook)},
		{"GET", "/api/admin/widget", administrators.within(ownSites).needs(chat.ScopeSettings), c.pages.widgetSnippet},
		{"GET", "/api/admin/stats", operators.within(ownSites).needs(chat.ScopeRead), c.statistics.stats},
		{"GET", "/api/admin/statistics", operators.within(ownSites).needs(chat.ScopeRead), c.statistics.statistics},
		{"GET", "/api/admin/statistics.csv", operators.within(ownSites).needs(chat.ScopeRead), c.statistics.statisticsCSV},
		{"GET", "/api/admin/export", administrators.within(ownSites).needs(chat.ScopeErase), c.data.export},
		{"GET", "/api/admin/visitors", administrators.within(ownSites).needs(chat.ScopeErase), c.data.findVisitor},
		{"GET", "/api/admin/visitors/export", administrators.within(ownSites).needs(chat.ScopeErase), c.data.exportVisitor},
		{"DELETE", "/api/admin/visitors", erasers.within(ownSites).needs(chat.ScopeErase), c.data.eraseVisitor},
		{"GET", "/api/admin/push", operators.within(ownSites).noKeys(), c.push.devices},
		{"POST", "/api/admin/push/devices", keepingOperators.within(ownSites).noKeys(), body(c.push.add)},
		{"DELETE", "/api/admin/push/devices/{id}", operators.within(ownSites).noKeys(), c.push.remove},
		{"POST", "/api/admin/push/devices/{id}/test", operators.within(ownSites).noKeys(), c.push.test},
		{"GET", "/api/admin/system", administrators.needs(chat.ScopeSettings), c.system.state},
		{"GET", "/api/admin/system/backup", administrators.noKeys(), c.system.sendBackup},
		{"POST", "/api/admin/system/backups", administrators.needs(chat.ScopeSettings), c.system.backUp},
		{"GET", "/api/admin/system/backups/{name}", administrators.noKeys(), c.system.downloadBackup},
		{"POST", "/api/admin/keys/rotate", keepingAdministrators.noKeys(), body(c.system.rotateKey)},
	}
}

// webhookRoutes are about webhooks beside the first, and incoming ones. No key makes an address at
// which a program may do more than the key itself.
func (c *community) webhookRoutes() []route {
	_, administrators := c.operatorRules(maxAdminBody)
	keeping := administrators
	keeping.access = lasting(administrators.access)
	ofHook, ofIncoming := administrators.within(c.reaches.hook).needs(chat.ScopeSettings), administrators.within(c.reaches.incomingHook).needs(chat.ScopeSettings)
	keepingIncoming := keeping.within(c.reaches.incomingHook).noKeys()
	return []route{
		{"GET", "/api/admin/hooks", administrators.within(ownSites).needs(chat.ScopeSettings), c.hooks.hooks},
		{"POST", "/api/admin/hooks", administrators.within(ownSites).needs(chat.ScopeSettings), body(c.hooks.add)},
		{"PATCH", "/api/admin/hooks/{hook}", ofHook, body(c.hooks.change)},
		{"DELETE", "/api/admin/hooks/{hook}", ofHook, c.hooks.end},
		{"POST", "/api/admin/hooks/{hook}/test", ofHook, c.hooks.test},
		{"GET", "/api/admin/hooks/{hook}/deliveries", ofHook, c.hooks.deliveries},
		{"POST", "/api/admin/hooks/{hook}/deliveries/{id}", ofHook, c.hooks.redeliver},
		{"GET", "/api/admin/incoming-hooks", administrators.within(ownSites).needs(chat.ScopeSettings), c.incoming.list},
		{"POST", "/api/admin/incoming-hooks", keeping.within(ownSites).noKeys(), body(c.incoming.add)},
		{"PATCH", "/api/admin/incoming-hooks/{hook}", keepingIncoming, body(c.incoming.change)},
		{"DELETE", "/api/admin/incoming-hooks/{hook}", ofIncoming, c.incoming.end},
		{"POST", "/api/admin/incoming-hooks/{hook}/token", keepingIncoming, c.incoming.renew},
	}
}

// teamRoutes are about the people who answer and administer.
func (c *community) teamRoutes() []route {
	operators, administrators := c.operatorRules(maxBody)
	operators, administrators = operators.within(ownSites), administrators.within(ownSites)
	keepers, makers, faces := operators, operators, operators
	keepers.access, makers.access, faces.body = lasting(administrators.access), lasting(operators.access), maxFaceBytes
	managers := keepers.within(c.reaches.person)
	return []route{
		{"GET", "/api/admin/me", operators.needs(chat.AllScopes...), c.team.me},
		{"PATCH", "/api/admin/me", operators.noKeys(), body(c.team.patchMe)},
		{"PUT", "/api/admin/me/face", faces.noKeys(), c.team.putFace},
		{"DELETE", "/api/admin/me/face", operators.noKeys(), c.team.deleteFace},
		{"GET", "/api/admin/sign-ins", operators.noKeys(), c.team.listSignIns},
		{"DELETE", "/api/admin/sign-ins", operators.noKeys(), c.team.endOtherSignIns},
		{"DELETE", "/api/admin/sign-ins/{id}", operators.noKeys(), c.team.endSignIn},
		{"GET", "/api/admin/passkeys", operators.noKeys(), c.passkeys.passkeys},
		{"POST", "/api/admin/passkeys", operators.noKeys(), c.passkeys.addPasskey},
		{"POST", "/api/admin/passkey-challenge", operators.noKeys(), c.passkeys.newPasskey},
		{"PATCH", "/api/admin/passkeys/{id}", operators.noKeys(), c.passkeys.renamePasskey},
		{"DELETE", "/api/admin/passkeys/{id}", operators.noKeys(), c.passkeys.removePasskey},
		{"GET", "/api/admin/two-step", operators.noKeys(), c.team.twoStep},
		{"POST", "/api/admin/two-step", operators.noKeys(), body(c.team.beginTwoStep)},
		{"POST", "/api/admin/two-step/confirm", operators.noKeys(), body(c.team.confirmTwoStep)},
		{"POST", "/api/admin/two-step/recovery-codes", operators.noKeys(), body(c.team.renewRecovery)},
		{"POST", "/api/admin/two-step/off", operators.noKeys(), body(c.team.endTwoStep)},
		{"GET", "/api/admin/people", operators.needs(chat.ScopeRead, chat.ScopePeople), c.team.people},
		{"POST", "/api/admin/people", keepers.needs(chat.ScopePeople), body(c.team.addPerson)},
		{"PATCH", "/api/admin/people/{id}", managers.needs(chat.ScopePeople), body(c.team.patchPerson)},
		{"DELETE", "/api/admin/people/{id}", managers.needs(chat.ScopePeople), c.team.removePerson},
		{"POST", "/api/admin/people/{id}/reset", managers.needs(chat.ScopePeople), c.team.resetPassword},
		{"DELETE", "/api/admin/people/{id}/two-step", managers.needs(chat.ScopePeople), c.team.takeTwoStep},
		{"GET", "/api/admin/invitations", administrators.needs(chat.ScopePeople), c.team.invitations},
		{"POST", "/api/admin/invitations", keepers.needs(chat.ScopePeople), body(c.team.invite)},
		{"POST", "/api/admin/invitations/{id}/mail", keepers.needs(chat.ScopePeople), c.team.mailInvitation},
		{"DELETE", "/api/admin/invitations/{id}", administrators.needs(chat.ScopePeople), c.team.withdraw},
		{"GET", "/api/admin/api-keys", operators.needs(chat.ScopePeople), c.team.listKeys},
		{"POST", "/api/admin/api-keys", makers.needs(chat.ScopePeople), body(c.team.addKey)},
		{"DELETE", "/api/admin/api-keys/{key}", operators.needs(chat.ScopePeople), c.team.endKey},
		{"GET", "/api/admin/audit", administrators.needs(chat.ScopePeople), c.team.auditList},
	}
}

// fileRoutes are for anyone with a signed link.
func (c *community) fileRoutes() []route {
	file := c.download(c.files.file)
	return []route{
		{"GET", "/files/{id}/{name}", rules{}, file},
		{"HEAD", "/files/{id}/{name}", rules{}, file},
		{"GET", "/faces/{id}", rules{}, c.team.face},
		{"HEAD", "/faces/{id}", rules{}, c.team.face},
		{"GET", chat.PicturesPath + "{site}", rules{}, c.team.picture},
		{"HEAD", chat.PicturesPath + "{site}", rules{}, c.team.picture},
	}
}

// pageRoutes are relay's own pages, the files that they load, and the ways to sign in.
func (c *community) pageRoutes() []route {
	pages, forms := rules{page: true}, rules{body: maxBody}
	return []route{
		{"GET", "/widget.js", pages, pageAction(c.hiding.loader)},
		{"GET", "/widget.mjs", pages, pageAction(c.static.widgetLoader)},
		{"GET", "/widget.d.mts", pages, pageAction(c.static.widgetLoader)},
		{"GET", "/widget/{file}", pages, pageAction(c.static.widgetFile)},
		{"GET", "/static/{file}", pages, pageAction(c.static.staticFile)},
		{"GET", "/", pages, pageAction(c.pages.home)},
		{"POST", "/setup/done", pages, pageAction(c.pages.setupDone)},
		{"GET", "/demo", pages, pageAction(c.pages.demo)},
		{"GET", chatPath, pages, pageAction(c.pages.chatPage)},
		{"GET", chatPath + "/{site}", pages, pageAction(c.pages.chatPage)},
		{"GET", chatPath + "/{site}/app.webmanifest", pages, pageAction(c.pages.chatManifest)},
		{"GET", linkPath + "{link}", pages, pageAction(c.devices.page)},
		{"GET", letterPath + "{letter}", pages, pageAction(c.mail.page)},
		{"POST", letterPath + "{letter}", forms, c.mail.stop},
		{"POST", letterPath + "{letter}/confirm", forms, c.mail.confirm},
		{"GET", "/preview", pages, pageAction(c.pages.preview)},
		{"GET", "/console", pages, pageAction(c.console.console)},
		{"POST", "/console/login", pages, pageAction(c.console.login)},
		{"POST", "/console/code", pages, pageAction(c.console.code)},
		{"POST", "/console/logout", pages, pageAction(c.console.logout)},
		{"GET", returnPath, pages, pageAction(c.mail.consentPage)},
		{"GET", signOnPath, pages, pageAction(c.signOn.begin)},
		{"GET", signOnReturn, pages, pageAction(c.signOn.finish)},
		{"GET", "/console/invitation", pages, pageAction(c.console.invitationPage)},
		{"POST", "/console/invitation/check", forms, c.console.checkInvitation},
		{"POST", "/console/invitation/accept", forms, c.console.acceptInvitation},
		{"POST", "/console/passkey/challenge", forms, c.passkeys.askPasskey},
		{"POST", "/console/passkey/sign-in", forms, c.passkeys.passkeyLogin},
	}
}

// hookRoutes are for platforms. Each bridge checks its platform's signature.
func hookRoutes(bridges Bridges, prefix string) []route {
	hook := func(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
		bridges.Webhook(pathVar(r, "name")).ServeHTTP(w, r)
		return written{}, nil
	}
	return []route{{"POST", prefix + "{name}", rules{}, hook}}
}

// openRoutes are for everybody.
func (s *Server) openRoutes() []route {
	return []route{
		{"GET", "/health", rules{}, s.health},
		{"HEAD", "/health", rules{}, s.health},
		{"GET", "/ready", rules{}, s.readiness},
		{"HEAD", "/ready", rules{}, s.readiness},
	}
}

// pageAction makes an action of the handler of a page.
func pageAction(h http.HandlerFunc) action {
	return func(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
		h(w, r)
		return written{}, nil
	}
}
