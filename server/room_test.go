package server

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
)

// crowded is a store on a disk with so much room.
type crowded struct {
	chat.Store
	free atomic.Int64
}

func (c *crowded) Room() (free, total int64) { return c.free.Load(), 1 << 40 }

// TestDiskNearlyFull: relay says once that the disk is nearly full, and again after
// there was room meanwhile; GET /ready says it as long as it is so.
func TestDiskNearlyFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		disk, log := &crowded{Store: store}, slog.New(slog.DiscardHandler)
		disk.free.Store(1 << 30)
		relay, err := engine.Open(t.Context(), engine.Config{Store: disk, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		s := newServer(config.Config{}, Deps{Engine: relay, Log: log}, relay.Hub.Close)
		ended := make(chan error, 1)
		go func() { ended <- relay.Run(t.Context()) }()
		notices := 0
		for i, tt := range []struct {
			free           int64
			status         string
			notices, sleep int
		}{{1 << 30, "ok", 0, 2}, {199 << 20, "degraded", 1, 11}, {150 << 20, "degraded", 1, 11}, {1 << 30, "ok", 1, 11}, {10 << 20, "degraded", 2, 11}} {
			disk.free.Store(tt.free)
			time.Sleep(time.Duration(tt.sleep) * time.Minute)
			synctest.Wait()
			answer, err := s.readiness(httptest.NewRecorder(), httptest.NewRequest("GET", "/ready", nil), chat.Author{})
			if err != nil || answer.(map[string]string)["status"] != tt.status {
				t.Errorf("%d: ready answers %v, %v", i, answer, err)
			}
			notices = 0
			err = store.Read(t.Context(), func(rd chat.Reader) error {
				events, err := rd.Events(engine.SystemSession, 0, 0)
				for _, e := range events {
					if strings.Contains(string(e.Payload), "MB left") {
						notices++
					}
				}
				return err
			})
			if err != nil || notices != tt.notices {
				t.Errorf("%d: %d notices, %v; want %d", i, notices, err, tt.notices)
			}
		}
		relay.Stop(time.Now().Add(time.Second))
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
