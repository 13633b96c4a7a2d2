package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"relay/server/chat"
	"relay/server/config"
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

// Part is something that works beside the requests until its context ends.
type Part func(ctx context.Context) error

// The time of a stop in all, and the share that is kept for work in flight. The
// database has the rest of 20 seconds.
const (
	stopMost  = 18 * time.Second
	partsRest = 6 * time.Second
)

// heapReserve is allocated but never touched, so it takes no memory. The garbage
// collector counts it and lets as much garbage gather: with the few megabytes
// that relay holds it would run dozens of times a second under load.
const heapReserve = 8 << 20

// Serve answers requests and runs the parts until ctx ends or one of them
// fails. Requests end first, then what the parts have in flight. Whatever hangs
// is left behind after stopMost: what was under way counts as unknown.
func (s *Server) Serve(ctx context.Context, listener net.Listener, parts ...Part) error {
	reserve := make([]byte, heapReserve)
	defer runtime.KeepAlive(reserve)
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
	end, err := s.answer(serving, listener)
	if s.forgetful() {
		within(time.Until(end)-partsRest, func() { s.deliverRest(min(deliveringRest, time.Until(end)-partsRest-time.Second)) })
	}
	stop(nil)
	stopWork()
	if !within(time.Until(end), running.Wait) {
		s.log.Error("something did not end in time; what was under way is unknown")
	}
	if broken := context.Cause(serving); ctx.Err() == nil && !errors.Is(broken, context.Canceled) {
		err = errors.Join(err, broken)
	}
	return err
}

// answer answers requests until ctx ends or the listener fails, and returns when
// the stop has to be over. It ends the streams first, then gives the other
// requests ten seconds, and those that have not arrived yet less.
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
	if s.forgetful() {
		answering = 5 * time.Second
		within(hearingRest, s.hearRest)
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

// forgetful reports whether what relay knows is gone when it ends: bridge mode
// without a database. It then stops in another order: nothing more comes in from
// the platforms, what came in goes to the streams, and what waits for
// destinations that take it is delivered.
func (s *Server) forgetful() bool { return s.cfg.Mode == config.ModeBridge && s.cfg.DatabaseURL == "" }

// The time that a forgetful server has for pending work before it ends.
const (
	hearingRest    = 3 * time.Second
	deliveringRest = 8 * time.Second
)

// hearRest ends receiving and lets what operators said reach the streams.
func (s *Server) hearRest() {
	s.bridges.StopReceiving()
	while(hearingRest, s.bridges.Busy)
}

// deliverRest waits for due deliveries, and logs those that are lost.
func (s *Server) deliverRest(limit time.Duration) {
	while(limit, s.outbox.Busy)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, dest := range append(s.bridges.Names(), chat.WebhookSink) {
		n := 0
		err := s.store.Look(ctx, func(r chat.Reader) (err error) {
			n, err = r.Waiting(dest)
			return err
		})
		if err == nil && n > 0 {
			s.log.Warn("events that were not delivered are lost", "destination", dest, "events", n)
		}
	}
}

// while waits as long as something goes on, within a limit.
func while(limit time.Duration, goesOn func() bool) {
	for end := time.Now().Add(limit); goesOn() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}
