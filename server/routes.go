package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/relay-chat/relay/server/chat"
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
	cors     cors   // for pages of other origins; nil allows none
	filtered bool   // by the User-Agent filter
	page     bool   // opened by browsers: GET includes HEAD, any address is accepted
	queryKey bool   // the key may be in the query
	access   access // nil admits everybody
	rate     *rate  // of requests of one address; nil for none
	body     int64  // the largest body; 0 where the action itself limits it
}

// access identifies the author of a request by its key, or rejects it.
type access func(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error)

// cors lets pages of other origins read the answer, and reports whether the request
// was a preflight, which it has answered.
type cors func(w http.ResponseWriter, r *http.Request) (preflight bool)

// routes is the route table of the community server.
func (s *communityServer) routes() []route {
	return slices.Concat(s.widgetRoutes(), s.openRoutes(), s.hookRoutes(communityHooks), s.fileRoutes(), s.adminRoutes(), s.teamRoutes(),
		s.pageRoutes(), s.documentRoutes(), []route{
			{"", "/api/widget/", rules{cors: s.widgetCORS, filtered: true}, s.unmatched},
			{"", communityHooks, rules{}, s.unmatched},
			{"", "/api/", rules{filtered: true}, s.unmatched},
			{"", "", rules{}, s.unmatched},
		})
}

// routes is the route table of the bridge server.
func (s *bridgeServer) routes() []route {
	return slices.Concat(s.backendRoutes(), s.openRoutes(), s.hookRoutes(bridgeHooks), s.documentRoutes(), []route{
		{"GET", "/", rules{page: true}, pageAction(toDocs)},
		{"", "/api/events/stream", rules{cors: s.streamCORS, filtered: true}, s.unmatched},
		{"", "/api/", rules{filtered: true}, s.unmatched},
		{"", "", rules{}, s.unmatched},
	})
}

// assemble makes the router and the HTTP server. The router asks one route after the other, so
// the most frequent ones come first.
func (s *Server) assemble(routes []route) {
	m := mux.NewRouter().SkipClean(true).UseEncodedPath()
	s.router = m
	for _, rt := range routes {
		switch on := at(m, rt); {
		case rt.method == "":
			on.Handler(s.handle(rt))
		case rt.page:
			on.Methods(withHead(rt.method)...).Handler(s.handle(rt))
		default:
			on.Methods(rt.method).Handler(s.handle(rt))
		}
	}
	s.handler = s.receiving.notice(m)
	s.web = s.HTTPServer()
}

// at adds a route, named by its path if it has a method. Paths are compared as
// strings: mux compiles a regular expression for every path, which is slow at each
// start, and at each request.
func at(m *mux.Router, rt route) *mux.Route {
	switch {
	case rt.method == "":
		return m.MatcherFunc(func(r *http.Request, _ *mux.RouteMatch) bool { return strings.HasPrefix(r.URL.Path, rt.path) })
	case strings.Contains(rt.path, "{"):
		return m.NewRoute().Name(rt.path).MatcherFunc(withVariables(rt.path))
	}
	exact := func(r *http.Request, _ *mux.RouteMatch) bool { return r.URL.Path == rt.path && r.URL.RawPath == "" }
	return m.NewRoute().Name(rt.path).MatcherFunc(exact)
}

// withVariables matches the addresses of a path like "/files/{id}/{name}". A variable
// is what stands between two slashes, encoded as it was sent.
func withVariables(path string) mux.MatcherFunc {
	fixed, _, _ := strings.Cut(path, "{")
	parts := strings.Split(path, "/")
	return func(r *http.Request, match *mux.RouteMatch) bool {
		if !strings.HasPrefix(r.URL.Path, fixed) {
			return false
		}
		given := strings.Split(r.URL.EscapedPath(), "/")
		if len(given) != len(parts) {
			return false
		}
		for i, part := range parts {
			if variable(part) == "" && part != given[i] || variable(part) != "" && given[i] == "" {
				return false
			}
		}
		match.Vars = map[string]string{}
		for i, part := range parts {
			if name := variable(part); name != "" {
				match.Vars[name] = given[i]
			}
		}
		return true
	}
}

// variable returns the name in "{name}", "" of another part of a path.
func variable(part string) string {
	if name, found := strings.CutPrefix(part, "{"); found {
		return strings.TrimSuffix(name, "}")
	}
	return ""
}

// methodsAt lists the methods that the router accepts at a request's address.
func (s *Server) methodsAt(r *http.Request) (list []string) {
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		asked := r.WithContext(r.Context()) // a copy
		asked.Method = method
		var match mux.RouteMatch
		if s.router.Match(asked, &match) && match.Route.GetName() != "" {
			list = append(list, method)
		}
	}
	return list
}

// backendRoutes are for the website's own backend, which sends API_KEY.
func (s *bridgeServer) backendRoutes() []route {
	backends := rules{filtered: true, access: s.backend, body: maxAdminBody}
	stream := backends
	stream.cors = s.streamCORS
	return []route{
		{"POST", "/api/messages", backends, jsonRoute(decoded(s.handleMessage))},
		{"POST", "/api/sessions", backends, jsonRoute(decoded(s.handleNewSessionObject))},
		{"POST", "/api/operator/status", backends, jsonRoute(decoded(s.handleStatus))},
		{"POST", "/api/custom-events", backends, jsonRoute(decoded(s.handleCustomEvent))},
		{"POST", "/api/disconnect", backends, jsonRoute(decoded(s.handleLeft))},
		{"POST", "/api/events", backends, s.backendEvent()},
		{"GET", "/api/events/stream", stream, s.eventStream},
		{"GET", "/api/stats", backends, s.stats},
		{"GET", "/files/{token}", rules{}, s.download(s.sealedFile)},
		{"HEAD", "/files/{token}", rules{}, s.download(s.sealedFile)},
	}
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

// fileRoutes are for anyone with a signed link.
func (s *communityServer) fileRoutes() []route {
	return []route{
		{"GET", "/files/{id}/{name}", rules{}, s.download(s.file)},
		{"HEAD", "/files/{id}/{name}", rules{}, s.download(s.file)},
	}
}

// widgetRoutes are for pages, which send the public key.
func (s *communityServer) widgetRoutes() []route {
	visitors := rules{cors: s.widgetCORS, filtered: true, access: s.visitor, rate: s.rates.requests, body: maxBody}
	uploads, headerless := visitors, visitors
	uploads.body = 0
	headerless.queryKey = true // browsers call these without headers
	return []route{
		{"POST", "/api/widget/messages", visitors, s.widgetSend},
		{"GET", "/api/widget/stream", headerless, s.widgetStream},
		{"POST", "/api/widget/init", visitors, s.widgetInit},
		{"GET", "/api/widget/config", visitors, s.widgetSettings},
		{"GET", "/api/widget/messages", visitors, s.widgetHistory},
		{"PATCH", "/api/widget/messages/{id}", visitors, s.widgetEdit},
		{"DELETE", "/api/widget/messages/{id}", visitors, s.widgetDelete},
		{"POST", "/api/widget/attachments", uploads, s.widgetUpload},
		{"POST", "/api/widget/identify", visitors, s.widgetIdentify},
		{"POST", "/api/widget/read", visitors, s.widgetRead},
		{"POST", "/api/widget/typing", visitors, s.widgetTyping},
		{"POST", "/api/widget/prechat", visitors, s.widgetPreChat},
		{"POST", "/api/widget/csat", visitors, s.widgetCSAT},
		{"POST", "/api/widget/events", visitors, s.widgetEvent},
		{"POST", "/api/widget/page", visitors, s.widgetPage},
		{"POST", "/api/widget/handoff", visitors, s.handOff},
		{"POST", "/api/widget/close", visitors, s.widgetClose},
		{"GET", "/api/widget/proactive", visitors, s.widgetProactive},
		{"POST", "/api/widget/disconnect", headerless, s.widgetDisconnect},
	}
}

// adminRoutes are for operators, who send the secret key or sign in at the
// console.
func (s *communityServer) adminRoutes() []route {
	operators := rules{filtered: true, access: s.operator, body: maxAdminBody}
	administrators := operators
	administrators.access = s.administrator
	return slices.Concat(s.sessionRoutes(operators, administrators), s.siteRoutes(operators, administrators))
}

// sessionRoutes are about conversations and those who answer them.
func (s *communityServer) sessionRoutes(operators, administrators rules) []route {
	uploads := operators
	uploads.body = 0
	return []route{
		{"GET", "/api/admin/sessions", operators, s.sessions},
		{"GET", "/api/admin/sessions/{session}", operators, s.session},
		{"PATCH", "/api/admin/sessions/{session}", operators, s.organise},
		{"GET", "/api/admin/counts", operators, s.counts},
		{"GET", "/api/admin/search", operators, s.search},
		{"DELETE", "/api/admin/sessions/{session}", administrators, s.erase},
		{"GET", "/api/admin/sessions/{session}/messages", operators, s.adminHistory},
		{"POST", "/api/admin/sessions/{session}/messages", operators, s.adminSend},
		{"PATCH", "/api/admin/sessions/{session}/messages/{id}", operators, s.adminEdit},
		{"DELETE", "/api/admin/sessions/{session}/messages/{id}", operators, s.adminDelete},
		{"POST", "/api/admin/sessions/{session}/attachments", uploads, s.adminUpload},
		{"POST", "/api/admin/sessions/{session}/commands", operators, s.command},
		{"POST", "/api/admin/sessions/{session}/close", operators, s.closeSession},
		{"POST", "/api/admin/sessions/{session}/reopen", operators, s.reopenSession},
		{"POST", "/api/admin/sessions/{session}/block", operators, s.blockSession},
		{"POST", "/api/admin/sessions/{session}/unblock", operators, s.unblockSession},
		{"POST", "/api/admin/sessions/{session}/read", operators, s.adminRead},
		{"POST", "/api/admin/sessions/{session}/typing", operators, s.adminTyping},
		{"POST", "/api/admin/sessions/{session}/csat", operators, s.askCSAT},
		{"POST", "/api/admin/sessions/{session}/events", operators, s.adminEvent},
		{"GET", "/api/admin/saved-answers", operators, s.savedAnswers},
		{"PUT", "/api/admin/saved-answers/{name}", operators, s.saveAnswer},
		{"DELETE", "/api/admin/saved-answers/{name}", operators, s.deleteSavedAnswer},
		{"GET", "/api/admin/operator/status", operators, s.presence},
		{"POST", "/api/admin/operator/status", operators, s.operatorStatus},
		{"POST", "/api/admin/operator/activity", operators, s.operatorActivity},
	}
}

// siteRoutes are about the site: its settings, channels, knowledge, numbers and state.
func (s *communityServer) siteRoutes(operators, administrators rules) []route {
	keepingOperators, keepingAdministrators := operators, administrators
	keepingOperators.access, keepingAdministrators.access = lasting(operators.access), lasting(administrators.access)
	files, examined, erasers := administrators, operators, operators
	files.body = 0
	examined.access, erasers.access = s.operatorOrDoctor, s.administratorOrCommand
	return []route{
		{"GET", "/api/admin/settings", operators, s.settings},
		{"PATCH", "/api/admin/settings", administrators, s.patchSettings},
		{"GET", bridgesPath, examined, s.listBridges},
		{"POST", "/api/admin/bridges/{name}/test", administrators, s.testBridge},
		{"POST", "/api/admin/bridges/{name}/connect", administrators, s.connectBridge},
		{"DELETE", "/api/admin/bridges/{name}", administrators, s.disconnectBridge},
		{"GET", "/api/admin/deliveries", administrators, s.deliveries},
		{"POST", "/api/admin/deliveries/retry", administrators, s.retryDeliveries},
		{"POST", "/api/admin/deliveries/{id}/retry", operators, s.retryDelivery},
		{"POST", "/api/admin/deliveries/discard", administrators, s.discardDeliveries},
		{"POST", "/api/admin/deliveries/{id}/discard", administrators, s.discardDelivery},
		{"POST", "/api/admin/webhooks/test", administrators, s.testWebhook},
		{"POST", "/api/admin/ai/test", administrators, s.testAI},
		{"POST", "/api/admin/ai/private-host", administrators, s.confirmAIHost},
		{"GET", "/api/admin/knowledge", operators, s.knowledgeSources},
		{"POST", "/api/admin/knowledge", administrators, s.addKnowledge},
		{"POST", "/api/admin/knowledge/files", files, s.addKnowledgeFile},
		{"GET", "/api/admin/knowledge/search", operators, s.searchKnowledge},
		{"GET", "/api/admin/knowledge/questions", operators, s.knowledgeQuestions},
		{"DELETE", "/api/admin/knowledge/questions/{id}", administrators, s.dropQuestion},
		{"POST", "/api/admin/knowledge/questions/{id}/answer", administrators, s.answerQuestion},
		{"GET", "/api/admin/knowledge/sources/{id}", operators, s.knowledgeSource},
		{"DELETE", "/api/admin/knowledge/sources/{id}", administrators, s.removeKnowledge},
		{"POST", "/api/admin/knowledge/sources/{id}/refresh", administrators, s.refreshKnowledge},
		{"GET", "/api/admin/widget", administrators, s.widgetSnippet},
		{"POST", "/api/admin/widget/look", administrators, s.proposeLook},
		{"GET", "/api/admin/stats", operators, s.stats},
		{"GET", "/api/admin/statistics", operators, s.statistics},
		{"GET", "/api/admin/statistics.csv", operators, s.statisticsCSV},
		{"GET", "/api/admin/export", administrators, s.export},
		{"GET", "/api/admin/visitors", administrators, s.findVisitor},
		{"GET", "/api/admin/visitors/export", administrators, s.exportVisitor},
		{"DELETE", "/api/admin/visitors", erasers, s.eraseVisitor},
		{"GET", "/api/admin/push", operators, s.pushDevices},
		{"POST", "/api/admin/push/devices", keepingOperators, s.addPushDevice},
		{"DELETE", "/api/admin/push/devices/{id}", operators, s.removePushDevice},
		{"POST", "/api/admin/push/devices/{id}/test", operators, s.testPushDevice},
		{"GET", "/api/admin/system", administrators, s.systemState},
		{"GET", "/api/admin/system/backup", administrators, s.sendBackup},
		{"POST", "/api/admin/system/backups", administrators, s.backUp},
		{"GET", "/api/admin/system/backups/{name}", administrators, s.downloadBackup},
		{"POST", "/api/admin/keys/rotate", keepingAdministrators, s.rotateKey},
		{"GET", "/api/admin/stream", operators, s.adminStream},
	}
}

// teamRoutes are about the people who answer and administer.
func (s *communityServer) teamRoutes() []route {
	operators := rules{filtered: true, access: s.operator, body: maxBody}
	administrators, keepers, faces := operators, operators, operators
	administrators.access, keepers.access = s.administrator, lasting(s.administrator)
	faces.body = maxFaceBytes
	return []route{
		{"GET", "/api/admin/me", operators, s.me},
		{"PATCH", "/api/admin/me", operators, s.patchMe},
		{"PUT", "/api/admin/me/face", faces, s.putFace},
		{"DELETE", "/api/admin/me/face", operators, s.deleteFace},
		{"GET", "/api/admin/sign-ins", operators, s.signIns},
		{"DELETE", "/api/admin/sign-ins", operators, s.endOtherSignIns},
		{"DELETE", "/api/admin/sign-ins/{id}", operators, s.endSignIn},
		{"GET", "/api/admin/passkeys", operators, s.passkeys},
		{"POST", "/api/admin/passkeys", operators, s.addPasskey},
		{"POST", "/api/admin/passkey-challenge", operators, s.newPasskey},
		{"PATCH", "/api/admin/passkeys/{id}", operators, s.renamePasskey},
		{"DELETE", "/api/admin/passkeys/{id}", operators, s.removePasskey},
		{"GET", "/api/admin/people", operators, s.people},
		{"POST", "/api/admin/people", keepers, s.addPerson},
		{"PATCH", "/api/admin/people/{id}", keepers, s.patchPerson},
		{"DELETE", "/api/admin/people/{id}", keepers, s.removePerson},
		{"POST", "/api/admin/people/{id}/reset", keepers, s.resetPassword},
		{"GET", "/api/admin/invitations", administrators, s.invitations},
		{"POST", "/api/admin/invitations", keepers, s.invite},
		{"DELETE", "/api/admin/invitations/{id}", administrators, s.withdraw},
		{"GET", "/api/admin/audit", administrators, s.auditList},
		{"POST", "/console/invitation/check", rules{body: maxBody}, s.checkInvitation},
		{"POST", "/console/invitation/accept", rules{body: maxBody}, s.acceptInvitation},
		{"POST", "/console/passkey/challenge", rules{body: maxBody}, s.askPasskey},
		{"POST", "/console/passkey/sign-in", rules{body: maxBody}, s.passkeyLogin},
		{"GET", "/faces/{id}", rules{}, s.face},
		{"HEAD", "/faces/{id}", rules{}, s.face},
	}
}

// pageRoutes are relay's own pages and the files that pages load.
func (s *communityServer) pageRoutes() []route {
	pages := rules{page: true}
	return []route{
		{"GET", "/", pages, pageAction(s.home)},
		{"POST", "/setup/done", pages, pageAction(s.setupDone)},
		{"GET", "/demo", pages, pageAction(s.demo)},
		{"GET", "/preview", pages, pageAction(s.preview)},
		{"GET", "/console", pages, pageAction(s.console)},
		{"POST", "/console/login", pages, pageAction(s.login)},
		{"POST", "/console/logout", pages, pageAction(s.logout)},
		{"GET", "/console/invitation", pages, pageAction(s.invitationPage)},
		{"GET", "/widget.js", pages, pageAction(s.widgetLoader)},
		{"GET", "/widget.mjs", pages, pageAction(s.widgetLoader)},
		{"GET", "/widget.d.mts", pages, pageAction(s.widgetLoader)},
		{"GET", "/widget/{file}", pages, pageAction(s.widgetFile)},
		{"GET", "/static/{file}", pages, pageAction(s.staticFile)},
	}
}

// documentRoutes are the description of the API.
func (s *Server) documentRoutes() []route {
	pages := rules{page: true}
	return []route{
		{"GET", "/openapi.yaml", pages, pageAction(s.openAPI)},
		{"GET", "/docs", pages, pageAction(s.apiDocs)},
		{"GET", "/docs/{guide}", pages, pageAction(s.guide)},
	}
}

// pageAction makes an action of the handler of a page.
func pageAction(h http.HandlerFunc) action {
	return func(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
		h(w, r)
		return written{}, nil
	}
}

// withHead adds HEAD to GET.
func withHead(method string) []string {
	if method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{method}
}
