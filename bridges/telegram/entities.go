package telegram

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"
)

// entity is a range of a text, in UTF-16 units (Bot API, MessageEntity).
type entity struct {
	Type   string `json:"type"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	URL    string `json:"url"`
}

// plain removes the markup from a text. A link's address follows its words.
func plain(text string, entities []entity) string {
	links := slices.DeleteFunc(slices.Clone(entities), func(e entity) bool { return e.Type != "text_link" || e.URL == "" })
	if len(links) == 0 {
		return text
	}
	slices.SortStableFunc(links, func(a, b entity) int { return cmp.Compare(a.Offset, b.Offset) })
	units := utf16.Encode([]rune(text))
	var out []uint16
	done := 0
	for _, e := range links {
		end := e.Offset + e.Length
		if e.Offset < done || e.Length <= 0 || end > len(units) || end < e.Offset {
			continue // overlapping, or not of this text
		}
		words := string(utf16.Decode(units[e.Offset:end]))
		out = append(out, units[done:end]...)
		if !sameAddress(words, e.URL) {
			out = append(out, utf16.Encode([]rune(" ("+e.URL+")"))...)
		}
		done = end
	}
	return string(utf16.Decode(append(out, units[done:]...)))
}

// sameAddress reports whether a link's words are its address.
func sameAddress(words, address string) bool {
	bare := func(s string) string {
		s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
		return strings.TrimSuffix(s, "/")
	}
	return bare(strings.TrimSpace(words)) == bare(address)
}
