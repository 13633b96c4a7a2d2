package chat

import "regexp"

// Pattern returns a function that matches whole texts against a regular expression.
func Pattern(expr string) func(text string) bool {
	return regexp.MustCompile(`^(?:` + expr + `)$`).MatchString
}
