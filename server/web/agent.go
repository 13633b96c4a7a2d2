package web

import (
	"net/http"
	"strings"
)

// browsers is in the order in which their marks must be tried: most of
// them claim to be others, too.
var browsers = []struct{ mark, name string }{
	{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"}, {"Firefox/", "Firefox"},
	{"FxiOS", "Firefox"}, {"CriOS", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
}

// DescribeAgent reads a browser's name and the kind of device out of a
// User-Agent, to show it to operators.
func DescribeAgent(agent string) (browser, device string) {
	for _, b := range browsers {
		if strings.Contains(agent, b.mark) {
			browser = b.name
			break
		}
	}
	switch {
	case agent == "":
	case strings.Contains(agent, "iPad") || strings.Contains(agent, "Tablet"):
		device = "tablet"
	case strings.Contains(agent, "Mobi") || strings.Contains(agent, "iPhone"):
		device = "mobile"
	case strings.Contains(agent, "Android"):
		device = "tablet"
	default:
		device = "desktop"
	}
	return browser, device
}

// Country is the visitor's country by the CDN in front of relay. It is shown,
// never relied on.
func Country(r *http.Request) string {
	code := r.Header.Get("Cf-Ipcountry")
	if len(code) != 2 || code == "XX" || !IsText(code) {
		return ""
	}
	return code
}
