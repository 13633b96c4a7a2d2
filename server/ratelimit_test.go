package server

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// TestDownloadsAtATime: however slowly a file is read, a part of it is in memory;
// so one address does not read a thousand at once, in either mode.
func TestDownloadsAtATime(t *testing.T) {
	s := &Server{cfg: config.Config{RateLimit: true}, rates: newRates()}
	for range downloadsPerAddress {
		s.rates.addressDownloads.enter("203.0.113.1")
	}
	files := 0
	for _, rt := range append((&communityServer{Server: s}).fileRoutes(), (&bridgeServer{Server: s}).backendRoutes()...) {
		if !strings.HasPrefix(rt.path, "/files/") {
			continue
		}
		files++
		r := httptest.NewRequest(rt.method, "/files/x/y", nil)
		r.RemoteAddr = "203.0.113.1:5000"
		_, err := rt.action(httptest.NewRecorder(), r, chat.Author{})
		var refused *httpError
		if !errors.As(err, &refused) || refused.status != http.StatusTooManyRequests {
			t.Errorf("%s %s: %v", rt.method, rt.path, err)
		}
	}
	if files != 4 {
		t.Errorf("%d routes to files", files)
	}
	once := s.download(func(http.ResponseWriter, *http.Request, chat.Author) (any, error) { return written{}, nil })
	r := httptest.NewRequest("GET", "/files/x/y", nil)
	for range downloadsPerAddress + 1 {
		if _, err := once(httptest.NewRecorder(), r, chat.Author{}); err != nil {
			t.Fatalf("one after the other: %v", err)
		}
	}
}
