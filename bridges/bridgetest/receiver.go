package bridgetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// Receiver keeps updates in memory, each once, for tests of a bridge's
// reception without an engine.
type Receiver struct {
	mu      sync.Mutex
	Failing int // the next so many are not stored
	Updates []chat.Update
	Keys    map[string]int // how often each came
}

// Fail keeps the next n updates from being stored, while some may come in.
func (r *Receiver) Fail(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Failing = n
}

// Receive implements [chat.Receiver].
func (r *Receiver) Receive(_ context.Context, u chat.Update) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Failing > 0 {
		r.Failing--
		return errors.New("the disk is away")
	}
	if r.Keys == nil {
		r.Keys = map[string]int{}
	}
	if r.Keys[u.Key]++; r.Keys[u.Key] == 1 {
		r.Updates = append(r.Updates, u)
	}
	return nil
}

// Inbounds are what the updates of people mean, in order. Each must wait in the lane of
// its thread.
func (r *Receiver) Inbounds(t *testing.T, b chat.Bridge) (list []chat.Inbound) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, u := range r.Updates {
		in, err := b.Parse([]byte(u.Raw))
		if err != nil {
			t.Fatal(err)
		}
		if len(in) > 0 && u.Thread != in[0].Thread.Ref {
			t.Errorf("the update of %s waits in the lane %q", in[0].Thread.Ref, u.Thread)
		}
		for _, i := range in {
			if i.Kind != chat.InboundListed {
				list = append(list, i)
			}
		}
	}
	return list
}

// Texts are what operators wrote.
func (r *Receiver) Texts(t *testing.T, b chat.Bridge) (list []string) {
	t.Helper()
	for _, in := range r.Inbounds(t, b) {
		list = append(list, in.Text)
	}
	return list
}

// Receiving runs a bridge's reception until the test or stop ends it.
func Receiving(t *testing.T, b chat.Bridge, in chat.Receiver) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx, in) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() { _ = stop() })
	return stop
}
