package marks

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Link returns a link as widget and console draw it, or its words with the address
// behind them.
func Link(words, address string) string {
	if target, ok := bracketed(words, address); ok {
		return "[" + words + "](" + target + ")"
	}
	return words + aside(words, address)
}

// AddressLike reports whether words read as an address: as words of a link they could
// lie. Invisible signs do not count, and forms and dots that look alike are the same.
// assets/shared/markup.ts holds the same rule, testdata/linkwords.json its cases.
func AddressLike(words string) bool { return addressLike().MatchString(Seen(words)) }

// Seen is a text as people read addresses in it: without invisible signs, look-alike
// forms and dots as the usual ones.
func Seen(text string) string {
	return strings.Map(seenAs, norm.NFKC.String(strings.Map(visible, text)))
}

var addressLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[\p{L}\p{N}\p{S}_-]\.[\p{L}\p{N}\p{S}_-]|://|https?[^\p{L}\p{N}\s]{2}`)
})

// visible drops the signs that nobody sees: ignorable ones, marks on letters, and
// spaces as narrow as a gap between letters.
func visible(r rune) rune {
	narrow := r >= '\u2000' && r <= '\u200a' || r == '\u202f' || r == '\u205f' || r == '\u2800'
	if narrow || unicode.In(r, unicode.Cc, unicode.Cf, unicode.M, unicode.Other_Default_Ignorable_Code_Point) {
		return -1
	}
	return r
}

// dots are the signs of other scripts that look like a full stop, or end a part of a
// domain as one does.
const dots = "。｡․\u0660\u06d4\u06f0\u0701\u0702\ua4f8\ua60e\U00010a50\U0001d16d"

func seenAs(r rune) rune {
	if strings.ContainsRune(dots, r) {
		return '.'
	}
	return visible(r)
}

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
	fits := strings.TrimSpace(words) != "" && utf8.RuneCountInString(words) <= 200 && !strings.ContainsAny(words, "[]`\n") && !AddressLike(words)
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
