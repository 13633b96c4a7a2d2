package chat

import (
	"regexp"
	"strings"
	"unicode"
)

const (
	codeLength = 6
	// fewLetters are beside a code in a text that has little else.
	fewLetters = 40
)

// digitRun matches digits of any script with what people write between those of one number.
var (
	digitRun  = regexp.MustCompile(`\p{Nd}+(?:(?:[\p{Zs}\t]{1,3}|\.|[\p{Zs}\t]?\p{Pd}[\p{Zs}\t]?)\p{Nd}+)*`)
	digitGaps = regexp.MustCompile(`\P{Nd}+`)
)

// codes are the numbers in a text that may be codes.
type codes struct {
	text  string
	at    [][]int // where they are
	only  bool    // there are no other digits
	few   bool    // and few words
	alone bool    // nothing else is said
}

func codesIn(text string) (c codes) {
	c.text, c.only = text, true
	for _, at := range digitRun.FindAllStringIndex(text, -1) {
		if run := text[at[0]:at[1]]; asCode(run) {
			c.at = append(c.at, at)
		} else {
			c.only = false
		}
	}
	letters, signs := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsSymbol(r): // as of a currency
			signs++
		}
	}
	c.only = c.only && len(c.at) == 1
	c.few, c.alone = letters <= fewLetters, c.only && letters+signs == 0
	return c
}

// tried reports whether the text is tried: somebody who says a code says little else.
func (c *codes) tried() bool { return len(c.at) > 0 && (c.few || c.only) }

// without is the text without those codes that are to be masked.
func (c *codes) without(masked func(code string) bool) string {
	var b strings.Builder
	end := 0
	for _, at := range c.at {
		if !masked(digitsOf(c.text[at[0]:at[1]])) {
			continue
		}
		b.WriteString(c.text[end:at[0]] + CodeMask)
		end = at[1]
	}
	return b.String() + c.text[end:]
}

// asCode reports whether digits are written as a code is, like 123 456 or 12 34 56: a date or the
// number of a telephone is not.
func asCode(run string) bool {
	groups := digitGaps.Split(run, -1)
	size := len([]rune(groups[0]))
	for _, group := range groups {
		if len([]rune(group)) != size {
			return false
		}
	}
	spaced := func(r rune) bool { return unicode.Is(unicode.Nd, r) || unicode.IsSpace(r) }
	return size*len(groups) == codeLength && (len(groups) <= 2 || strings.IndexFunc(run, func(r rune) bool { return !spaced(r) }) < 0)
}

// MayHaveCode reports whether a text may be tried as a code.
func MayHaveCode(text string) bool {
	codes := codesIn(text)
	return codes.tried()
}

// SaysCode reports whether a text has little else than what may be a code.
func SaysCode(text string) bool {
	codes := codesIn(text)
	return len(codes.at) > 0 && codes.few
}

// MaskDigits is a text without its digits.
func MaskDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Nd, r) {
			return '•'
		}
		return r
	}, text)
}

// digitsOf are the digits of a run, as 0 to 9.
func digitsOf(run string) string {
	var b strings.Builder
	for _, r := range run {
		if !unicode.Is(unicode.Nd, r) {
			continue
		}
		b.WriteRune('0' + digitValue(r))
	}
	return b.String()
}

// digitValue is the value of a digit: each script has its ten in a row.
func digitValue(r rune) rune {
	for _, block := range unicode.Nd.R16 {
		if lo := rune(block.Lo); r >= lo && r <= rune(block.Hi) {
			return (r - lo) % 10
		}
	}
	for _, block := range unicode.Nd.R32 {
		if lo := rune(block.Lo); r >= lo && r <= rune(block.Hi) {
			return (r - lo) % 10
		}
	}
	return 0
}
