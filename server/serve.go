package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Listen takes the port. The usual failures are told with their remedy.
func Listen(ctx context.Context, cfg Config) (net.Listener, error) {
	address := net.JoinHostPort(cfg.Host, strconv.Itoa(int(cfg.Port)))
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("port %d is taken by another program. Stop that program, or choose another port: relay --port %d", cfg.Port, cfg.Port+1)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("this user may not listen on port %d. Choose one above 1023: relay --port 3000", cfg.Port)
	case err != nil:
		return nil, fmt.Errorf("cannot listen on HOST=%s: %w", cfg.Host, err)
	}
	return listener, nil
}

// BaseURL returns the address under which relay is reached: PUBLIC_URL, else
// the one on this machine with the port it listens on.
func BaseURL(cfg Config, listener net.Listener) string {
	if cfg.PublicURL != "" {
		return cfg.PublicURL
	}
	return localURL(cfg, "localhost", listener.Addr().(*net.TCPAddr).Port)
}

// localURL returns an address on this machine; everywhere is the host to name
// when relay listens on all of them.
func localURL(cfg Config, everywhere string, port int) string {
	host := cfg.Host
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = ""
	}
	return "http://" + net.JoinHostPort(cmp.Or(host, everywhere), strconv.Itoa(port))
}

// Healthcheck asks the relay that runs on this machine whether it is ready.
func Healthcheck(ctx context.Context, cfg Config) error {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	url := localURL(cfg, "127.0.0.1", int(cfg.Port)) + "/ready"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("relay does not answer: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, answer.Status)
	}
	return nil
}

// Part is something that works beside the requests until its context ends.
type Part func(ctx context.Context) error

// Serve answers requests and runs the parts until ctx ends or one of them
// fails. Requests end first, then what the parts have in flight.
func (s *Server) Serve(ctx context.Context, listener net.Listener, parts ...Part) error {
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	serving, stop := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	for _, p := range parts {
		running.Go(func() {
			if err := p(work); err != nil {
				stop(err)
			}
		})
	}
	err := s.answer(serving, listener)
	stop(nil)
	stopWork()
	running.Wait()
	if broken := context.Cause(serving); ctx.Err() == nil && !errors.Is(broken, context.Canceled) {
		err = errors.Join(err, broken)
	}
	return err
}

// answer answers requests until ctx ends or the listener fails. It ends the
// streams first, then gives the other requests ten seconds.
func (s *Server) answer(ctx context.Context, listener net.Listener) error {
	web := s.HTTPServer()
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	select {
	case err := <-failed:
		s.closeStreams()
		return errors.Join(err, web.Close())
	case <-ctx.Done():
		s.log.Info("stopping")
	}
	s.closeStreams()
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if web.Shutdown(patience) != nil {
		s.log.Warn("some requests did not end in time and were cut off")
		web.Close()
	}
	s.parked.Wait() // the hub has ended them
	<-failed
	return nil
}
