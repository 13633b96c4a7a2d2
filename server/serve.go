package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/relay-chat/relay/server/engine"
)

// Serve answers requests until Stop, or until the listener fails.
func (s *Server) Serve(listener net.Listener) error {
	if err := s.web.Serve(rawErrors{listener}); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Stop ends the streams first, then gives the other requests the given time, and
// bodies that are still arriving two seconds. The rest is cut off.
func (s *Server) Stop(patience time.Duration) {
	s.endStreams()
	s.receiving.stop(receivingRest)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if s.web.Shutdown(ctx) != nil {
		s.log.Warn("some requests did not end in time and were cut off")
		s.web.Close()
	}
	engine.Within(time.Second, s.streams.parked.Wait) // the end of the streams ends them
}
