package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"

	"github.com/relay-chat/relay/bridges/guard"
	"github.com/relay-chat/relay/server/chat"
)

// Fetcher fetches files from addresses that others provide, under the same
// guard as webhooks.
type Fetcher struct {
	client *http.Client
	most   int64
	public bool
}

// NewPublicFetcher returns a fetcher that reaches public addresses alone, which no setting changes.
func NewPublicFetcher(most int64) *Fetcher {
	f := NewFetcher(nil, most)
	f.public = true
	return f
}

// NewFetcher returns a fetcher of files of at most `most` bytes. It reaches only
// the private networks that are allowed, and follows no redirects.
func NewFetcher(allowed []netip.Prefix, most int64) *Fetcher {
	return &Fetcher{most: most, client: &http.Client{Transport: guard.NewTransport(allowed),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Open fetches a file. The caller closes it; ctx bounds the whole download. An
// error that no retry will change is a [chat.ErrPermanent].
func (f *Fetcher) Open(ctx context.Context, address string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil || req.URL.Scheme != "https" && req.URL.Scheme != "http" {
		return nil, fmt.Errorf("%w: the file's address is not a URL", chat.ErrPermanent)
	}
	resp, err := f.client.Do(req)
	var no guard.Forbidden
	switch {
	case f.public && errors.As(err, &no):
		return nil, errNotPublic
	case err != nil:
		return nil, fmt.Errorf("fetch a file: %w", explain(err))
	}
	if err := f.accept(resp); err != nil {
		resp.Body.Close()
		return nil, err
	}
	return &bounded{resp.Body, f.most}, nil
}

// OpenFile fetches an attachment from its own address.
func (f *Fetcher) OpenFile(ctx context.Context, _ string, a chat.Attachment) (io.ReadCloser, error) {
	return f.Open(ctx, a.URL)
}

// accept rejects answers without a file or with too large a one.
func (f *Fetcher) accept(resp *http.Response) error {
	switch {
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("the file's server answered %s", resp.Status)
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("the file's server answered %s: %w", resp.Status, chat.ErrPermanent)
	case resp.ContentLength > f.most:
		return errTooLarge
	}
	return nil
}

var (
	errTooLarge  = fmt.Errorf("the file is too large: %w", chat.ErrPermanent)
	errNotPublic = fmt.Errorf("fetch a file: its address is not a public one: %w", chat.ErrPermanent)
)

// bounded fails when more bytes are read than left.
type bounded struct {
	io.ReadCloser
	left int64
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}
