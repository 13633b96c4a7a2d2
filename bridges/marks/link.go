package marks

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Link returns a link as widget and console draw it, or its words with the address
// behind them.
func Link(words, address string) string {
	if target, ok := bracketed(words, address); ok {
		return "[" + words + "](" + target + ")"
	}
	return words + aside(words, address)
}

// addressLike finds words that look like an address: as words of a link they could lie.
var addressLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w-]\.[\w-]|://`) })

var brackets = strings.NewReplacer("(", "%28", ")", "%29")

// bracketed returns the address for a link in brackets; ok is false when it would not
// be drawn as a link, or hide the sign of a note.
func bracketed(words, address string) (target string, ok bool) {
	target = brackets.Replace(address)
	u, err := url.Parse(target)
	if err != nil || len(target) > 2000 {
		return "", false
	}
	web := (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	if mail := u.Scheme == "mailto" && u.Opaque != ""; !web && !mail {
		return "", false
	}
	odd := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\ufeff' || r == '\\' }
	fits := strings.TrimSpace(words) != "" && utf8.RuneCountInString(words) <= 200 && !strings.ContainsAny(words, "[]`\n") && !addressLike().MatchString(words)
	return target, fits && !instructs([]rune(words)) && !strings.ContainsFunc(target, odd)
}

// aside is what follows the words of a link that is not in brackets.
func aside(words, address string) string {
	if SameAddress(words, address) {
		return ""
	}
	return " (" + address + ")"
}

// SameAddress reports whether a link's words are its address.
func SameAddress(words, address string) bool { return bare(strings.TrimSpace(words)) == bare(address) }

func bare(address string) string {
	for _, scheme := range []string{"https://", "http://", "mailto:", "tel:"} {
		address = strings.TrimPrefix(address, scheme)
	}
	return strings.TrimSuffix(address, "/")
}
