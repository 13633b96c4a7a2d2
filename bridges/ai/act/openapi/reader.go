package openapi

import (
	"context"
	"io"

	"github.com/relay-chat/relay/bridges/apart"
	"github.com/relay-chat/relay/server/chat"
)

// question is a document, as relay tells the reader.
type question struct {
	Document []byte
	At       string
}

// ReadDocument is the reader's side, see [apart.Answer].
func ReadDocument(in io.Reader, out io.Writer) error {
	return apart.Answer(in, out, func(q question) (chat.Operations, error) { return Operations(q.Document, q.At) })
}

// Read reads a document in a process of its own, which a command starts: without one in this process,
// for tests of trusted documents.
func Read(ctx context.Context, command []string, document []byte, at string) (chat.Operations, error) {
	if len(command) == 0 {
		return Operations(document, at)
	}
	return apart.Ask[question, chat.Operations](ctx, command, question{document, at}, MaxAnswer)
}
