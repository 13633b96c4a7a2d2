package chat

import (
	"regexp"
	"sync"
)

// LazyPattern returns a test for texts that are of a form as a whole. The pattern,
// which must be a correct one, is compiled when it is first needed: most never
// are, and all of them together took a millisecond of every start.
func LazyPattern(pattern string) func(text string) bool {
	whole := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:` + pattern + `)$`) })
	return func(text string) bool { return whole().MatchString(text) }
}
