package engine_test

import (
	"log/slog"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// TestHosts: a page of the website is shown by its path, any other with its host. The
// website is what the settings say or, without them, where the first conversation began.
func TestHosts(t *testing.T) {
	for name, tt := range map[string]struct {
		origins []string
		want    map[string]string
	}{
		"learned": {nil, map[string]string{"https://shop.test/own/": "/own", "https://Shop.test/own?x=1": "/own", "https://evil.test/console": "evil.test/console",
			"https://chat.test/demo": "/demo", "https://shop.test/": "shop.test", "https://shop.test:8443/own": "shop.test:8443/own", "no address": "", "": ""}},
		"set": {[]string{"https://www.shop.test"}, map[string]string{"https://www.shop.test/own": "/own", "https://shop.test/own": "shop.test/own"}},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
				config := engine.Config{Store: store, Log: slog.New(slog.DiscardHandler), PublicURL: "https://chat.test", Origins: tt.origins}
				e, err := engine.Open(t.Context(), config)
				if err != nil {
					t.Fatal(err)
				}
				visitor := chat.Author{Sender: chat.SenderVisitor}
				for _, url := range []string{"http://localhost:3000/demo", "https://chat.test/demo", "https://shop.test/own", "https://evil.test/console"} {
					v, err := e.Init(t.Context(), engine.Visit{VisitorID: url, Metadata: chat.Metadata{URL: url}})
					if err == nil {
						_, err = e.Send(t.Context(), visitor, engine.Post{SessionID: v.Session.ID, Content: "hi"})
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				again, err := engine.Open(t.Context(), config) // as after a restart
				if err != nil {
					t.Fatal(err)
				}
				for address, want := range tt.want {
					if got := e.Hosts().Short(address); got != want {
						t.Errorf("%q is shown as %q, want %q", address, got, want)
					}
					if got := again.Hosts().Short(address); got != want {
						t.Errorf("after a restart %q is shown as %q, want %q", address, got, want)
					}
				}
			})
		})
	}
}
