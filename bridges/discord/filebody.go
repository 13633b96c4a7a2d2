package discord

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

var errLength = errors.New("the file is not as long as it was said to be")

// fileBody is a form's body: what stands before the file, the file, which has to
// be as long as was told, and what stands behind it.
type fileBody struct {
	file    io.ReadCloser
	content []byte // what stands before and behind
	begin   int    // where the file stands in it
	at      int    // how much of it was read
	left    int64  // of the file, negative when nobody knows
	sent    int64  // of the file
	ended   bool   // the file was read

	mu  sync.Mutex
	err error // by which the file could not be read
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

// failure is what kept the file from being read, nil for nothing.
func (b *fileBody) failure() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Close implements [io.Closer].
func (b *fileBody) Close() error { return b.file.Close() }
