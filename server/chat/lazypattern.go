package chat

import (
	"regexp"
	"sync"
)

// LazyRegexp returns a function that returns the compiled pattern. It is compiled
// on first use: most patterns never are, and compiling all would add milliseconds
// to every start.
func LazyRegexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// LazyPattern returns a function that matches whole texts against a pattern.
func LazyPattern(pattern string) func(text string) bool {
	whole := LazyRegexp(`^(?:` + pattern + `)$`)
	return func(text string) bool { return whole().MatchString(text) }
}
