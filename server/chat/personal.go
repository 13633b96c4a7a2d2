package chat

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// hidden stands for what is personal in a text.
const hidden = "[…]"

var (
	mailLike = regexp.MustCompile(`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+`)
	// queryLike matches what stands behind an address: it may be a token.
	queryLike = regexp.MustCompile(`(https?://[^\s?#]+)[?#]\S+`)
	// codeLike matches IBANs, and codes of letters and digits.
	codeLike = regexp.MustCompile(`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b|\b(?:[A-Za-z]+[-_]?\d|\d+[-_]?[A-Za-z])[A-Za-z0-9_-]{6,}\b`)
	// numberLike matches telephone, card and order numbers: five digits or more.
	numberLike = regexp.MustCompile(`[+(]?\p{Nd}(?:[ \t./()-]{0,2}\p{Nd}){4,}`)
	// streetLike matches a street with the number of a house.
	streetLike = regexp.MustCompile(`(?i)\p{L}+(?:str(?:aße|asse|\.)|gasse|weg|platz)\s+\d+\w?|\d+\w?\s+(?:\p{L}+\s+){1,3}(?:street|road|avenue|lane|drive|st|rd|ave)\b|\b(?:rue|avenue|calle|via|rua)\s+(?:\p{L}+\s+){1,4}\d+|\d+\w?,?\s+(?:rue|avenue|boulevard)\s+(?:\p{L}+[\s-]?){1,4}`)
	// introduced matches a name where somebody says it.
	introduced = regexp.MustCompile(`(?i:\b(?:my name is|my name's|this is|i am called|regards,?|sincerely,?|mein name ist|ich heiße|ich heisse|grüßen,?|gruß,?|je m'appelle|je m’appelle|mon nom est|me llamo|mi nombre es|mi chiamo|il mio nome è|meu nome é|me chamo|mijn naam is|ik heet|jag heter|jeg hedder|jeg heter|nazywam się|jmenuji se|adım|benim adım|меня зовут|мене звати))\s+(\p{Lu}[\p{L}'’-]+(?:\s+\p{Lu}[\p{L}'’-]+){0,3})`)
)

// shortestKnown is how long a word of an identity is to be recognised, in characters.
const shortestKnown = 3

// WithoutPersonal hides what is personal in a visitor's text: addresses, numbers, codes,
// names where somebody introduces themselves, and known, what else is known of them.
func WithoutPersonal(text string, known ...string) string {
	text = mailLike.ReplaceAllString(text, hidden)
	text = queryLike.ReplaceAllString(text, "$1")
	text = codeLike.ReplaceAllString(text, hidden)
	text = streetLike.ReplaceAllString(text, hidden)
	text = numberLike.ReplaceAllString(text, hidden)
	for {
		at := introduced.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		text = text[:at[2]] + hidden + text[at[3]:]
	}
	for _, word := range known {
		text = hideWord(text, word)
	}
	return text
}

// hideWord hides a word, whatever its case, where it is no part of another one.
func hideWord(text, word string) string {
	if utf8.RuneCountInString(word) < shortestKnown {
		return text
	}
	alone := regexp.MustCompile(`(?i)(^|[^\p{L}\p{N}])` + regexp.QuoteMeta(word) + `($|[^\p{L}\p{N}])`)
	for range 2 { // neighbours share a sign
		text = alone.ReplaceAllString(text, "${1}"+hidden+"${2}")
	}
	return text
}

// PersonalWords are what is known of who a session's visitor is: the words of the identity
// and of the form before the chat.
func (s *Session) PersonalWords() (list []string) {
	for _, known := range []Raw{s.Identity, s.PreChat} {
		var fields map[string]any
		if json.Unmarshal(known, &fields) != nil {
			continue
		}
		for name, value := range fields {
			if text, is := value.(string); is && slices.Contains([]string{"name", "email", "firstName", "lastName", "phone", "company", "id"}, name) {
				list = append(append(list, text), strings.Fields(text)...)
			}
		}
	}
	return list
}
