package telegram

import (
	"unicode/utf16"

	"github.com/relay-chat/relay/bridges/marks"
)

// entity is a range of a text, in UTF-16 units (Bot API, MessageEntity).
type entity struct {
	Type   string `json:"type"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	URL    string `json:"url"`
}

// style is the format of an entity, 0 for those that look like other text.
func (e *entity) style() marks.Style {
	switch e.Type {
	case "bold":
		return marks.Bold
	case "italic":
		return marks.Italic
	case "strikethrough":
		return marks.Struck
	case "code":
		return marks.Code
	case "pre":
		return marks.Block
	case "blockquote", "expandable_blockquote":
		return marks.Quote
	}
	return 0
}

// marked returns a text with its formatting as marks.
func marked(text string, entities []entity) string {
	characters := []rune(text)
	if len(entities) == 0 {
		return text
	}
	var at []int // which character a unit is of
	for i, r := range characters {
		for range max(utf16.RuneLen(r), 1) {
			at = append(at, i)
		}
	}
	at = append(at, len(characters))
	var spans []marks.Span
	for i := range entities {
		e := &entities[i]
		if e.Offset < 0 || e.Length <= 0 || e.Offset >= len(at) || e.Length >= len(at)-e.Offset {
			continue // not of this text
		}
		span := marks.Span{From: at[e.Offset], To: at[e.Offset+e.Length], Style: e.style()}
		if e.Type == "text_link" {
			span.Link = e.URL
		}
		if span.Style != 0 || span.Link != "" {
			spans = append(spans, span)
		}
	}
	return marks.Apply(characters, spans)
}
