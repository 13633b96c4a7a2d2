package config

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestNoIDsInLogs: who reads a log cannot open the sessions that it is about, but
// can distinguish them.
func TestNoIDsInLogs(t *testing.T) {
	id, other := chat.NewID(), chat.NewID()
	for _, format := range []LogFormat{"text", "json"} {
		var out bytes.Buffer
		cfg := Config{LogFormat: format}
		log := cfg.Logger(&out)
		log.Warn("about "+id, "session", id)
		log.With("session", id).Error("failed", "err", fmt.Errorf("save session %s: %w", id, errors.New("no")))
		log.Error("failed", "path", "/api/admin/sessions/"+id+"/messages/"+other+"1F", slog.Group("in", "ids", []string{id, other}))
		log.Info("as it is", "status", 200, "session", "u-4711", "channel", "C0123456789", "took", "1m30s")
		text := out.String()
		if strings.Contains(text, id) || strings.Contains(text, other) {
			t.Errorf("%s: an id is in the log:\n%s", format, text)
		}
		if n := strings.Count(text, "#"+chat.Hash(id)[:8]); n != 6 {
			t.Errorf("%s: the session is named %d times, want 6:\n%s", format, n, text)
		}
		for _, want := range []string{"u-4711", "C0123456789", "1m30s", "200"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s is not in the log:\n%s", format, want, text)
			}
		}
	}
}
