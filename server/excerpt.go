package server

import (
	"strings"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

// excerptPart is a piece of a message, and whether it is what was searched for.
type excerptPart struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitzero"`
}

// The length of an excerpt in bytes: before its first match, and in all.
const (
	excerptBefore = 60
	excerptLength = 300
)

// excerpt is the part of a message around its first match, a file's name if the match
// is there.
func excerpt(m *chat.Message, terms []words.Term) []excerptPart {
	texts := []string{m.Content}
	for _, a := range m.Attachments.V {
		texts = append(texts, a.Filename)
	}
	for _, text := range texts {
		if matches := matchesIn(text, terms); len(matches) > 0 {
			return cutAround(text, matches)
		}
	}
	return cutAround(m.Content, nil)
}

// matchesIn returns where a text has the terms; what touches is one match.
func matchesIn(text string, terms []words.Term) (matches []words.Word) {
	for _, w := range words.List(text) {
		if !words.Matches(terms, w.Text) {
			continue
		}
		if last := len(matches) - 1; last >= 0 && w.Start <= matches[last].End {
			matches[last].End = max(matches[last].End, w.End)
			continue
		}
		matches = append(matches, w)
	}
	return matches
}

// cutAround renders the part of a text that begins shortly before its first match.
func cutAround(text string, matches []words.Word) (parts []excerptPart) {
	start := 0
	if len(matches) > 0 {
		start = wordStart(text, matches[0].Start-excerptBefore)
	}
	end := runeStart(text, start+excerptLength)
	add := func(text string, match bool) {
		if text = strings.ToValidUTF8(text, "\uFFFD"); text != "" {
			parts = append(parts, excerptPart{text, match})
		}
	}
	if start > 0 {
		add("…", false)
	}
	at := start
	for _, m := range matches {
		if m.Start >= end {
			break
		}
		add(text[at:m.Start], false)
		at = max(min(m.End, end), m.Start)
		add(text[m.Start:at], true)
	}
	add(text[at:end], false)
	if end < len(text) {
		add("…", false)
	}
	return parts
}

// wordStart is the beginning of the word after a place, if there is one nearby.
func wordStart(text string, at int) int {
	if at <= 0 {
		return 0
	}
	at = runeStart(text, at)
	if space := strings.IndexByte(text[at:min(at+excerptBefore/2, len(text))], ' '); space >= 0 {
		return at + space + 1
	}
	return at
}

// runeStart is a place in a text or the beginning of the character that it is in.
func runeStart(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
