package config

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

//go:embed bots.txt
var botList string

// bots matches the User-Agents of the list.
var bots = sync.OnceValue(func() *regexp.Regexp {
	var patterns []string
	for line := range strings.Lines(botList) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			patterns = append(patterns, "(?:"+line+")")
		}
	}
	return regexp.MustCompile("(?i)" + strings.Join(patterns, "|"))
})

// IsBot reports whether a visitor's User-Agent is that of a program that nobody sits at, by
// relay's own list.
func (c *Config) IsBot(agent string) bool {
	return c.UAFilterBots && agent != "" && bots().MatchString(agent)
}

// AgentList matches User-Agents: substrings or /regular expressions/, both
// without regard to case.
type AgentList struct{ patterns []*regexp.Regexp }

// parseAgents reads a list whose entries are separated by commas; a comma
// between the slashes of a regular expression belongs to it.
func parseAgents(text string) (AgentList, error) {
	var list AgentList
	for text = strings.TrimSpace(text); text != ""; {
		var entry string
		expr := strings.HasPrefix(text, "/")
		if expr {
			end := regexEnd(text)
			if end < 0 {
				return list, errMalformed
			}
			entry, text = text[1:end], strings.TrimSpace(text[end+1:])
			if text != "" && text[0] != ',' {
				return list, errMalformed
			}
			text = strings.TrimPrefix(text, ",")
		} else {
			entry, text, _ = strings.Cut(text, ",")
			entry = regexp.QuoteMeta(strings.TrimSpace(entry))
		}
		text = strings.TrimSpace(text)
		if entry == "" {
			continue
		}
		pattern, err := regexp.Compile("(?i)" + entry)
		if err != nil {
			return list, errMalformed
		}
		list.patterns = append(list.patterns, pattern)
	}
	return list, nil
}

// regexEnd returns where the expression that text begins with has its closing
// slash, -1 when it has none. \/ is a slash inside.
func regexEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '/':
			return i
		}
	}
	return -1
}

// empty reports whether the list has no entries.
func (l AgentList) empty() bool { return len(l.patterns) == 0 }

// matches reports whether an entry matches.
func (l AgentList) matches(agent string) bool {
	for _, p := range l.patterns {
		if p.MatchString(agent) {
			return true
		}
	}
	return false
}

// FilterMode is what the User-Agent filter does with its lists.
type FilterMode string

// Blocklist blocks whom its list matches, allowlist everybody whom its list
// does not match, both whom only the blocklist matches. An empty list blocks
// nobody.
const (
	FilterBlocklist FilterMode = "blocklist"
	FilterAllowlist FilterMode = "allowlist"
	FilterBoth      FilterMode = "both"
)

// BlocksAgent reports whether the User-Agent filter blocks a program.
func (c *Config) BlocksAgent(agent string) bool {
	if !c.UAFilterEnabled {
		return false
	}
	blocked, allowed := c.UAFilterBlocklist.matches(agent), c.UAFilterAllowlist.matches(agent)
	switch c.UAFilterMode {
	case FilterAllowlist:
		return !c.UAFilterAllowlist.empty() && !allowed
	case FilterBoth:
		return blocked && !allowed
	}
	return blocked
}
