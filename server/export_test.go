package server

import "github.com/gorilla/mux"

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
