package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
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
	if cfg.Mode == config.ModeBridge {
		return "relay bridge"
	}
	return "relay"
}

// BaseURL returns the address under which relay is reached: PUBLIC_URL, else
// the one on this machine with the port it listens on.
func BaseURL(cfg config.Config, listener net.Listener) string {
	if cfg.PublicURL != "" {
		return cfg.PublicURL
	}
	return localURL(cfg, "localhost", listener.Addr().(*net.TCPAddr).Port)
}

// stopMost is how long a stop may take in all. The database has the rest of 20
// seconds.
const stopMost = 18 * time.Second

// heapReserve is allocated but never touched, so it takes no memory. The garbage
// collector counts it and lets as much garbage gather: with the few megabytes
// that relay holds it would run dozens of times a second under load.
const heapReserve = 8 << 20

// Serve answers requests, beside the engine and the parts that use it, until ctx
// ends or one of them fails. Requests end first, then the engine. Whatever hangs is
// left behind after stopMost.
func (s *Server) Serve(ctx context.Context, listener net.Listener, parts ...chat.Part) error {
	reserve := make([]byte, heapReserve)
	defer runtime.KeepAlive(reserve)
	serving, stop := context.WithCancelCause(ctx)
	go func() { stop(s.engine.Run(context.WithoutCancel(ctx), parts...)) }()
	end, err := s.answer(serving, listener)
	s.engine.Stop(end)
	if broken := context.Cause(serving); ctx.Err() == nil && !errors.Is(broken, context.Canceled) {
		err = errors.Join(err, broken)
	}
	return err
}

// answer answers requests until ctx ends or the listener fails, and returns when
// the stop has to be over. It ends the streams first, then gives the other
// requests ten seconds, and those that have not arrived yet less. With a volatile
// store, what platforms have sent reaches the streams before.
func (s *Server) answer(ctx context.Context, listener net.Listener) (end time.Time, err error) {
	web := s.HTTPServer()
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(rawErrors{listener}) }()
	select {
	case err := <-failed:
		s.closeStreams()
		return time.Now().Add(stopMost), errors.Join(err, web.Close())
	case <-ctx.Done():
		s.log.Info("stopping")
	}
	end = time.Now().Add(stopMost)
	answering := 10 * time.Second
	if s.engine.Volatile {
		answering = 5 * time.Second
		within(handlingRest, func() {
			s.bridges.StopReceiving()
			s.engine.Inbox.Settle(handlingRest)
		})
	}
	s.closeStreams()
	s.receiving.stop(receivingRest)
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), answering)
	defer cancel()
	if web.Shutdown(patience) != nil {
		s.log.Warn("some requests did not end in time and were cut off")
		web.Close()
	}
	within(time.Second, s.parked.Wait) // the hub has ended them
	<-failed
	return end, nil
}

// handlingRest is how long received updates are handled once nothing more is
// received.
const handlingRest = 3 * time.Second

// within waits for something and reports whether it ended in time.
func within(limit time.Duration, wait func()) bool {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		wait()
	}()
	timer := time.NewTimer(max(limit, 0))
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
		return false
	}
}
