package knowledge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// result is what the reader answers.
type result struct {
	Document document
	Error    string // of the document
	Failed   string // of the reader: the document was not read
}

// ReadDocument is the reader's side: it limits its process, reads one document from in
// and writes what it says to out. The process must end afterwards.
func ReadDocument(in io.Reader, out io.Writer) error {
	var answer result
	if err := apart.Limit(); err != nil {
		answer.Failed = err.Error()
		return json.NewEncoder(out).Encode(answer)
	}
	var r reading
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return err
	}
	d, err := readHere(context.Background(), r)
	answer.Document = d
	if err != nil {
		answer.Error = err.Error()
	}
	return json.NewEncoder(out).Encode(answer)
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
		return runReader(ctx, command, r)
	}
}

func runReader(ctx context.Context, command []string, r reading) (document, error) {
	question, err := json.Marshal(r)
	if err != nil {
		return document{}, err
	}
	out := &apart.Output{Left: readerOutput}
	if err := apart.Run(ctx, command, bytes.NewReader(question), out); err != nil {
		return document{}, err
	}
	var answer result
	switch err := json.Unmarshal(out.Kept, &answer); {
	case err != nil:
		return document{}, fmt.Errorf("%w: its text is longer than relay keeps", apart.ErrTooMuch)
	case answer.Failed != "":
		return document{}, fmt.Errorf("%w: %s", apart.ErrNotStarted, answer.Failed)
	case answer.Error != "":
		return answer.Document, errors.New(answer.Error)
	}
	return answer.Document, nil
}

// contentType is how a server names what it sends.
func contentType(h http.Header) string { return clip(h.Get("Content-Type"), 200) }
