package bridges_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

func TestDoctor(t *testing.T) {
	well := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/health" {
			_, _ = w.Write([]byte(`{"status":"ok","bridges":[]}`))
		}
	}))
	defer well.Close()
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	tests := []struct {
		name     string
		cfg      config.Config
		settings map[string]chat.Raw
		database error
		want     []string // parts of the report
		failures int
	}{
		{"nothing set up", config.Config{DatabaseURL: "sqlite://relay.db"}, nil, nil,
			[]string{"relay.db: it can be read and written", "PUBLIC_URL: not set", "telegram\n  ok    settings: not set up", "slack\n  ok    settings: not set up; relay manifest prints"}, 0},
		{"bridge mode", config.Config{}, nil, nil, []string{"none is needed in bridge mode"}, 0},
		{"no database", config.Config{DatabaseURL: "sqlite://relay.db"}, nil, fmt.Errorf("open: %w", db.ErrNone),
			[]string{"relay.db: there is none yet\n        Fix: start relay"}, 0},
		{"broken database", config.Config{DatabaseURL: "sqlite://relay.db"}, nil, errors.New("it is locked"),
			[]string{"relay.db: it is locked\n        Fix: check DATABASE_URL"}, 1},
		{"newer database", config.Config{DatabaseURL: "sqlite://relay.db"}, nil, fmt.Errorf("%w: version 7", db.ErrNewer),
			[]string{"fail", "belongs to a newer version of relay: version 7", "put the newer program back"}, 1},
		{"damaged database", config.Config{DatabaseURL: "sqlite://relay.db"}, nil, fmt.Errorf("%w: page 7", db.ErrDamaged),
			[]string{"relay.db: the database is damaged: page 7\n        Fix: stop relay and put a backup in its place"}, 1},
		{"full disk", config.Config{DatabaseURL: "sqlite://relay.db"}, nil, fmt.Errorf("commit: %w", chat.ErrStorageFull),
			[]string{"relay.db: commit: storage full\n        Fix: make room on the disk"}, 1},
		{"half set up", config.Config{}, map[string]chat.Raw{"telegramBotToken": chat.Raw(`"1:a"`)}, nil,
			[]string{"fail  settings: telegramChatId is missing\n        Fix: set TELEGRAM_CHAT_ID"}, 1},
		{"another's token", config.Config{}, map[string]chat.Raw{"slackBotToken": chat.Raw(`"x"`), "slackChannelId": chat.Raw(`"C"`)}, nil,
			[]string{"slack\n  fail  settings: the bot token is not one of Slack's\n        Fix: open your app"}, 1},
		{"reached without https", config.Config{PublicURL: well.URL}, nil, nil, []string{"warn  PUBLIC_URL: relay answers at"}, 0},
		{"behind https", config.Config{PublicURL: "https://127.0.0.1:1"}, nil, nil, []string{"ok    HOST: not set: with https relay listens on 127.0.0.1 only"}, 0},
		{"open behind https", config.Config{PublicURL: "https://127.0.0.1:1", Host: "0.0.0.0", Port: 3000}, nil, nil,
			[]string{"warn  HOST: port 3000 is open without encryption on all addresses", "Fix: leave HOST out"}, 0},
		{"somebody else answers", config.Config{PublicURL: other.URL}, nil, nil, []string{"warn  PUBLIC_URL: relay cannot be reached"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			failures := bridges.Report(&out, append([]bridges.Checkup{{Name: "database", Findings: []chat.Finding{db.Finding(string(tt.cfg.DatabaseURL), tt.database)}},
				{Name: "public address", Findings: server.CheckPublicURL(t.Context(), tt.cfg)}},
				bridges.Examine(t.Context(), bridges.Kinds(bridges.Env{}), new(chat.SitesFile).Alone(chat.SettingsOf(bridges.Settings(), tt.settings, nil)), nil)...))
			if failures != tt.failures {
				t.Errorf("%d failures, want %d", failures, tt.failures)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("the report lacks %q:\n%s", want, &out)
				}
			}
		})
	}
}

// A bridge that runs, but whose platform rejects deliveries, is not well.
func TestDoctorReportsFailedDeliveries(t *testing.T) {
	running := []chat.BridgeState{{Name: "telegram", State: "running", Failed: &chat.BridgeTrouble{Count: 3, Reason: "PEER_ID_INVALID"},
		Retrying: &chat.BridgeTrouble{Count: 1, Reason: "Internal Server Error"}}}
	var report bytes.Buffer
	bridges.Report(&report, bridges.Examine(t.Context(), bridges.Kinds(bridges.Env{}), new(chat.SitesFile).Alone(chat.SettingsOf(bridges.Settings(), nil, nil)), running))
	for _, want := range []string{"warn  deliveries: 3 not delivered, given up: PEER_ID_INVALID\n        Fix: ", "warn  deliveries: 1 not delivered, rejected repeatedly: Internal Server Error"} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("doctor does not say %q:\n%s", want, &report)
		}
	}
}

// TestExamineSites: doctor looks at the channels that sites have of their own, too.
func TestExamineSites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		kinds := bridges.Kinds(bridges.Env{})[:1]
		kinds[0].New = func(s *chat.Settings) (chat.Bridge, error) { return telegram.New(overFake(f, s)) }
		relay := chat.SettingsOf(bridges.Settings(), map[string]chat.Raw{"telegramBotToken": chat.Raw(`"` + f.Token + `"`), "telegramChatId": chat.Raw(`"-1001234567890"`)}, nil)
		own := map[string]map[string]chat.Raw{"lamps": {"telegramChatId": chat.Raw(`"-100777"`)}, "tents": {"telegramChatId": chat.Raw(`"` + f.AddChannel() + `"`)}}
		sites := chat.SitesOf([]chat.Site{{ID: "lamps", Name: "Lamps"}, {ID: "tents", Name: "Tents"}}, relay, own, nil)
		var report strings.Builder
		failures := bridges.Report(&report, bridges.Examine(t.Context(), kinds, sites, nil))
		for _, want := range []string{"ok    group: the group", "fail  Lamps: group: Telegram knows no such group", "ok    Tents: rights"} {
			if !strings.Contains(report.String(), want) {
				t.Errorf("it lacks %q:\n%s", want, &report)
			}
		}
		if failures != 1 || strings.Count(report.String(), "bot token") != 1 {
			t.Errorf("%d failures:\n%s", failures, &report)
		}
	})
}
