// Package password hashes passwords with argon2id. It imports x/crypto and nothing of
// relay.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/argon2"
)

// The cost of a hash, by OWASP's cheat sheet on password storage: 19 MiB, two passes.
const (
	memory  = 19 << 10 // KiB
	passes  = 2
	threads = 1
	length  = 32
)

// Only so many hashes are made at a time, 38 MiB in all, and whoever waits longer than
// patience gets ErrBusy: a flood of sign-ins costs time, not memory.
const (
	atOnce   = 2
	patience = 5 * time.Second
	maxQueue = 32
)

// ErrBusy: too many passwords are being checked.
var ErrBusy = errors.New("too many passwords are being checked")

// Hasher hashes a bounded number of passwords at a time.
type Hasher struct {
	slots  chan struct{}
	mu     sync.Mutex
	queued int
	unused func() string // a hash that no password has
}

// NewHasher makes a Hasher.
func NewHasher() *Hasher {
	return &Hasher{slots: make(chan struct{}, atOnce), unused: sync.OnceValue(func() string { return render(make([]byte, 16), make([]byte, length)) })}
}

// Hash returns the hash of a password with its salt and cost.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	var key []byte
	err := h.within(ctx, func() { key = argon2.IDKey([]byte(password), salt, passes, memory, threads, length) })
	return render(salt, key), err
}

// Check reports whether a password has a hash. Without one it takes as long and reports
// false: nobody learns who has a password.
func (h *Hasher) Check(ctx context.Context, hash, password string) (bool, error) {
	known := hash != ""
	if !known {
		hash = h.unused()
	}
	p, err := parse(hash)
	if err != nil {
		return false, err
	}
	var key []byte
	err = h.within(ctx, func() {
		key = argon2.IDKey([]byte(password), p.salt, p.passes, p.memory, p.threads, uint32(len(p.key)))
	})
	return err == nil && known && subtle.ConstantTimeCompare(key, p.key) == 1, err
}

// within runs work in one of the slots.
func (h *Hasher) within(ctx context.Context, work func()) error {
	if !h.enter() {
		return ErrBusy
	}
	defer h.leave()
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case h.slots <- struct{}{}:
	case <-wait.C:
		return ErrBusy
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-h.slots }()
	work()
	return nil
}

func (h *Hasher) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.queued >= maxQueue {
		return false
	}
	h.queued++
	return true
}

func (h *Hasher) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queued--
}

// parsed is a hash in its parts.
type parsed struct {
	memory, passes uint32
	threads        uint8
	salt, key      []byte
}

// render writes a hash in the usual form of argon2.
func render(salt, key []byte) string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memory, passes, threads, b64(salt), b64(key))
}

// parse reads what render wrote, also with another cost.
func parse(hash string) (p parsed, err error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return p, errors.New("the stored password hash is not argon2id")
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memory, &p.passes, &p.threads); err != nil {
		return p, fmt.Errorf("the stored password hash: %w", err)
	}
	p.salt, err = base64.RawStdEncoding.DecodeString(parts[4])
	if err == nil {
		p.key, err = base64.RawStdEncoding.DecodeString(parts[5])
	}
	if err != nil || p.passes == 0 || p.threads == 0 || len(p.key) == 0 || p.memory > 1<<20 {
		return p, errors.New("the stored password hash is damaged")
	}
	return p, nil
}
