package bridgetest

import (
	"slices"
	"sync"
)

// Record keeps what a bridge did wrong. A fake embeds it and has [Platform]'s
// Violations by that.
type Record struct {
	mu         sync.Mutex
	violations []string
}

// Violate adds violations.
func (r *Record) Violate(violations ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.violations = append(r.violations, violations...)
}

// Violations implements [Platform].
func (r *Record) Violations() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.violations)
}
