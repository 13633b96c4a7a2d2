package knowledge

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestRules follows the examples of RFC 9309 and of the large search engines.
func TestRules(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		allowed    string
		disallowed string
	}{
		{"none", "", "/ /a", ""},
		{"all", "User-agent: *\nDisallow: /", "", "/ /a /a?b"},
		{"nothing", "User-agent: *\nDisallow:", "/ /a", ""},
		{"a prefix", "user-agent: *\ndisallow: /fish", "/ /Fish /catfish", "/fish /fish.html /fishheads/x /fish?id=1"},
		{"a folder", "User-agent: *\nDisallow: /fish/", "/fish /fish.html", "/fish/ /fish/salmon"},
		{"a star", "User-agent: *\nDisallow: /*.php", "/ /a.html", "/index.php /folder/a.php?x /a.php5"},
		{"an end", "User-agent: *\nDisallow: /*.php$", "/a.php?x /a.php5", "/a.php /b/a.php"},
		{"an end without a star", "User-agent: *\nDisallow: /a$", "/ab /a/", "/a"},
		{"stars", "User-agent: *\nDisallow: /a*b*c$", "/ac /abc/d", "/abc /axbyc /abbcc /abcxc"},
		{"the longest", "User-agent: *\nAllow: /p\nDisallow: /", "/page", "/x"},
		{"as long", "User-agent: *\nDisallow: /folder\nAllow: /folder", "/folder/page", ""},
		{"ours", "User-agent: *\nDisallow: /\n\nUser-agent: Relay-Knowledge/1.0\nDisallow: /own", "/ /x", "/own"},
		{"others", "User-agent: other\nDisallow: /", "/ /x", ""},
		{"named together", "User-agent: other\nUser-agent: relay-knowledge\nDisallow: /x\nUser-agent: third\nDisallow: /y", "/y", "/x"},
		{"twice", "User-agent: relay-knowledge\nDisallow: /x\nUser-agent: a\nDisallow: /\nUser-agent: relay-knowledge\nDisallow: /y", "/z", "/x /y"},
		{"escapes", "User-agent: *\nDisallow: /caf%C3%A9\nDisallow: /b%61r\nDisallow: /a%2Fb", "/a/b", "/caf%c3%a9 /bar /%62ar /a%2fb"},
		{"characters", "User-agent: *\nDisallow: /café", "/caf", "/caf%C3%A9"},
		{"noise", "\xef\xbb\xbfUser-agent: * # all\r\nSitemap: https://x.example/s.xml\r\nDisallow : /x # why\r\n<html>\r\n", "/", "/x"},
		{"no group", "Disallow: /", "/ /x", ""},
	} {
		rules := parseRules([]byte(tt.file), userAgent)
		for _, path := range strings.Fields(tt.allowed) {
			if !rules.allows(path) {
				t.Errorf("%s: %s is disallowed", tt.name, path)
			}
		}
		for _, path := range strings.Fields(tt.disallowed) {
			if rules.allows(path) {
				t.Errorf("%s: %s is allowed", tt.name, path)
			}
		}
	}
	if got := parseRules([]byte("User-agent: *\nCrawl-delay: 2.5"), userAgent).delay; got != 2500*time.Millisecond {
		t.Errorf("the delay is %v", got)
	}
}

// FuzzRules: no robots.txt keeps relay busy, and what it allows does not depend on how an
// address is escaped.
func FuzzRules(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /"+strings.Repeat("*a", 1000)+"$", "/"+strings.Repeat("a", 1900))
	f.Add("User-agent: *\nDisallow: /%", "/%4")
	f.Add("User-agent: *\nDisallow: /a%2F*$", "/a/b?c=%20")
	f.Fuzz(func(t *testing.T, file, path string) {
		rules := parseRules([]byte(file), userAgent)
		u, err := url.Parse("https://x.example/" + strings.TrimPrefix(path, "/"))
		if err != nil {
			return
		}
		if again := escaped(escaped(u.RequestURI())); again != escaped(u.RequestURI()) {
			t.Fatalf("%q is escaped twice: %q", u.RequestURI(), again)
		}
		_ = rules.allows(u.RequestURI())
	})
}
