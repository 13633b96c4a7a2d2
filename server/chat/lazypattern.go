package chat

import (
	"regexp"
	"sync"
)

// LazyPattern returns a function that matches whole texts against a pattern. It
// is compiled on first use: most patterns never
// are, and compiling all took a millisecond of every start.
func LazyPattern(pattern string) func(text string) bool {
	whole := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:` + pattern + `)$`) })
	return func(text string) bool { return whole().MatchString(text) }
}
