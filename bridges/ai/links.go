package ai

import (
	"net/url"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/relay-chat/relay/bridges/marks"
)

// Texts that platforms and browsers turn into links, in a text as people see it.
var (
	address = regexp.MustCompile(`(?i)\b(?:[a-z][a-z0-9+.-]{1,20}:/{1,2}|mailto:|javascript:|data:|vbscript:|tel:|file:)(?:[^\s<>"'()）」]|\([^\s()]*\))+`)
	mention = regexp.MustCompile(`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`)
	numeric = regexp.MustCompile(`(?i)\bwww\.[^\s<>"')]+|\b(?:\d{1,3}\.){3}\d{1,3}\b[^\s<>"')]*`)
	dotted  = regexp.MustCompile(`[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:[/?#:][^\s<>"')]*)?`)
)

// withoutForeignLinks leaves only addresses in a text that lead to the passages or
// that the owner of the website gave.
func (g *grounds) withoutForeignLinks(text string) string {
	s := see(text)
	s.sort(address, g.leadsHome)
	s.sort(mention, g.isOwnMail)
	s.sort(numeric, g.leadsHome)
	s.sortDomains(dotted, g.leadsHome)
	return s.withoutForeign()
}

// sight is a text as people see it: marks and invisible signs are gone, and signs that
// look alike are the same. from and to say where each byte of it is in the text.
type sight struct {
	text     string
	seen     []byte
	from, to []int
	gone     []span
	parted   map[int]bool // where a space belongs
}

// span is a part of a text, in bytes.
type span struct{ from, to int }

// hidingMarks disappear when a text is shown.
const hidingMarks = "*_~`|\\"

func see(text string) *sight {
	s := &sight{text: text, parted: map[int]bool{}}
	for i, r := range text {
		if strings.ContainsRune(hidingMarks, r) {
			continue
		}
		size, shown := max(utf8.RuneLen(r), 1), string(r)
		if r >= utf8.RuneSelf {
			shown = marks.Seen(shown)
		}
		for j := range len(shown) {
			s.seen, s.from, s.to = append(s.seen, shown[j]), append(s.from, i), append(s.to, i+size)
		}
	}
	return s
}

// ending are signs behind an address that are not part of it.
const ending = ".,;:!?"

// sort looks at what a pattern finds: it stays if it is allowed, else it goes.
func (s *sight) sort(pattern *regexp.Regexp, allowed func(address string) bool) {
	for _, at := range pattern.FindAllIndex(s.seen, -1) {
		s.judge(at[0], at[1], allowed)
	}
}

// sortDomains is sort for what may be no address at all: words with a dot between them.
func (s *sight) sortDomains(pattern *regexp.Regexp, allowed func(address string) bool) {
	for _, at := range pattern.FindAllIndex(s.seen, -1) {
		end, isSentence := domainIn(string(s.seen[at[0]:at[1]]))
		switch {
		case isSentence:
			s.parted[s.from[at[0]+end]] = true
		case end > 0:
			s.judge(at[0], at[0]+end, allowed)
		}
	}
}

// judge keeps or removes an address. Either way no later pattern looks into it.
func (s *sight) judge(from, to int, allowed func(address string) bool) {
	found := strings.TrimRight(string(s.seen[from:to]), ending)
	if found == "" {
		return
	}
	original := span{s.from[from], s.to[from+len(found)-1]}
	if !allowed(strings.TrimRight(s.text[original.from:original.to], ")]}>")) {
		s.gone = append(s.gone, original)
	}
	for i := from; i < from+len(found); i++ {
		s.seen[i] = ' '
	}
}

// withoutForeign returns the text that may be shown.
func (s *sight) withoutForeign() string {
	if len(s.gone)+len(s.parted) == 0 {
		return s.text
	}
	sort.Slice(s.gone, func(i, j int) bool { return s.gone[i].from < s.gone[j].from })
	var b strings.Builder
	at := 0
	for i, r := range s.text {
		for at < len(s.gone) && s.gone[at].to <= i {
			at++
		}
		if at < len(s.gone) && i >= s.gone[at].from {
			continue
		}
		if s.parted[i] {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// domainIn returns how much of words with dots between them is a domain with what
// follows it, 0 if nothing is. Where a capital letter follows a dot, it is where one
// sentence ends and the next one begins: a space belongs there, at end.
func domainIn(found string) (end int, isSentence bool) {
	host, _, hasPath := cutPath(found)
	labels := strings.Split(host, ".")
	for n := len(labels); n >= 2; n-- {
		if !isTopLevel(labels[n-1]) && !(hasPath && n == len(labels) && isWord(labels[n-1])) {
			continue
		}
		length := len(strings.Join(labels[:n], "."))
		if n == len(labels) {
			if !hasPath && isCapitalised(labels[n-1]) {
				return length - len(labels[n-1]), true
			}
			return len(found), false
		}
		return length, false
	}
	return 0, false
}

// cutPath parts a host from what follows it.
func cutPath(found string) (host, path string, hasPath bool) {
	i := strings.IndexAny(found, "/?#:")
	if i < 0 {
		return found, "", false
	}
	return found[:i], found[i:], found[i] == '/' && len(found) > i+1
}

// isWord reports whether a label can be a top-level domain of any kind.
func isWord(label string) bool {
	return utf8.RuneCountInString(label) >= 2 && strings.IndexFunc(label, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

func isCapitalised(label string) bool {
	runes := []rune(label)
	return unicode.IsUpper(runes[0]) && string(runes[1:]) == strings.ToLower(string(runes[1:]))
}

// reserved are top-level domains that no registry has, and that lead somewhere all
// the same.
var reserved = []string{"example", "test", "invalid", "localhost", "local", "internal", "onion"}

// isTopLevel reports whether a label is a top-level domain.
func isTopLevel(label string) bool {
	ascii, err := idna.Punycode.ToASCII(strings.ToLower(label))
	if err != nil || len(ascii) < 2 {
		return false
	}
	suffix, listed := publicsuffix.PublicSuffix("x." + ascii)
	return listed || strings.Contains(suffix, ".") || slices.Contains(reserved, ascii)
}

// leadsHome reports whether an address is that of a passage, or one that the
// owner's instructions name.
func (g *grounds) leadsHome(address string) bool {
	if g.instructions != "" && containsWord(strings.ToLower(g.instructions), strings.ToLower(address)) {
		return true
	}
	for _, p := range g.passages {
		if address == p.URL || strings.EqualFold(address, hostOf(p.URL)) {
			return true
		}
	}
	return false
}

// isOwnMail reports whether an address of e-mail is of a passage's own site, or one
// that the owner's instructions name.
func (g *grounds) isOwnMail(address string) bool {
	_, domain, _ := strings.Cut(strings.ToLower(address), "@")
	for _, p := range g.passages {
		host := strings.ToLower(hostOf(p.URL))
		if host != "" && (host == domain || strings.HasSuffix(host, "."+domain)) && strings.Contains(strings.ToLower(p.Text), strings.ToLower(address)) {
			return true
		}
	}
	return g.instructions != "" && containsWord(strings.ToLower(g.instructions), strings.ToLower(address))
}

// containsWord reports whether a text has an address that does not go on behind it.
func containsWord(text, address string) bool {
	for {
		_, rest, found := strings.Cut(text, address)
		if !found {
			return false
		}
		if rest == "" || strings.ContainsAny(rest[:1], " \t\n,;:!?)]}>\"'.") {
			return true
		}
		text = rest
	}
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// isWebAddress reports whether an address can be shown as a link.
func isWebAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}
