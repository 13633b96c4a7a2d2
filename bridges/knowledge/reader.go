package knowledge

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/relay-chat/relay/bridges/apart"
)

// readerOutput is how many bytes the reader of a document may tell relay.
const readerOutput = 64 << 20

// reading is a document to be read, as relay tells the reader.
type reading struct {
	Name        string // of a file; "" of a page
	ContentType string // of a page, as its server names it
	At          string // the page's address
	Data        []byte
}

// reader reads a document. It answers [apart.ErrTooMuch] when the document was too much for it,
// and [apart.ErrNotStarted] when none could be started, which says nothing about the document.
type reader func(ctx context.Context, r reading) (document, error)

// readHere reads a document in this process, for tests of trusted ones.
func readHere(_ context.Context, r reading) (document, error) {
	if r.Name != "" {
		return extractFile(r.Name, r.Data)
	}
	at, err := url.Parse(r.At)
	if err != nil {
		return document{}, errAddress
	}
	return extractPage(r.ContentType, r.Data, at)
}

// ReadDocument is the reader's side, see [apart.Answer].
func ReadDocument(in io.Reader, out io.Writer) error {
	return apart.Answer(in, out, func(r reading) (document, error) { return readHere(context.Background(), r) })
}

// inProcess returns a reader that starts a command for each document, one at a time, with
// nothing of relay's environment.
func inProcess(command []string) reader {
	turn := make(chan struct{}, 1)
	return func(ctx context.Context, r reading) (document, error) {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-ctx.Done():
			return document{}, ctx.Err()
		}
		return apart.Ask[reading, document](ctx, command, r, readerOutput)
	}
}

// contentType is how a server names what it sends.
func contentType(h http.Header) string { return clip(h.Get("Content-Type"), 200) }
