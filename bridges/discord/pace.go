package discord

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/server/chat"
)

// pace keeps the rate limits that Discord sends with its answers, by route and
// channel (Discord, "Rate limits").
type pace struct {
	mu     sync.Mutex
	routes map[string]*allowance
	all    time.Time // end of a global limit
}

// allowance is what is left of a route until its reset.
type allowance struct {
	left  int
	reset time.Time
}

const (
	maxRoutes  = 4096
	shortPause = time.Second // the longest wait that is slept through
)

var errPace = errors.New("the rate limit of Discord is used up")

func newPace() *pace { return &pace{routes: map[string]*allowance{}} }

// routeOf returns the route that a limit counts: the method and the path without
// the ids after the channel's or the server's.
func routeOf(method, path string) string {
	path, _, _ = strings.Cut(path, "?")
	words := strings.Split(path, "/")
	for i, w := range words {
		id := w != "" && strings.Trim(w, "0123456789") == ""
		if i > 2 && (id || words[i-1] == "reactions") {
			words[i] = "*"
		}
	}
	return method + " " + strings.Join(words, "/")
}

// await waits until a route may be called again. A wait that is not short is a
// [chat.RetryAfter].
func (p *pace) await(ctx context.Context, route string) error {
	for {
		wait, all := p.wait(route)
		if wait <= 0 {
			return nil
		}
		if wait > shortPause {
			scope := chat.ScopeLane
			if all {
				scope = chat.ScopeSink
			}
			return &chat.RetryAfter{After: wait, Scope: scope, Cause: errPace}
		}
		if err := chat.Rest(ctx, wait); err != nil {
			return err
		}
	}
}

// wait returns how long a route has to wait; if not at all, one request is counted.
// all means a global limit.
func (p *pace) wait(route string) (wait time.Duration, all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if wait := p.all.Sub(now); wait > 0 {
		return call.Whole(wait), true
	}
	a := p.routes[route]
	if a == nil || !now.Before(a.reset) {
		return 0, false
	}
	if a.left <= 0 {
		return call.Whole(a.reset.Sub(now)), false
	}
	a.left--
	return 0, false
}

// learn reads the route's limit from an answer.
func (p *pace) learn(route string, o *outcome) {
	after, err := seconds(o.header.Get("X-RateLimit-Reset-After"))
	left, wrong := strconv.Atoi(o.header.Get("X-RateLimit-Remaining"))
	if err != nil || wrong != nil {
		return
	}
	p.set(route, left, after)
}

func (p *pace) set(route string, left int, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if len(p.routes) >= maxRoutes {
		for name, a := range p.routes {
			if !now.Before(a.reset) {
				delete(p.routes, name)
			}
		}
	}
	p.routes[route] = &allowance{left: left, reset: now.Add(after)}
}

// block makes a route, or with all everything, wait.
func (p *pace) block(route string, all bool, d time.Duration) {
	if !all {
		p.set(route, 0, d)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := time.Now().Add(d); until.After(p.all) {
		p.all = until
	}
}

func seconds(text string) (time.Duration, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 || n > 1e6 {
		return 0, errors.New("not a number of seconds")
	}
	return time.Duration(n * float64(time.Second)), nil
}

// maxWait bounds the wait of one 429; the next 429 asks for the rest.
const maxWait = time.Hour

// retryAfter returns how long a 429 asks to wait, and a little more.
func retryAfter(body float64, h http.Header) time.Duration {
	wait := time.Duration(min(max(body, 0), maxWait.Seconds()) * float64(time.Second))
	if header, err := seconds(h.Get("Retry-After")); err == nil {
		wait = max(wait, min(header, maxWait))
	}
	return call.Whole(max(wait, 100*time.Millisecond) + rand.N(250*time.Millisecond))
}
