package server_test

import (
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
				method, path, _ := strings.Cut(rt, " ")
				takes[path] = append(takes[path], method)
			}
			for path, methods := range takes {
				a := s.call("LOCK", pathVariable.ReplaceAllString(path, "x"), "", nil)
				s.refused(a, 405, "Method not allowed")
				slices.Sort(methods)
				if got := strings.Split(a.header.Get("Allow"), ", "); !slices.Equal(slices.Sorted(slices.Values(got)), methods) {
					t.Errorf("%s takes %v, the answer names %v", path, methods, got)
				}
			}
		})
	}
}
