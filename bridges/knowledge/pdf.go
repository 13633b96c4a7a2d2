package knowledge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ledongthuc/pdf"
)

// The limits of a PDF: its pages, and the bytes of its text.
const (
	maxPDFPages = 500
	maxPDFText  = 4 << 20
)

// errTooLong ends the reading of a PDF that takes too long: one that was made to.
var errTooLong = errors.New("it takes too long to read")

// limitedFile fails from a moment on. All that the library does needs the file again
// and again, also what leads in circles or unpacks to gigabytes.
type limitedFile struct {
	*bytes.Reader
	end time.Time
}

// ReadAt implements [io.ReaderAt].
func (f *limitedFile) ReadAt(p []byte, at int64) (int, error) {
	if time.Now().After(f.end) {
		panic(errTooLong)
	}
	return f.Reader.ReadAt(p, at)
}

// extractPDF reads the text of a PDF, a heading for each page.
func extractPDF(data []byte, within time.Duration) (d document, err error) {
	file := &limitedFile{bytes.NewReader(data), time.Now().Add(within)}
	r, err := pdf.NewReader(file, int64(len(data)))
	if err != nil {
		return d, fmt.Errorf("it is no PDF that can be read: %s", clip(oneLine(err.Error()), 200))
	}
	var out strings.Builder
	for n := 1; n <= min(r.NumPage(), maxPDFPages) && out.Len() < maxPDFText; n++ {
		if time.Now().After(file.end) {
			return d, errTooLong
		}
		text := pageText(r.Page(n))
		if text != "" {
			fmt.Fprintf(&out, "## Page %d\n\n%s\n\n", n, text)
		}
	}
	if strings.TrimSpace(out.String()) == "" {
		return d, errors.New("it has no text: relay does not read scanned pages")
	}
	d.title = oneLine(r.Trailer().Key("Info").Key("Title").Text())
	d.markdown = out.String()
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
