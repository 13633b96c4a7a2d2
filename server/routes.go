package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"
)

// route is one line of a route table.
type route struct {
	method, path string
	action       action
}

// communityRoutes puts the route tables of the community server together.
func (s *Server) communityRoutes() http.Handler {
	return s.cors(s.assemble(slices.Concat(s.widgetRoutes(), s.openRoutes(), s.hookRoutes(communityHooks), s.fileRoutes(), s.adminRoutes()),
		slices.Concat(s.pageRoutes(), s.documentRoutes())))
}

// bridgeRoutes puts the route tables of the bridge server together.
func (s *Server) bridgeRoutes() http.Handler {
	return s.streamOrigins(s.assemble(slices.Concat(s.backendRoutes(), s.openRoutes(), s.hookRoutes(bridgeHooks)),
		append(s.documentRoutes(), pageRoute{"GET", "/", toDocs})))
}

// assemble makes the router of a server. It asks one route after the other, so
// the most frequent ones come first.
func (s *Server) assemble(routes []route, pages []pageRoute) http.Handler {
	m := mux.NewRouter().SkipClean(true).UseEncodedPath()
	s.router = m
	for _, rt := range routes {
		at(m, rt.path).Methods(rt.method).Handler(s.handle(rt.action))
	}
	for _, rt := range pages {
		at(m, rt.path).Methods(methods(rt.method)...).HandlerFunc(rt.page)
	}
	m.NotFoundHandler = s.handle(s.notFound)
	m.MethodNotAllowedHandler = s.handle(s.methodNotAllowed)
	return s.filterAgents(s.receiving.notice(m))
}

// at adds a route with a name, its path. One without variables is compared as it
// is: mux makes a regular expression of every path, which takes long at each
// start, and at each request.
func at(m *mux.Router, path string) *mux.Route {
	rt := m.NewRoute().Name(path)
	if strings.Contains(path, "{") {
		return rt.Path(path)
	}
	return rt.MatcherFunc(func(r *http.Request, _ *mux.RouteMatch) bool { return r.URL.Path == path && r.URL.RawPath == "" })
}

// methodsAt lists the methods that the router takes at a request's address.
func (s *Server) methodsAt(r *http.Request) (list []string) {
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete} {
		asked := r.WithContext(r.Context()) // a copy
		asked.Method = method
		var match mux.RouteMatch
		if s.router.Match(asked, &match) && match.MatchErr == nil {
			list = append(list, method)
		}
	}
	return list
}

// backendRoutes are for somebody's own backend, which brings API_KEY (seed 4.4).
func (s *Server) backendRoutes() []route {
	return []route{
		{"POST", "/api/messages", s.backend(says(stated(s.sayMessage)))},
		{"POST", "/api/sessions", s.backend(says(stated(s.sayNewSessionObject)))},
		{"POST", "/api/operator/status", s.backend(says(stated(s.sayStatus)))},
		{"POST", "/api/custom-events", s.backend(says(stated(s.sayCustomEvent)))},
		{"POST", "/api/disconnect", s.backend(says(stated(s.sayLeft)))},
		{"POST", "/api/events", s.backend(s.backendEvent())},
		{"GET", "/api/events/stream", s.backend(s.eventStream)},
		{"GET", "/files/{token}", s.download(s.sealedFile)},
		{"HEAD", "/files/{token}", s.download(s.sealedFile)},
	}
}

// openRoutes are for everybody.
func (s *Server) openRoutes() []route {
	return []route{
		{"GET", "/health", s.health},
		{"HEAD", "/health", s.health},
		{"GET", "/ready", s.readiness},
		{"HEAD", "/ready", s.readiness},
	}
}

// fileRoutes are for who has a signed link.
func (s *Server) fileRoutes() []route {
	return []route{
		{"GET", "/files/{id}/{name}", s.download(s.file)},
		{"HEAD", "/files/{id}/{name}", s.download(s.file)},
	}
}

// widgetRoutes are for pages, which bring the public key (seed 4.1).
func (s *Server) widgetRoutes() []route {
	return []route{
		{"POST", "/api/widget/messages", s.widget(s.widgetSend)},
		{"GET", "/api/widget/stream", s.widget(s.widgetStream)},
		{"POST", "/api/widget/init", s.widget(s.widgetInit)},
		{"GET", "/api/widget/config", s.widget(s.widgetSettings)},
		{"GET", "/api/widget/messages", s.widget(s.widgetHistory)},
		{"PATCH", "/api/widget/messages/{id}", s.widget(s.widgetEdit)},
		{"DELETE", "/api/widget/messages/{id}", s.widget(s.widgetDelete)},
		{"POST", "/api/widget/attachments", s.widget(s.widgetUpload)},
		{"POST", "/api/widget/identify", s.widget(s.widgetIdentify)},
		{"POST", "/api/widget/read", s.widget(s.widgetRead)},
		{"POST", "/api/widget/typing", s.widget(s.widgetTyping)},
		{"POST", "/api/widget/prechat", s.widget(s.widgetPreChat)},
		{"POST", "/api/widget/csat", s.widget(s.widgetCSAT)},
		{"POST", "/api/widget/events", s.widget(s.widgetEvent)},
		{"POST", "/api/widget/page", s.widget(s.widgetPage)},
		{"POST", "/api/widget/disconnect", s.widget(s.widgetDisconnect)},
	}
}

// adminRoutes are for operators, who bring the secret key or sign in at the
// console (seed 4.2).
func (s *Server) adminRoutes() []route {
	return []route{
		{"GET", "/api/admin/settings", s.admin(s.settings)},
		{"PATCH", "/api/admin/settings", s.admin(s.patchSettings)},
		{"GET", "/api/admin/sessions", s.admin(s.sessions)},
		{"GET", "/api/admin/sessions/{session}", s.admin(s.session)},
		{"DELETE", "/api/admin/sessions/{session}", s.admin(s.erase)},
		{"GET", "/api/admin/sessions/{session}/messages", s.admin(s.adminHistory)},
		{"POST", "/api/admin/sessions/{session}/messages", s.admin(s.adminSend)},
		{"PATCH", "/api/admin/sessions/{session}/messages/{id}", s.admin(s.adminEdit)},
		{"DELETE", "/api/admin/sessions/{session}/messages/{id}", s.admin(s.adminDelete)},
		{"POST", "/api/admin/sessions/{session}/attachments", s.admin(s.adminUpload)},
		{"POST", "/api/admin/sessions/{session}/commands", s.admin(s.command)},
		{"POST", "/api/admin/sessions/{session}/close", s.admin(s.closeSession)},
		{"POST", "/api/admin/sessions/{session}/reopen", s.admin(s.reopenSession)},
		{"POST", "/api/admin/sessions/{session}/block", s.admin(s.blockSession)},
		{"POST", "/api/admin/sessions/{session}/unblock", s.admin(s.unblockSession)},
		{"POST", "/api/admin/sessions/{session}/read", s.admin(s.adminRead)},
		{"POST", "/api/admin/sessions/{session}/typing", s.admin(s.adminTyping)},
		{"POST", "/api/admin/sessions/{session}/csat", s.admin(s.askCSAT)},
		{"POST", "/api/admin/sessions/{session}/events", s.admin(s.adminEvent)},
		{"GET", "/api/admin/operator/status", s.admin(s.presence)},
		{"POST", "/api/admin/operator/status", s.admin(s.operatorStatus)},
		{"POST", "/api/admin/operator/activity", s.admin(s.operatorActivity)},
		{"GET", bridgesPath, s.admin(s.listBridges)},
		{"POST", "/api/admin/bridges/{name}/test", s.admin(s.testBridge)},
		{"GET", "/api/admin/deliveries", s.admin(s.deliveries)},
		{"POST", "/api/admin/deliveries/retry", s.admin(s.retryDeliveries)},
		{"POST", "/api/admin/deliveries/{id}/retry", s.admin(s.retryDelivery)},
		{"POST", "/api/admin/webhooks/test", s.admin(s.testWebhook)},
		{"GET", "/api/admin/stats", s.admin(s.stats)},
		{"GET", "/api/admin/export", s.admin(s.export)},
		{"POST", "/api/admin/keys/rotate", s.admin(s.rotateKey)},
		{"GET", "/api/admin/stream", s.admin(s.adminStream)},
	}
}

// pageRoute is one line of the table of what browsers open.
type pageRoute struct {
	method, path string
	page         http.HandlerFunc
}

// pageRoutes are relay's own pages and the files that pages load.
func (s *Server) pageRoutes() []pageRoute {
	return []pageRoute{
		{"GET", "/", s.home},
		{"POST", "/setup/done", s.setupDone},
		{"GET", "/demo", s.demo},
		{"GET", "/console", s.console},
		{"POST", "/console/login", s.login},
		{"POST", "/console/logout", s.logout},
		{"GET", "/widget.js", s.widgetLoader},
		{"GET", "/widget/{file}", s.widgetFile},
		{"GET", "/static/{file}", s.staticFile},
	}
}

// documentRoutes are the description of the API.
func (s *Server) documentRoutes() []pageRoute {
	return []pageRoute{
		{"GET", "/openapi.yaml", s.openAPI},
		{"GET", "/docs", s.apiDocs},
		{"GET", "/docs/{guide}", s.guide},
	}
}

// methods lets HEAD in wherever a page has GET.
func methods(method string) []string {
	if method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{method}
}
