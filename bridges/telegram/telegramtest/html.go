package telegramtest

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf16"
)

// htmlTags are what HTML mode knows (Bot API, "HTML style").
var htmlTags = []string{"b", "strong", "i", "em", "u", "ins", "s", "strike", "del", "code", "pre", "a", "blockquote", "tg-spoiler"}

// shownText takes the markup out of a text as Telegram does. White space
// around it is not kept, invisible joiners are not seen.
func shownText(p params, name, mode string) (string, *apiError) {
	text := p.text(name)
	switch p.text(mode) {
	case "":
	case "HTML":
		var wrong string
		if text, wrong = stripHTML(text); wrong != "" {
			return "", badRequest("can't parse entities: " + wrong)
		}
	default:
		return "", badRequest("unsupported parse_mode")
	}
	return strings.TrimSpace(strings.ReplaceAll(text, "\u2060", "")), nil
}

// stripHTML reads HTML mode strictly; wrong is the server's word on
// what it does not understand.
func stripHTML(text string) (plain, wrong string) {
	var out strings.Builder
	var open []string
	for i := 0; i < len(text); {
		switch text[i] {
		case '<':
			end := strings.IndexByte(text[i:], '>')
			if end < 0 {
				return "", fmt.Sprintf("Unclosed start tag at byte offset %d", i)
			}
			if open, wrong = turnTag(open, text[i+1:i+end], i); wrong != "" {
				return "", wrong
			}
			i += end + 1
		case '&':
			end := strings.IndexByte(text[i:], ';')
			if end < 0 || end > 10 || !knownEntity(text[i+1:i+end]) {
				out.WriteByte('&')
				i++
				continue
			}
			out.WriteString(html.UnescapeString(text[i : i+end+1]))
			i += end + 1
		default:
			out.WriteByte(text[i])
			i++
		}
	}
	if len(open) > 0 {
		return "", fmt.Sprintf("Can't find end tag corresponding to start tag %s", open[len(open)-1])
	}
	return out.String(), ""
}

// turnTag opens or closes a tag.
func turnTag(open []string, tag string, offset int) (after []string, wrong string) {
	if name, closing := strings.CutPrefix(tag, "/"); closing {
		if len(open) == 0 || open[len(open)-1] != name {
			return nil, fmt.Sprintf("Unexpected end tag at byte offset %d", offset)
		}
		return open[:len(open)-1], ""
	}
	name, _, _ := strings.Cut(tag, " ")
	if !slices.Contains(htmlTags, strings.ToLower(name)) {
		return nil, fmt.Sprintf("Unsupported start tag %q at byte offset %d", name, offset)
	}
	return append(open, name), ""
}

// knownEntity reports whether HTML mode resolves an entity: four named ones
// and numbers.
func knownEntity(name string) bool {
	return slices.Contains([]string{"lt", "gt", "amp", "quot"}, name) || strings.HasPrefix(name, "#")
}

func utf16Len(text string) int { return len(utf16.Encode([]rune(text))) }
