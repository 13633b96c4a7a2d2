package discord

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

var errLength = errors.New("the file does not have the reported size")

// fileBody is a form's body: the part before the file, the file, which must have
// the reported size, and the part after it.
type fileBody struct {
	file    io.ReadCloser
	content []byte // the parts before and after the file
	begin   int    // of the part after it
	at      int    // bytes of content that were read
	left    int64  // size of the file, negative when unknown
	sent    int64  // bytes of the file that were read
	ended   bool   // the file was read

	mu  sync.Mutex
	err error // why the file could not be read
}

// Read implements [io.Reader].
func (b *fileBody) Read(p []byte) (int, error) {
	if b.at == b.begin && !b.ended {
		return b.readFile(p)
	}
	rest := b.content[b.at:]
	if !b.ended {
		rest = b.content[b.at:b.begin]
	}
	if len(rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, rest)
	b.at += n
	return n, nil
}

func (b *fileBody) readFile(p []byte) (int, error) {
	n, err := b.file.Read(p)
	b.sent += int64(n)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return n, b.fail(fmt.Errorf("read the file: %w", err))
	case b.sent > maxFile:
		return 0, b.fail(errTooLarge)
	case b.left >= 0 && (b.sent > b.left || err != nil && b.sent < b.left):
		return 0, b.fail(errLength)
	}
	b.ended = err != nil
	return n, nil
}

func (b *fileBody) fail(err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = err
	return err
}

// failure returns why the file could not be read, nil when it could.
func (b *fileBody) failure() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Close implements [io.Closer].
func (b *fileBody) Close() error { return b.file.Close() }
