package knowledge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ledongthuc/pdf"
)

// The limits of a PDF: its pages, and the bytes of its text.
const (
	maxPDFPages = 500
	maxPDFText  = 4 << 20
)

// extractPDF reads the text of a PDF, a heading for each page.
func extractPDF(data []byte) (d document, err error) {
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return d, fmt.Errorf("it is no PDF that can be read: %s", clip(oneLine(err.Error()), 200))
	}
	var out strings.Builder
	for n := 1; n <= min(r.NumPage(), maxPDFPages) && out.Len() < maxPDFText; n++ {
		if text := pageText(r.Page(n)); text != "" {
			fmt.Fprintf(&out, "## Page %d\n\n%s\n\n", n, text)
		}
	}
	if strings.TrimSpace(out.String()) == "" {
		return d, errors.New("it has no text: relay does not read scanned pages")
	}
	d.Title = oneLine(r.Trailer().Key("Info").Key("Title").Text())
	d.Markdown = out.String()
	return d, nil
}

// pageText returns the text of a page, "" of a damaged one.
func pageText(p pdf.Page) string {
	text, err := p.GetPlainText(nil)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines { // nothing in it is a heading
		lines[i] = strings.TrimLeft(line, "# ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
