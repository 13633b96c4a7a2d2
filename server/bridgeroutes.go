package server

import "github.com/relay-chat/relay/server/web"

// backendRoutes are for the website's own backend, which sends API_KEY.
func (b *bridge) backendRoutes() []web.Route {
	backends := web.Rules{Filtered: true, Access: b.backend.admit, Body: web.MaxAdminBody}
	return []web.Route{
		web.On("POST", "/api/messages", backends, jsonRoute(decoded(b.backend.handleMessage))),
		web.On("POST", "/api/sessions", backends, jsonRoute(decoded(b.backend.handleNewSessionObject))),
		web.On("POST", "/api/operator/status", backends, jsonRoute(decoded(b.backend.handleStatus))),
		web.On("POST", "/api/custom-events", backends, jsonRoute(decoded(b.backend.handleCustomEvent))),
		web.On("POST", "/api/disconnect", backends, jsonRoute(decoded(b.backend.handleLeft))),
		web.On("POST", "/api/events", backends, b.backend.backendEvent()),
		web.On("GET", "/api/stats", backends, b.statistics.stats),
	}
}

// streamRoutes are for backends, and for pages of the allowed origins.
func (b *bridge) streamRoutes() []web.Route {
	stream := web.Rules{CORS: b.backend.streamCORS, Filtered: true, Access: b.backend.admit, Body: web.MaxAdminBody}
	return []web.Route{web.On("GET", "/api/events/stream", stream, b.streams.stream)}
}

// fileRoutes are for anyone with a sealed link.
func (b *bridge) fileRoutes() []web.Route {
	file := b.Download(b.files.file)
	return []web.Route{
		web.On("GET", "/files/{token}", web.Rules{}, file),
		web.On("HEAD", "/files/{token}", web.Rules{}, file),
	}
}
