package knowledge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/ledongthuc/pdf"
)

// The limits of a PDF: its pages, those whose headings are looked for, and the bytes of its text.
const (
	maxPDFPages    = 500
	maxStyledPages = 100
	maxPDFText     = 4 << 20
)

// extractPDF reads the text of a PDF, a heading for each page.
func extractPDF(data []byte) (d document, err error) {
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return d, fmt.Errorf("it is no PDF that can be read: %s", clip(oneLine(err.Error()), 200))
	}
	var out strings.Builder
	first := ""
	for n := 1; n <= min(r.NumPage(), maxPDFPages) && out.Len() < maxPDFText; n++ {
		large := sizedLines{}
		if n <= maxStyledPages {
			large = largeLines(r.Page(n))
		}
		if n == 1 && len(large) > 0 {
			first = large.largest()
		}
		if text := pageText(r.Page(n), large); text != "" {
			fmt.Fprintf(&out, "## Page %d\n\n%s\n\n", n, text)
		}
	}
	if strings.TrimSpace(out.String()) == "" {
		return d, errors.New("it has no text: relay does not read scanned pages")
	}
	d.Title = oneLine(r.Trailer().Key("Info").Key("Title").Text())
	if programTitle.MatchString(d.Title) {
		d.Title = first
	}
	d.Markdown = out.String()
	return d, nil
}

// programTitle matches what programs write as a title when nobody did.
var programTitle = regexp.MustCompile(`(?i)^\s*$|^microsoft (?:word|powerpoint|excel|office)\b|^(?:untitled|unbenannt|sans titre|sin título|senza titolo|document|dokument|presentation|präsentation)[\s\d]*$|` +
	`^(?:slide|folie|page|seite)\s*\d+$|\.(?:docx?|pdf|pptx?|xlsx?|odt|ods|rtf|indd|qxd|pages|tex|dvi|html?)$`)

// pageText returns the text of a page, "" of a damaged one. Its large lines are headings.
func pageText(p pdf.Page, large sizedLines) string {
	text, err := p.GetPlainText(nil)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines { // nothing else in it is a heading
		lines[i] = strings.TrimLeft(line, "# ")
		if letters := lettersOf(line); letters != "" && large[letters].text != "" {
			lines[i] = "\n### " + oneLine(line) + "\n"
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// sizedLines are the large lines of a page, by their letters.
type sizedLines map[string]sizedLine

type sizedLine struct {
	text string
	size float64
	at   int
}

// The shape of headings: how much larger than most of the text, and how long in bytes.
const (
	headingScale   = 1.15
	longestPDFLine = 150
)

// largeLines finds the lines of a page that are larger than most of it. A damaged page has none.
func largeLines(p pdf.Page) (large sizedLines) {
	defer func() {
		if recover() != nil { // of the library
			large = nil
		}
	}()
	lines, sizes := []sizedLine{}, map[float64]int{}
	y := 0.0
	for _, t := range p.Content().Text {
		last := len(lines) - 1
		sizes[t.FontSize] += len(t.S)
		if last < 0 || lines[last].size != t.FontSize || t.Y != y {
			lines, y = append(lines, sizedLine{size: t.FontSize, at: last + 1}), t.Y
			last++
		}
		if len(lines[last].text) <= longestPDFLine {
			lines[last].text += t.S
		}
	}
	body, most := 0.0, 0
	for size, count := range sizes {
		if count > most || count == most && size < body {
			body, most = size, count
		}
	}
	large = sizedLines{}
	for _, line := range lines {
		if letters := lettersOf(line.text); line.size >= headingScale*body && len(letters) > 2 && len(line.text) <= longestPDFLine && large[letters].text == "" {
			large[letters] = line
		}
	}
	return large
}

// largest is the largest line, the first of those.
func (l sizedLines) largest() string {
	best := sizedLine{}
	for _, line := range l {
		if line.size > best.size || line.size == best.size && line.at < best.at {
			best = line
		}
	}
	return oneLine(best.text)
}
