package ai

import (
	"net/url"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Texts that platforms and browsers turn into links.
var (
	markdownLink = chat.LazyRegexp(`!?\[([^\]]*)\]\([^)]*\)`)
	markupTag    = chat.LazyRegexp(`</?[a-zA-Z][^>]*>`)
	address      = chat.LazyRegexp(`(?i)\b(?:[a-z][a-z0-9+.-]{1,20}:/{1,2}|mailto:|javascript:|data:|vbscript:|tel:|file:)(?:[^\s<>"'()）」]|\([^\s()]*\))+`)
	mention      = chat.LazyRegexp(`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`)
	bareDomain   = chat.LazyRegexp(`(?i)\b(?:[\p{L}\p{N}-]+\.)+(?:com|net|org|io|co|dev|app|me|info|biz|xyz|top|shop|site|online|link|click|ru|cn|de|fr|uk|us|eu|at|ch|nl|it|es|pl|jp|ly|gl|gg|to|cc|tk|ws|pw|example|test|invalid|zip|mov|cash|money|pro|tech|ai|cloud|blog|vip|bank|icu|cfd|sbs|website|tv|ca|au|cz|kr|vn|su|ml|cf|gq)\b(?:/[^\s<>"')]*)?|\b(?:[\p{L}\p{N}-]+\.)+\p{L}{2,24}/[^\s<>"')]+|\bwww\.[^\s<>"')]+|\b(?:\d{1,3}\.){3}\d{1,3}\b[^\s<>"')]*`)
)

// withoutForeignLinks leaves only addresses in a text that lead to the passages or
// that the owner of the website gave.
func (g *grounds) withoutForeignLinks(text string) string {
	text = markdownLink().ReplaceAllString(text, "$1")
	text = markupTag().ReplaceAllString(text, "")
	kept := map[string]string{}
	hide := func(allowed func(string) bool) func(string) string {
		return func(found string) string {
			address := strings.TrimRight(found, ".,;:!?)]}>*_")
			if !allowed(address) {
				return found[len(strings.TrimRight(found, ".,;:!?")):]
			}
			hidden := "\x00" + string(rune('\ue000'+len(kept))) + "\x00" // the next pattern does not look into it
			kept[hidden] = address
			return hidden + strings.TrimPrefix(found, address)
		}
	}
	text = address().ReplaceAllStringFunc(strings.ReplaceAll(text, "\x00", ""), hide(g.leadsHome))
	text = mention().ReplaceAllStringFunc(text, hide(g.isOwnMail))
	text = bareDomain().ReplaceAllStringFunc(text, hide(g.leadsHome))
	for hidden, address := range kept {
		text = strings.ReplaceAll(text, hidden, address)
	}
	return text
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
