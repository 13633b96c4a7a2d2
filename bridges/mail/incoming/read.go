package incoming

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"sync"

	"github.com/relay-chat/relay/bridges/apart"
)

// ErrDamaged means that an e-mail cannot be read.
var ErrDamaged = errors.New("it is damaged")

// boundaryLength is how long a boundary of [multipart.Writer] is. It stands in the first line of the
// reader's output, and no file can contain it: the reader chooses it when it has begun.
const boundaryLength = 60

// Read is the reader's side: it limits its process, reads one e-mail from in and writes its
// files and its body to out. The process must end afterwards.
func Read(in io.Reader, out io.Writer) error {
	if err := apart.Limit(); err != nil {
		return err
	}
	return read(in, out)
}

func read(in io.Reader, out io.Writer) error {
	form := multipart.NewWriter(out)
	if _, err := io.WriteString(out, form.Boundary()+"\n"); err != nil {
		return err
	}
	body, err := readBody(in, writeFile(form))
	if err != nil {
		return err
	}
	part, err := form.CreatePart(map[string][]string{"Name": {bodyField}})
	if err == nil {
		err = json.NewEncoder(part).Encode(body)
	}
	if err == nil {
		err = form.Close()
	}
	return err
}

// bodyField is the part of the reader's output that is no file.
const bodyField = "Body"

// writeFile writes a file to the reader's output.
func writeFile(out *multipart.Writer) func(name, media string, body io.Reader) error {
	return func(name, media string, body io.Reader) error {
		part, err := out.CreatePart(map[string][]string{"Name": {encodeName(name)}, "Content-Type": {media}})
		if err == nil {
			_, err = io.Copy(part, wholeOrCut{body})
		}
		return err
	}
}

// wholeOrCut ends a damaged part where it can no longer be read.
type wholeOrCut struct{ io.Reader }

// Read implements [io.Reader].
func (w wholeOrCut) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err != nil {
		err = io.EOF
	}
	return n, err
}

// File is a file of an e-mail, to be read at once.
type File struct {
	Name, Type string
	io.Reader
}

// Open has a command, which calls Read, read an e-mail, and hands over its files. An error of
// take ends it, and is its error. Others: [apart.ErrTooMuch], [apart.ErrNotStarted],
// ErrDamaged, and those of in.
func Open(ctx context.Context, command []string, in io.Reader, take func(File) error) (Body, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	source := &source{Reader: in}
	answer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := apart.Run(ctx, command, source, out)
		ended <- err
		_ = out.CloseWithError(io.ErrUnexpectedEOF) // of which a whole answer knows nothing
	}()
	body, taken, err := readAnswer(answer, take)
	if err != nil && taken == nil {
		_, _ = io.Copy(io.Discard, answer) // until the reader has ended, which says why
	}
	if err != nil || taken != nil {
		cancel()
	}
	_ = answer.Close()
	failed, cut := <-ended, source.end()
	switch {
	case taken != nil:
		return Body{}, taken
	case cut != nil:
		return Body{}, cut
	case err == nil:
		return body, nil
	case errors.Is(failed, apart.ErrNotStarted), errors.Is(failed, apart.ErrTooMuch), ctx.Err() != nil && failed != nil:
		return Body{}, failed
	}
	return Body{}, fmt.Errorf("%w: %w", ErrDamaged, err)
}

// source remembers why an e-mail ended too early. Nothing reads it after its end.
type source struct {
	io.Reader
	mu    sync.Mutex
	ended bool
	err   error
}

// Read implements [io.Reader].
func (s *source) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return 0, io.EOF
	}
	n, err := s.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// end waits for whoever is reading, and returns why the e-mail ended too early.
func (s *source) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	return s.err
}

// readAnswer reads the reader's output; taken is an error of take.
func readAnswer(answer io.Reader, take func(File) error) (body Body, taken, err error) {
	line := make([]byte, boundaryLength+1)
	if _, err := io.ReadFull(answer, line); err != nil {
		return body, nil, err
	}
	form := multipart.NewReader(answer, string(line[:boundaryLength]))
	for {
		part, err := form.NextRawPart()
		if err != nil {
			return body, nil, err
		}
		name := part.Header.Get("Name")
		if name == bodyField {
			return body, nil, json.NewDecoder(part).Decode(&body)
		}
		if taken := take(File{decodeName(name), part.Header.Get("Content-Type"), part}); taken != nil {
			return body, taken, nil
		}
	}
}

// encodeName lets a file have any name, and none that is not one.
func encodeName(name string) string { return "=" + base64.StdEncoding.EncodeToString([]byte(name)) }

func decodeName(name string) string {
	data, err := base64.StdEncoding.DecodeString(name[min(1, len(name)):])
	if err != nil {
		return ""
	}
	return string(data)
}
