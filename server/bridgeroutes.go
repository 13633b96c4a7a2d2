package server

// backendRoutes are for the website's own backend, which sends API_KEY.
func (b *bridge) backendRoutes() []route {
	backends := rules{filtered: true, access: b.backend.admit, body: maxAdminBody}
	return []route{
		{"POST", "/api/messages", backends, jsonRoute(decoded(b.backend.handleMessage))},
		{"POST", "/api/sessions", backends, jsonRoute(decoded(b.backend.handleNewSessionObject))},
		{"POST", "/api/operator/status", backends, jsonRoute(decoded(b.backend.handleStatus))},
		{"POST", "/api/custom-events", backends, jsonRoute(decoded(b.backend.handleCustomEvent))},
		{"POST", "/api/disconnect", backends, jsonRoute(decoded(b.backend.handleLeft))},
		{"POST", "/api/events", backends, b.backend.backendEvent()},
		{"GET", "/api/stats", backends, b.statistics.stats},
	}
}

// streamRoutes are for backends, and for pages of the allowed origins.
func (b *bridge) streamRoutes() []route {
	stream := rules{cors: b.backend.streamCORS, filtered: true, access: b.backend.admit, body: maxAdminBody}
	return []route{{"GET", "/api/events/stream", stream, b.streams.stream}}
}

// fileRoutes are for anyone with a sealed link.
func (b *bridge) fileRoutes() []route {
	file := b.download(b.files.file)
	return []route{
		{"GET", "/files/{token}", rules{}, file},
		{"HEAD", "/files/{token}", rules{}, file},
	}
}
