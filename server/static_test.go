package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/assets"
	"github.com/relay-chat/relay/db/dbtest"
)

func TestStaticFiles(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	var core string
	for _, name := range assets.Names() {
		if strings.HasPrefix(name, "core-") {
			core = name
		}
	}
	for _, tt := range []struct {
		path   string
		status int
		cache  string
	}{
		{"/widget.js", 200, "max-age=300"},
		{"/widget.mjs", 200, "max-age=300"},
		{"/widget.d.mts", 200, "max-age=300"},
		{"/widget/" + core, 200, "immutable"},
		{"/widget/core-0123456789.js", 200, "no-cache"}, // of a release before
		{"/widget/panel-x.js", 200, "no-cache"},
		{"/widget/widget.js", 200, "immutable"},
		{"/widget/nothing.js", 404, ""},
		{"/widget/-", 404, ""},
		{"/static/console.js", 200, "no-cache"},
		{"/static/start-dark.webp", 200, "no-cache"},
		{"/static/..%2fassets.go", 404, ""},
	} {
		a := s.call("GET", tt.path, "", nil)
		if a.status != tt.status || !strings.Contains(a.header.Get("Cache-Control"), tt.cache) {
			t.Errorf("%s: %d, Cache-Control %q", tt.path, a.status, a.header.Get("Cache-Control"))
		}
	}
	a := s.must("GET", "/widget.js", "", nil, "Accept-Encoding", "gzip")
	if a.header.Get("Content-Encoding") != "gzip" || a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("widget.js: %v", a.header)
	}
	p := s.must("GET", "/static/start.webp", "", nil, "Accept-Encoding", "gzip")
	if p.header.Get("Content-Encoding") != "" || p.header.Get("Content-Type") != "image/webp" || !strings.HasPrefix(string(p.body), "RIFF") {
		t.Errorf("a picture of a guide: %v", p.header) // it is compressed already
	}
	if again := s.call("GET", "/widget.js", "", nil, "If-None-Match", a.header.Get("ETag")); again.status != 304 || len(again.body) != 0 {
		t.Errorf("a known widget.js: %d, %d bytes", again.status, len(again.body))
	}
}

// TestPages shows every page once, as browsers ask for them.
func TestPages(t *testing.T) {
	for _, tt := range []struct {
		path   string
		status int
		text   string
	}{
		{"/", 200, "relay"},
		{"/demo", 200, "/widget.js"},
		{"/console", 200, "/console/login"},
		{"/docs", 200, "What would you like to do?"},
		{"/docs/reference", 200, "/api/widget/init"},
		{"/nothing", 404, "no such page"},
	} {
		s := newSite(t, dbtest.Memory(t))
		a := s.call("GET", tt.path, "", nil, "Accept", "text/html")
		if a.status != tt.status || !strings.Contains(string(a.body), tt.text) || !strings.Contains(a.header.Get("Content-Security-Policy"), "frame-ancestors '") {
			t.Errorf("%s: %d, CSP %q, without %q", tt.path, a.status, a.header.Get("Content-Security-Policy"), tt.text)
		}
	}
}
