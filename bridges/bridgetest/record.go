package bridgetest

import (
	"slices"
	"sync"
)

// Record keeps a bridge's requests and what is wrong with them. A fake embeds it and
// has [Platform]'s Violations by that.
type Record[R any] struct {
	mu         sync.Mutex
	requests   []R
	violations []string
}

// Keep adds a request.
func (r *Record[R]) Keep(request R) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, request)
}

// Kept returns the requests so far that match.
func (r *Record[R]) Kept(match func(R) bool) (list []R) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, request := range r.requests {
		if match(request) {
			list = append(list, request)
		}
	}
	return list
}

// Violate adds violations.
func (r *Record[R]) Violate(violations ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.violations = append(r.violations, violations...)
}

// Violations implements [Platform].
func (r *Record[R]) Violations() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.violations)
}
