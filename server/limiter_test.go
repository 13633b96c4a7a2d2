package server

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/limits"
	"github.com/relay-chat/relay/server/web"
)

func limitedServer() *Server {
	return newServer(config.Config{RateLimit: true}, Deps{}, nil)
}

// TestDownloadsAtATime: however slowly a file is read, a part of it is in memory;
// so one address does not read a thousand at once, in either mode.
func TestDownloadsAtATime(t *testing.T) {
	c := &community{Server: limitedServer()}
	for range limits.DownloadsPerAddress {
		c.Rates.AddressDownloads.Enter("203.0.113.1")
	}
	files := 0
	for _, rt := range append(c.fileRoutes(), (&bridge{Server: c.Server}).fileRoutes()...) {
		if !strings.HasPrefix(rt.Path, "/files/") {
			continue
		}
		files++
		r := httptest.NewRequest(rt.Method, "/files/x/y", nil)
		r.RemoteAddr = "203.0.113.1:5000"
		_, err := rt.Action(httptest.NewRecorder(), r, chat.Author{})
		var refused *web.Error
		if !errors.As(err, &refused) || refused.Status != http.StatusTooManyRequests {
			t.Errorf("%s %s: %v", rt.Method, rt.Path, err)
		}
	}
	if files != 4 {
		t.Errorf("%d routes to files", files)
	}
	once := c.Download(func(http.ResponseWriter, *http.Request, chat.Author) (any, error) { return web.Written{}, nil })
	r := httptest.NewRequest("GET", "/files/x/y", nil)
	for range limits.DownloadsPerAddress + 1 {
		if _, err := once(httptest.NewRecorder(), r, chat.Author{}); err != nil {
			t.Fatalf("one after the other: %v", err)
		}
	}
}

// TestStreamsLeaveTheirPlaces: a stream that ends frees its place for its address and its session.
func TestStreamsLeaveTheirPlaces(t *testing.T) {
	s := limitedServer()
	r := httptest.NewRequest("GET", "/api/widget/stream", nil)
	r.RemoteAddr = "203.0.113.1:5000"
	for range limits.StreamsPerAddress + 1 {
		leave, err := s.EnterStream(r, "session")
		if err != nil {
			t.Fatal(err)
		}
		leave()
	}
}

// TestNetworksShareLimits comes from a new IPv6 address each time, of one network of /48.
func TestNetworksShareLimits(t *testing.T) {
	s := limitedServer()
	from := func(i int) *http.Request {
		r := httptest.NewRequest("POST", "/api/widget/init", nil)
		r.RemoteAddr = fmt.Sprintf("[2001:db8:1:%x::1]:5000", i)
		return r
	}
	inits := 0
	for i := range 2 * limits.InitsPerAddress * limits.AddressesPerNetwork {
		if r := from(i); s.Limited(httptest.NewRecorder(), r, s.Rates.Inits, s.Address(r)) == nil {
			inits++
		}
	}
	streams := 0
	for i := range 2 * limits.StreamsPerAddress * limits.AddressesPerNetwork {
		if _, err := s.EnterStream(from(i), strconv.Itoa(i)); err == nil {
			streams++
		}
	}
	uploads := int64(0)
	for i := range 2 * limits.AddressesPerNetwork {
		r := from(i)
		r.ContentLength = limits.UploadedPerHour
		if s.MayBring(r, limits.UploadedPerHour/2) == nil {
			uploads++
		}
	}
	if inits != limits.InitsPerAddress*limits.AddressesPerNetwork || streams != limits.StreamsPerAddress*limits.AddressesPerNetwork || uploads > 2*limits.AddressesPerNetwork || uploads < limits.AddressesPerNetwork {
		t.Errorf("one network may begin %d sessions, open %d streams and upload %d times", inits, streams, uploads)
	}
	other := from(1)
	other.RemoteAddr = "[2001:db8:2:1::1]:5000"
	if err := s.Limited(httptest.NewRecorder(), other, s.Rates.Inits, s.Address(other)); err != nil {
		t.Errorf("another network: %v", err)
	}
}

// TestEventsCountAsBytes: the data of events uses up what an address may bring, like files.
func TestEventsCountAsBytes(t *testing.T) {
	s := limitedServer()
	r := httptest.NewRequest("POST", "/api/widget/events", nil)
	r.RemoteAddr = "203.0.113.1:5000"
	if err := s.MayStore(r, limits.UploadedPerHour-4000, 0, "no"); err != nil {
		t.Fatal(err)
	}
	if err := s.MayStore(r, 4000, 0, "no"); err != nil {
		t.Error(err)
	}
	if err := s.MayStore(r, 1, 0, "no"); err == nil || err.Error() != "no" {
		t.Errorf("got %v", err)
	}
}
