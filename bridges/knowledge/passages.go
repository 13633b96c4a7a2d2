package knowledge

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

// The lengths of a passage in characters: what is aimed at, and what even one
// paragraph does not exceed.
const (
	passageLength = 1000
	passageMost   = 1400
)

// cutPassages cuts a text in Markdown into passages: by headings, then by
// paragraphs. Each has the titles that it stands below.
func cutPassages(title, markdown string) []chat.IndexedPassage {
	c := cutter{title: oneLine(title)}
	fence := ""
	for line := range strings.Lines(clean(markdown)) {
		line = strings.TrimRight(line, " \t\r\n")
		if mark := fenceOf(line); mark != "" && (fence == "" || strings.HasPrefix(mark, fence)) {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
		}
		switch level, heading := headingOf(line); {
		case fence == "" && level > 0:
			c.heading(level, heading)
		case fence == "" && len(c.paragraph) == 1 && underlines(line) > 0:
			above := c.paragraph[0]
			c.paragraph = c.paragraph[:0]
			c.heading(underlines(line), oneLine(above))
		case line == "" && fence == "":
			c.endParagraph()
		default:
			c.paragraph = append(c.paragraph, line)
		}
	}
	c.endSection()
	return c.passages
}

// clean makes a text what every database stores.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// oneLine is a text as a title.
func oneLine(text string) string { return clip(strings.Join(strings.Fields(clean(text)), " "), 200) }

// clip cuts a text to so many characters.
func clip(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// fenceOf returns the fence that a line opens or closes, "" if it does neither.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// headingOf reads a heading like "## Returns"; level 0 means that the line is none.
func headingOf(line string) (level int, text string) {
	for level < len(line) && line[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || level < len(line) && line[level] != ' ' {
		return 0, ""
	}
	return level, oneLine(strings.Trim(line[level:], "# *_"))
}

// underlines returns the level of the heading that a line underlines, 0 if it is no
// such line.
func underlines(line string) int {
	switch {
	case len(line) < 3:
	case strings.Trim(line, "=") == "":
		return 1
	case strings.Trim(line, "-") == "":
		return 2
	}
	return 0
}

// cutter holds what was read since the last passage.
type cutter struct {
	title     string
	path      [6]string // the headings above, by level
	paragraph []string
	text      []string // paragraphs
	length    int      // of text in characters
	passages  []chat.IndexedPassage
}

func (c *cutter) heading(level int, text string) {
	c.endSection()
	c.path[level-1] = text
	clear(c.path[level:])
}

// endParagraph adds the paragraph to the passage, or begins another one with it.
func (c *cutter) endParagraph() {
	for _, part := range split(strings.Join(c.paragraph, "\n")) {
		length := utf8.RuneCountInString(part)
		if c.length > 0 && c.length+length > passageLength {
			c.endPassage()
		}
		c.text, c.length = append(c.text, part), c.length+length
	}
	c.paragraph = c.paragraph[:0]
}

func (c *cutter) endSection() {
	c.endParagraph()
	c.endPassage()
}

func (c *cutter) endPassage() {
	text := strings.TrimSpace(strings.Join(c.text, "\n\n"))
	c.text, c.length = c.text[:0], 0
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return
	}
	title := c.titles()
	c.passages = append(c.passages, chat.IndexedPassage{Title: title, Text: text, TitleWords: words.WithStems(title), TextWords: words.WithStems(text)})
}

// titles are the page's title and the headings above, each once.
func (c *cutter) titles() string {
	list := []string{}
	for _, title := range append([]string{c.title}, c.path[:]...) {
		if title != "" && !slices.Contains(list, title) {
			list = append(list, title)
		}
	}
	return clip(strings.Join(list, " › "), 400)
}

// split parts a paragraph that is too long, behind a line, a sentence or a word.
func split(text string) (parts []string) {
	for {
		text = strings.TrimSpace(text)
		if text == "" {
			return parts
		}
		end := cutAt(text)
		parts = append(parts, strings.TrimSpace(text[:end]))
		text = text[end:]
	}
}

// cutAt returns where a text is cut, in bytes: behind the last sentence or line that
// fits, or the first one behind that, then behind a word, and else anywhere.
func cutAt(text string) int {
	count, sentence, word := 0, 0, 0
	var before rune
	for i, r := range text {
		if count == passageMost {
			return firstSet(sentence, word, i)
		}
		count++
		end := i + utf8.RuneLen(r)
		switch {
		case count <= passageLength/2:
		case endsSentence(before, r):
			if count <= passageLength || sentence == 0 {
				sentence = end
			}
		case unicode.IsSpace(r) && (count <= passageLength || word == 0):
			word = end
		}
		before = r
	}
	return len(text)
}

// endsSentence reports whether a character is the last one before another sentence.
func endsSentence(before, r rune) bool {
	return r == '\n' || strings.ContainsRune("。！？", r) || unicode.IsSpace(r) && strings.ContainsRune(".!?؟", before)
}

// firstSet returns the first place that is not 0.
func firstSet(places ...int) int {
	return places[max(slices.IndexFunc(places, func(n int) bool { return n > 0 }), 0)]
}
