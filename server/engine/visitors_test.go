package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/hub"
)

// TestVisitorOnline: a visitor is there while a stream is open and half a minute
// longer, and operators are notified once each way.
func TestVisitorOnline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		h := build(t, store)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() { _ = h.Run(ctx) }()
		id := h.open(t, "v")
		all := h.Hub.Subscribe("")
		defer all.Close()
		reported := func() (online []string) {
			synctest.Wait()
			for {
				select {
				case e := <-all.C:
					if e.Type == chat.StateVisitorPresence {
						online = append(online, string(e.Payload))
					}
				default:
					return online
				}
			}
		}
		expect := func(what string, online bool, events int) {
			t.Helper()
			if n := len(reported()); h.VisitorOnline(id) != online || n != events {
				t.Errorf("%s: online %v, %d events; want %v, %d", what, h.VisitorOnline(id), n, online, events)
			}
		}
		follow := func() *hub.Feed {
			f, _, err := h.Follow(t.Context(), visitor, id, "")
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		expect("nobody came", false, 0)
		one, two := follow(), follow()
		expect("two streams", true, 1)
		one.Close()
		time.Sleep(time.Hour)
		expect("one of them for an hour", true, 0)
		two.Close()
		time.Sleep(29 * time.Second)
		expect("between two pages", true, 0)
		three := follow()
		expect("on the next page", true, 0)
		three.Close()
		time.Sleep(33 * time.Second)
		expect("gone", false, 1)
	})
}
