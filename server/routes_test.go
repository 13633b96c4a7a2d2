package server_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

// pathVariable is what stands for any word in a route's path.
var pathVariable = regexp.MustCompile(`\{\w+\}`)

// TestMethodNotAllowedNamesTheMethods asks at every address of both servers for
// what it does not do: the answer says what it does (RFC 9110, 15.5.6).
func TestMethodNotAllowedNamesTheMethods(t *testing.T) {
	for name, s := range map[string]*site{"community": newSite(t, dbtest.Memory(t)), "bridge": newBridgeSite(t)} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			takes := map[string][]string{}
			for _, rt := range s.server.Routes() {
				method, route, _ := strings.Cut(rt, " ")
				takes[route] = append(takes[route], method)
			}
			for route := range takes {
				address, methods := pathVariable.ReplaceAllString(route, "x"), []string{}
				for other, more := range takes { // a word may also stand for a variable
					if matches, _ := path.Match(pathVariable.ReplaceAllString(other, "*"), address); matches {
						methods = append(methods, more...)
					}
				}
				a := s.call("LOCK", address, "", nil)
				s.refused(a, 405, "Method not allowed")
				slices.Sort(methods)
				methods = slices.Compact(methods)
				if got := strings.Split(a.header.Get("Allow"), ", "); !slices.Equal(slices.Sorted(slices.Values(got)), methods) {
					t.Errorf("%s takes %v, the answer names %v", route, methods, got)
				}
			}
		})
	}
}
