package password_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/relay-chat/relay/server/password"
)

func TestHash(t *testing.T) {
	h := password.NewHasher()
	first, err := h.Hash(t.Context(), "correct horse battery")
	second, err2 := h.Hash(t.Context(), "correct horse battery")
	if err != nil || err2 != nil || first == second || !strings.HasPrefix(first, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("hashed to %q and %q: %v %v", first, second, err, err2)
	}
	for _, tt := range []struct {
		name, hash, given string
		right, fails      bool
	}{
		{"the password", first, "correct horse battery", true, false},
		{"another", first, "Correct horse battery", false, false},
		{"none stored", "", "", false, false},
		{"another cost", "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHRzYWx0$" + "u4OVjGjvpC8pmKIZ5fTdzQ", "x", false, false},
		{"another kind", "$2a$10$abc", "x", false, true},
		{"no cost", "$argon2id$v=19$m=1,t=0,p=0$YQ$YQ", "x", false, true},
		{"absurd memory", "$argon2id$v=19$m=4294967295,t=1,p=1$YQ$YQ", "x", false, true},
		{"damaged", "$argon2id$v=19$m=64,t=1,p=1$!$YQ", "x", false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if right, err := h.Check(t.Context(), tt.hash, tt.given); right != tt.right || (err != nil) != tt.fails {
				t.Errorf("answers %v %v", right, err)
			}
		})
	}
}

// A flood is refused, not queued: at most so many wait, and only for a while.
func TestFloodIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := password.NewHasher()
		release := h.Occupy()
		var waiting sync.WaitGroup
		refused := make(chan error, 100)
		for range 40 {
			waiting.Go(func() {
				_, err := h.Hash(t.Context(), "x")
				refused <- err
			})
		}
		waiting.Wait() // the clock moves on once all wait
		close(refused)
		n := 0
		for err := range refused {
			if err == password.ErrBusy {
				n++
			}
		}
		if n != 40 {
			t.Errorf("%d of 40 were refused", n)
		}
		release()
		if _, err := h.Hash(t.Context(), "x"); err != nil {
			t.Errorf("afterwards: %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		defer h.Occupy()()
		if _, err := h.Hash(gone, "x"); err != context.Canceled {
			t.Errorf("who is gone gets %v", err)
		}
	})
}
