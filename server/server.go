// Package server speaks HTTP: it knows requests, JSON and pages, and calls the
// service ([engine.Relay]) for everything else. It knows no SQL, no bridge and no
// platform: it declares the interfaces that it needs of them.
package server

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"github.com/relay-chat/relay/server/account"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/learning"
	"github.com/relay-chat/relay/server/statistics"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// Deps are the parts that the servers of both modes work with.
type Deps struct {
	Engine  *engine.Engine
	Webhook Webhook
	// Hooks are only used in community mode.
	Hooks   Hooks
	Bridges Bridges
	AI      AI
	// Mail is only used in community mode.
	Mail Mail
	// SignOn is only used in community mode.
	SignOn account.SignOn
	// Documents are only used in community mode.
	Documents account.Documents
	// Statistics know the reply time in community mode only.
	Statistics *statistics.Counter
	// Team is only used in community mode.
	Team *team.Team
	// Knowledge is only used in community mode.
	Knowledge learning.Knowledge
	// Rehearsals are only used in community mode.
	Rehearsals learning.Rehearsals
	Actions    learning.Actions
	// Push is only used in community mode.
	Push Push
	// Search is only used in community mode.
	Search Search
	// System is only used in community mode.
	System  System
	Log     *slog.Logger
	Version string
	// Answered is called when the answer to a routed request begins; it may be nil.
	Answered func(method, route string, status int, took time.Duration)
}

// Server answers relay's HTTP requests.
type Server struct {
	*web.Clients
	*web.Limiter
	web.Pages
	engine  *engine.Engine
	bridges Bridges
	system  System // nil in bridge mode
	log     *slog.Logger
	docs    *docs
	streams *streams
	router  *mux.Router
	table   []web.Audience // what router was made of
	handler http.Handler
	web     *http.Server // made by HTTPServer

	answered    func(method, route string, status int, took time.Duration)
	openStreams func() map[string]int
	accounts    *account.Accounts // nil in bridge mode

	endStreams func() // their clients reconnect
	receiving  receiving
	full, away chat.LogThrottle // of requests that could not be stored
	unready    chat.LogThrottle
	noRoom     chat.LogThrottle // of connections that could not be accepted
}

func newServer(cfg config.Config, d Deps, endStreams func()) *Server {
	clients := web.NewClients(cfg, d.Log)
	pages := web.NewPages(d.Version, d.Log)
	return &Server{Clients: clients, Limiter: web.NewLimiter(clients), Pages: pages, engine: d.Engine, bridges: d.Bridges, system: d.System, log: d.Log,
		docs: newDocs(pages), streams: &streams{log: d.Log}, answered: d.Answered, endStreams: endStreams, receiving: receiving{bodies: map[*arriving]struct{}{}}}
}

// HTTPServer returns an HTTP server with the time-outs that keep slow and silent
// clients from holding it; streams extend their own.
func (s *Server) HTTPServer() *http.Server {
	return &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       20 * time.Second,
		WriteTimeout:      20 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(webLog{s.log, &s.noRoom}, "", 0),
	}
}

// webLog logs the lines of net/http at a level by their content. Most report clients
// that misbehave; a panic and a failed accept are errors of relay and its machine.
type webLog struct {
	log    *slog.Logger
	noRoom *chat.LogThrottle
}

// Write implements [io.Writer].
func (l webLog) Write(line []byte) (int, error) {
	level, text := slog.LevelDebug, strings.TrimSpace(string(line))
	switch {
	case strings.HasPrefix(text, "http: panic serving"):
		level = slog.LevelError
	case strings.HasPrefix(text, "http: Accept error"):
		if l.noRoom.Allow() > 0 {
			level = slog.LevelError
		}
		text += ": nobody can connect meanwhile; raise the limit of open files (ulimit -n, LimitNOFILE)"
	}
	l.log.Log(context.Background(), level, text)
	return len(line), nil
}

// health answers GET /health.
func (s *Server) health(http.ResponseWriter, *http.Request, chat.Author) (any, error) {
	answer := map[string]any{"status": "ok", "bridges": s.bridges.Names()}
	if node := s.engine.Nodes.Name(); node != "" {
		answer["node"] = node
	}
	return answer, nil
}

// readiness answers GET /ready: 503 while relay cannot store messages, and degraded
// while it soon may not.
func (s *Server) readiness(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	if err := s.engine.Store.Ping(ctx); err != nil {
		if n := s.unready.Allow(); n > 0 {
			s.log.Warn("not ready", "err", err, "count", n)
		}
		text := "The database does not accept writes"
		if trouble := (*chat.StoreTrouble)(nil); errors.As(err, &trouble) {
			text += ": " + trouble.Problem + "; " + trouble.Fix
		}
		return nil, &web.Error{Status: http.StatusServiceUnavailable, Text: text}
	}
	if problem := s.damaged(); problem != "" {
		return map[string]string{"status": "degraded", "problem": problem}, nil
	}
	if free, low := s.engine.RoomLow(); low {
		return map[string]string{"status": "degraded", "problem": fmt.Sprintf("The disk of the database has only %d MB left", free>>20)}, nil
	}
	return map[string]string{"status": "ok"}, nil
}

// Streams counts the open streams by their readers: visitors or operators.
func (s *Server) Streams() map[string]int { return s.openStreams() }

// unmatched answers requests that no route matches: 405 with the methods that the address
// accepts (RFC 9110, 15.5.6), else 404, which browsers get as a page.
func (s *Server) unmatched(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	if methods := s.methodsAt(r); len(methods) > 0 {
		return nil, &web.Error{Status: http.StatusMethodNotAllowed, Text: "Method not allowed", Header: http.Header{"Allow": {strings.Join(methods, ", ")}}}
	}
	if strings.Contains(r.Header.Get("Accept"), "text/html") && !strings.HasPrefix(r.URL.Path, "/api/") {
		s.ShowError(w, r, http.StatusNotFound, "There is no such page.")
		return web.Written{}, nil
	}
	return nil, &web.Error{Status: http.StatusNotFound, Text: "Not found"}
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

// ShareLimits makes the limits hold over all nodes until ctx ends.
func (s *Server) ShareLimits(ctx context.Context) error {
	if s.engine.Nodes.Name() == "" || !s.Config.RateLimit {
		return nil
	}
	return s.Rates.Share(ctx, s.engine.Nodes)
}

// RenewSignIns asks the provider of single sign-on again about who is signed in, so that who is
// ended there is ended here. It runs on one node.
func (s *Server) RenewSignIns(ctx context.Context) error {
	if s.accounts == nil {
		return nil
	}
	return s.accounts.RenewSignIns(ctx)
}
