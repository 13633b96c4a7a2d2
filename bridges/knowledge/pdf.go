package knowledge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/ledongthuc/pdf"
)

// The limits of a PDF: its pages, the bytes of its text and of the memory to read it.
const (
	maxPDFPages = 500
	maxPDFText  = 4 << 20
	maxPDFHeap  = 128 << 20
)

// errTooLong ends the reading of a PDF that takes too long: one that was made to.
var errTooLong = errors.New("it takes too long to read")

// errTooMuchMemory ends the reading of a PDF that unpacks to gigabytes.
var errTooMuchMemory = errors.New("it unpacks to too much")

// limitedFile fails from a moment on, or when the heap has grown too much. All that
// the library does needs the file again and again, also what leads in circles or
// unpacks to gigabytes.
type limitedFile struct {
	*bytes.Reader
	end    time.Time
	heap   uint64
	failed error // the library goes on with the next page
}

// ReadAt implements [io.ReaderAt].
func (f *limitedFile) ReadAt(p []byte, at int64) (int, error) {
	switch {
	case f.failed != nil:
	case time.Now().After(f.end):
		f.failed = errTooLong
	case heapInUse() > f.heap:
		f.failed = errTooMuchMemory
	}
	if f.failed != nil {
		panic(f.failed)
	}
	return f.Reader.ReadAt(p, at)
}

// heapInUse is the memory of everything that is not yet collected.
func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// extractPDF reads the text of a PDF, a heading for each page.
func extractPDF(data []byte, within time.Duration) (d document, err error) {
	file := &limitedFile{Reader: bytes.NewReader(data), end: time.Now().Add(within), heap: heapInUse() + maxPDFHeap}
	r, err := pdf.NewReader(file, int64(len(data)))
	if err != nil {
		return d, fmt.Errorf("it is no PDF that can be read: %s", clip(oneLine(err.Error()), 200))
	}
	var out strings.Builder
	for n := 1; n <= min(r.NumPage(), maxPDFPages) && out.Len() < maxPDFText; n++ {
		if time.Now().After(file.end) { // what is in memory needs no file
			return d, errTooLong
		}
		text := pageText(r.Page(n))
		if file.failed != nil {
			return d, file.failed
		}
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
