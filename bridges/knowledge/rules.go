package knowledge

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"
	"time"
)

// maxRules is how much of a robots.txt counts, in bytes (RFC 9309, 2.5).
const maxRules = 500 << 10

// rules are what a robots.txt (RFC 9309) says to relay. No library matches its patterns in
// time proportional to their length and the address's; a site writes both.
type rules struct {
	list  []rule
	delay time.Duration // between two requests; 0 when it names none
}

// rule allows or disallows the paths that match its pattern.
type rule struct {
	allow  bool
	parts  []string // what stands between the pattern's stars
	ends   bool     // the path ends where the pattern does
	length int
}

// parseRules reads the group of a program, or that for all programs where it has none.
func parseRules(data []byte, program string) rules {
	groups := map[string]*rules{}
	var current []*rules
	naming := false // the lines before were names of programs
	lines := bufio.NewScanner(bytes.NewReader(data[:min(len(data), maxRules)]))
	lines.Buffer(nil, maxRules+1)
	for lines.Scan() {
		line, _, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "\uFEFF"), "#")
		key, value, found := strings.Cut(line, ":")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch {
		case !found:
		case key == "user-agent":
			if !naming {
				current = nil
			}
			naming = true
			if name := productOf(value); name == "*" || name == program {
				if groups[name] == nil {
					groups[name] = &rules{}
				}
				current = append(current, groups[name])
			}
		case key == "allow" || key == "disallow" || key == "crawl-delay":
			naming = false
			for _, g := range current {
				g.add(key, value)
			}
		}
	}
	for _, name := range []string{program, "*"} {
		if g := groups[name]; g != nil {
			return *g
		}
	}
	return rules{}
}

// productOf is a program's name without its version.
func productOf(value string) string {
	name, _, _ := strings.Cut(strings.ToLower(value), "/")
	return strings.TrimSpace(name)
}

func (g *rules) add(key, value string) {
	if key == "crawl-delay" {
		if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 && seconds < 1e6 {
			g.delay = time.Duration(seconds * float64(time.Second))
		}
		return
	}
	if value == "" || len(value) > 2*maxAddress { // it matches nothing
		return
	}
	pattern, ends := strings.CutSuffix(escaped(value), "$")
	g.list = append(g.list, rule{key == "allow", strings.Split(pattern, "*"), ends, len(value)})
}

// allows reports whether a path with its query may be read: the longest rule that matches
// it says so, and of two as long the one that allows.
func (g rules) allows(path string) bool {
	path = escaped(path)
	longest, allowed := -1, true
	for _, r := range g.list {
		if (r.length > longest || r.length == longest && r.allow) && r.matches(path) {
			longest, allowed = r.length, r.allow
		}
	}
	return allowed
}

// matches takes the first place for each part, which leaves most to the ones behind.
func (r rule) matches(path string) bool {
	rest, found := strings.CutPrefix(path, r.parts[0])
	if !found {
		return false
	}
	last := len(r.parts) - 1
	if r.ends && last == 0 {
		return rest == ""
	}
	for i, part := range r.parts[1:] {
		if r.ends && i+1 == last {
			return strings.HasSuffix(rest, part)
		}
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return true
}

// escaped writes what needs no escape plainly, and the rest in one way, so that two
// spellings of a path are equal.
func escaped(path string) string {
	if !strings.Contains(path, "%") && isASCII(path) {
		return path
	}
	var out strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' && i+2 < len(path) {
			if code, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				out.WriteString(spelling(byte(code), true))
				i += 2
				continue
			}
		}
		out.WriteString(spelling(c, false))
	}
	return out.String()
}

// spelling writes one byte of a path. One that was escaped stays so if it is a sign with a
// meaning in addresses.
func spelling(c byte, wasEscaped bool) string {
	if c < 0x80 && (!wasEscaped || isUnreserved(c)) {
		return string(rune(c))
	}
	return "%" + strings.ToUpper(strconv.FormatUint(uint64(c)|0x100, 16)[1:])
}

// isUnreserved follows RFC 3986, 2.3.
func isUnreserved(c byte) bool {
	return strings.IndexByte("-._~", c) >= 0 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
