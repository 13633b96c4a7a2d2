package webhook

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

func TestFetcher(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/file":
			_, _ = io.WriteString(w, "content")
		case "/large":
			_, _ = io.WriteString(w, strings.Repeat("x", 200))
		case "/endless":
			for range 50 {
				_, _ = io.WriteString(w, strings.Repeat("x", 100))
				w.(http.Flusher).Flush()
			}
		case "/moved":
			http.Redirect(w, r, "/file", http.StatusFound)
		case "/broken":
			w.WriteHeader(http.StatusBadGateway)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	private, public := NewFetcher([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, 100), NewFetcher(nil, 100)
	tests := []struct {
		name      string
		fetcher   *Fetcher
		address   string
		want      string
		failure   string
		permanent bool
	}{
		{"a file", private, server.URL + "/file", "content", "", false},
		{"too large", private, server.URL + "/large", "", "too large", true},
		{"without end", private, server.URL + "/endless", "", "too large", true},
		{"redirect", private, server.URL + "/moved", "", "302", true},
		{"missing", private, server.URL + "/none", "", "404", true},
		{"failing", private, server.URL + "/broken", "", "502", false},
		{"not allowed", public, server.URL + "/file", "", "WEBHOOK_ALLOW_CIDRS", true},
		{"not public", NewPublicFetcher(100), server.URL + "/file", "", "fetch a file: its address is not a public one", true},
		{"no address", private, "::", "", "not a URL", true},
		{"no scheme", private, "/files/x", "", "not a URL", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var data []byte
			body, err := tt.fetcher.Open(t.Context(), tt.address)
			if err == nil {
				data, err = io.ReadAll(body)
				body.Close()
			}
			if tt.failure == "" && (err != nil || string(data) != tt.want) {
				t.Errorf("got %q, %v", data, err)
			}
			if tt.failure != "" && (err == nil || !strings.Contains(err.Error(), tt.failure) || errors.Is(err, chat.ErrPermanent) != tt.permanent) {
				t.Errorf("got %v, want %s", err, tt.failure)
			}
		})
	}
}
