package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/relay-chat/relay/bridges/apart"
	"github.com/relay-chat/relay/server/chat"
)

// question is a document, as relay tells the reader.
type question struct {
	Document []byte
	At       string
}

// answer is what the reader says of it.
type answer struct {
	Operations chat.Operations
	Error      string // of the document
	Failed     string // of the reader: the document was not read
}

// ReadDocument is the reader's side: it limits its process, reads one document from in and writes the
// operations to out. The process must end afterwards.
func ReadDocument(in io.Reader, out io.Writer) error {
	var said answer
	var q question
	if err := apart.Limit(); err != nil {
		said.Failed = err.Error()
	} else if err := json.NewDecoder(in).Decode(&q); err != nil {
		return err
	} else if said.Operations, err = Operations(q.Document, q.At); err != nil {
		said.Error = err.Error()
	}
	return json.NewEncoder(out).Encode(said)
}

// Read reads a document in a process of its own, which a command starts: without one in this process,
// for tests of trusted documents.
func Read(ctx context.Context, command []string, document []byte, at string) (chat.Operations, error) {
	if len(command) == 0 {
		return Operations(document, at)
	}
	out := &apart.Output{Left: MaxAnswer}
	switch err := apart.Run(ctx, command, bytes.NewReader(chat.MustJSON(question{document, at})), out); {
	case out.Left < 0:
		return chat.Operations{}, fmt.Errorf("%w: its operations are longer than relay keeps", apart.ErrTooMuch)
	case err != nil:
		return chat.Operations{}, err
	}
	var said answer
	switch err := json.Unmarshal(out.Kept, &said); {
	case err != nil:
		return chat.Operations{}, err
	case said.Failed != "":
		return chat.Operations{}, errors.Join(apart.ErrNotStarted, errors.New(said.Failed))
	case said.Error != "":
		return chat.Operations{}, errors.New(said.Error)
	}
	return said.Operations, nil
}
