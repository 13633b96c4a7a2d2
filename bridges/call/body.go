package call

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"sync"
)

// ErrSize means that a file does not have its reported size.
var ErrSize = errors.New("the file does not have the reported size")

// File is a file in a request's body, read only while it is sent. A backend may
// report a wrong size: the request is aborted then.
type File struct {
	Content io.ReadCloser
	Size    int64 // 0 when it is not known
	Max     int64 // 0 is any size
	Over    error // the failure of a larger file

	mu   sync.Mutex
	read int64
	err  error
}

// Read implements [io.Reader].
func (f *File) Read(p []byte) (int, error) {
	n, err := f.Content.Read(p)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read += int64(n)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		f.err = fmt.Errorf("read the file: %w", err)
	case f.Max > 0 && f.read > f.Max:
		f.err = f.Over
	case f.Size > 0 && (f.read > f.Size || err != nil && f.read < f.Size):
		f.err = ErrSize
	}
	if f.err != nil {
		return 0, f.err
	}
	return n, err
}

// Err returns why the file could not be read, nil when it could.
func (f *File) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Body is the body of a request; the zero Body is none.
type Body struct {
	content io.Reader
	size    int64 // -1 when it is not known
	kind    string
}

// JSON renders a value.
func JSON(value any) (Body, error) {
	raw, err := json.Marshal(value)
	return Body{bytes.NewReader(raw), int64(len(raw)), "application/json"}, err
}

// Form renders a form whose last part is the file; head holds what form wrote so
// far. The length is sent if it is known: not every server accepts chunks.
func Form(form *multipart.Writer, head *bytes.Buffer, f *File) (Body, error) {
	at := head.Len()
	if err := form.Close(); err != nil {
		return Body{}, err
	}
	raw, size := head.Bytes(), int64(-1)
	if f.Size > 0 {
		size = int64(len(raw)) + f.Size
	}
	content := io.MultiReader(bytes.NewReader(raw[:at]), f, bytes.NewReader(raw[at:]))
	return Body{struct {
		io.Reader
		io.Closer
	}{content, f.Content}, size, form.FormDataContentType()}, nil
}

// Request makes a request with the body.
func (b Body) Request(ctx context.Context, method, address string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, b.content)
	if err == nil && b.content != nil {
		req.ContentLength = b.size
		req.Header.Set("Content-Type", b.kind)
	}
	return req, err
}
