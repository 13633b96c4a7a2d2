package ai

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/relay-chat/relay/bridges/ai/verify"
	"github.com/relay-chat/relay/server/chat"
)

// What stands for personal data in what a model reads.
const (
	maskedMail   = "[e-mail address]"
	maskedCard   = "[card number]"
	maskedIBAN   = "[bank account]"
	maskedSecret = "[secret]"
)

var (
	ibanLike = regexp.MustCompile(`(?i)\b[a-z]{2}\d{2}(?:[ -]?[a-z0-9]{4}){2,7}(?:[ -]?[a-z0-9]{1,4})?\b`)
	cardLike = regexp.MustCompile(`\p{Nd}(?:[ .\-\x{a0}]{0,2}\p{Nd}){11,18}`)
	// queryIn matches what stands behind an address, and a password before its host.
	queryIn  = regexp.MustCompile(`(?i)((?:https?://|www\.)[^\s?#]+)[?#]\S+`)
	userInfo = regexp.MustCompile(`(?i)(https?://)[^\s/@]+@`)
	// secretLike matches keys and tokens: signed ones, those with a usual beginning, and long mixtures
	// of letters and digits.
	secretLike = regexp.MustCompile(`\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|(?i)\b(?:sk|pk|rk|ghp|gho|xox[a-z]|key|token|bearer)[-_ ][a-z0-9_-]{12,}|\b[A-Za-z0-9_-]{32,}\b`)
	pathSecret = regexp.MustCompile(`(?i)((?:https?://|www\.)\S*?/)([\w-]{24,})`)
)

// masks are what was hidden of a text, by what stands for it.
type masks map[string][]string

// hide replaces personal data in a text.
func (m masks) hide(text string) string {
	put := func(pattern *regexp.Regexp, mark string, is func(string) bool) {
		text = pattern.ReplaceAllStringFunc(text, func(found string) string {
			if is != nil && !is(found) {
				return found
			}
			if !slices.Contains(m[mark], found) {
				m[mark] = append(m[mark], found)
			}
			return mark
		})
	}
	text = userInfo.ReplaceAllString(text, "$1")
	text = queryIn.ReplaceAllString(text, "$1")
	text = pathSecret.ReplaceAllString(text, "$1"+maskedSecret)
	put(mailAddress, maskedMail, nil)
	put(ibanLike, maskedIBAN, isIBAN)
	put(cardLike, maskedCard, isCard)
	put(secretLike, maskedSecret, isSecret)
	return text
}

// restore puts back for operators what was hidden, where only one thing can be meant. A secret
// stays hidden.
func (m masks) restore(text string) string {
	for _, mark := range []string{maskedMail, maskedCard, maskedIBAN} {
		if len(m[mark]) == 1 {
			text = strings.ReplaceAll(text, mark, m[mark][0])
		}
	}
	return text
}

// isCard reports whether digits have the check digit of a card's number.
func isCard(text string) bool {
	sum, n := 0, 0
	runes := []rune(text)
	for _, r := range slices.Backward(runes) {
		if !unicode.IsDigit(r) {
			continue
		}
		d := int(verify.Digit(r) - '0')
		if n%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum, n = sum+d, n+1
	}
	return n >= 12 && n <= 19 && sum%10 == 0
}

// isIBAN reports whether the check digits of an account's number are right.
func isIBAN(text string) bool {
	text = strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(text))
	if len(text) < 15 || len(text) > 34 {
		return false
	}
	var digits strings.Builder
	for _, r := range text[4:] + text[:4] {
		if r >= 'A' {
			digits.WriteString([]string{"1", "2", "3"}[(r-'A')/10] + string('0'+(r-'A')%10))
		} else {
			digits.WriteRune(r)
		}
	}
	n, ok := new(big.Int).SetString(digits.String(), 10)
	return ok && n.Mod(n, big.NewInt(97)).Int64() == 1
}

// isSecret reports whether a long word mixes letters and digits, as people's words do not.
func isSecret(text string) bool {
	letters := strings.ContainsFunc(text, unicode.IsLetter)
	return letters && strings.ContainsFunc(text, unicode.IsDigit)
}

// masksOf are what is hidden of the messages of a turn.
func masksOf(messages []chat.Message) masks {
	m := masks{}
	for i := range messages {
		if messages[i].Sender != chat.SenderAI {
			m.hide(messages[i].Content)
		}
	}
	return m
}
