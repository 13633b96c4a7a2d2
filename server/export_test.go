package server

import (
	"context"

	"github.com/gorilla/mux"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/limits"
)

// Routes lists what the router takes, as "GET /health".
func (s *Server) Routes() (list []string) {
	_ = s.router.Walk(func(rt *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		methods, _ := rt.GetMethods() // subrouters have none
		for _, method := range methods {
			list = append(list, method+" "+rt.GetName())
		}
		return nil
	})
	return list
}

// KeyScopes are the scopes of which an API key needs one for a route, by "GET /health": none
// where no key may, and no entry where nobody said.
func (s *Server) KeyScopes() map[string]chat.KeyScopes {
	all := map[string]chat.KeyScopes{}
	for _, a := range s.table {
		for _, rt := range a.Routes {
			if rt.Scopes != nil {
				all[rt.Method+" "+rt.Path] = rt.Scopes
			}
		}
	}
	return all
}

// RenewDue asks the provider again about the sign-ins that are due.
func (s *Server) RenewDue(ctx context.Context) error { return s.accounts.RenewDue(ctx) }

// ForgetRates lets everybody try again.
func (s *Server) ForgetRates() { s.Rates = limits.New() }
