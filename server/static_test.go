package server_test

import (
	"io/fs"
	"strings"
	"testing"

	"relay/assets"
	"relay/db/dbtest"
)

func TestStaticFiles(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	var core string
	err := fs.WalkDir(assets.Dist(), ".", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasPrefix(name, "core-") {
			core = name
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path   string
		status int
		cache  string
	}{
		{"/widget.js", 200, "max-age=300"},
		{"/widget/" + core, 200, "immutable"},
		{"/widget/core-0123456789.js", 200, "no-cache"}, // of a release before
		{"/widget/panel-x.js", 200, "no-cache"},
		{"/widget/widget.js", 200, "immutable"},
		{"/widget/nothing.js", 404, ""},
		{"/widget/-", 404, ""},
		{"/static/console.js", 200, "no-cache"},
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
	if again := s.call("GET", "/widget.js", "", nil, "If-None-Match", a.header.Get("ETag")); again.status != 304 || len(again.body) != 0 {
		t.Errorf("a known widget.js: %d, %d bytes", again.status, len(again.body))
	}
}
