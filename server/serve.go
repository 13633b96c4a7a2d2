package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// Listen opens the port. Errors of the usual failures include the remedy.
func Listen(ctx context.Context, cfg config.Config) (net.Listener, error) {
	address := net.JoinHostPort(cfg.Host, strconv.Itoa(int(cfg.Port)))
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("port %d is taken by another program. Stop that program, or choose another port: %s --port %d", cfg.Port, startCommand(cfg), cfg.Port+10)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("this user may not listen on port %d. Choose one above 1023: %s --port 8080", cfg.Port, startCommand(cfg))
	case err != nil:
		return nil, fmt.Errorf("cannot listen on HOST=%s: %w", cfg.Host, err)
	}
	return listener, nil
}

// startCommand returns the command that starts the configured mode.
func startCommand(cfg config.Config) string {
	if cfg.Mode == chat.ModeBridge {
		return "relay bridge"
	}
	return "relay"
}

// BaseURL returns relay's address: PUBLIC_URL, else
// the one on this machine with its port.
func BaseURL(cfg config.Config, listener net.Listener) string {
	if cfg.PublicURL != "" {
		return cfg.PublicURL
	}
	return localURL(cfg, "localhost", listener.Addr().(*net.TCPAddr).Port)
}

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
	chat.Within(time.Second, s.parked.Wait) // the end of the streams ends them
}
