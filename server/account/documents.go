package account

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/oauth"
	"github.com/relay-chat/relay/server/team"
)

// Documents fetch what programs say of themselves at their addresses: of public ones alone, without
// following redirects, and not more than [oauth.MaxDocument] bytes.
type Documents interface {
	Open(ctx context.Context, address string) (io.ReadCloser, error)
}

// Bounds of documents. What was read is believed for a few minutes, by each relay for itself: a program
// that changes its addresses must not wait. Whoever answers under another name than was shown is asked again.
const (
	documentTime = 5 * time.Second
	documentLife = 5 * time.Minute
	maxDocuments = 100
)

// described are programs whose ids are addresses.
type described struct {
	fetch Documents
	log   *slog.Logger

	mu    sync.Mutex
	known map[string]believed
}

type believed struct {
	client chat.OAuthClient
	until  time.Time
}

// client returns the program that is described at an address. The error is for the person: a
// refusal, or that there is no such document.
func (d *described) client(ctx context.Context, id string) (chat.OAuthClient, error) {
	if refused := oauth.CheckDocument(id); refused != nil {
		return chat.OAuthClient{}, refused
	}
	d.mu.Lock()
	known, is := d.known[id]
	d.mu.Unlock()
	if is && time.Now().Before(known.until) {
		return known.client, nil
	}
	data, err := d.read(ctx, id)
	if err != nil {
		d.log.Warn("what a program says of itself cannot be read", "client", id, "err", err)
		return chat.OAuthClient{}, &oauth.Refusal{Code: oauth.InvalidClient, Text: "relay cannot read the document at its client_id. " +
			"It must be public, at most 16 KB long, and there without a redirect"}
	}
	c, refused := oauth.ReadDocument(id, data)
	if refused != nil {
		return chat.OAuthClient{}, refused
	}
	var said *chat.Error
	if err := team.NameClient(c); errors.As(err, &said) {
		return chat.OAuthClient{}, &oauth.Refusal{Code: oauth.InvalidClient, Text: "client_name: " + said.Text}
	}
	d.believe(c)
	return *c, nil
}

func (d *described) read(ctx context.Context, id string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	body, err := d.fetch.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

// believe remembers a program. Where there are too many, all are read again.
func (d *described) believe(c *chat.OAuthClient) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil || len(d.known) >= maxDocuments {
		d.known = map[string]believed{}
	}
	d.known[c.ID] = believed{*c, time.Now().Add(documentLife)}
}

// documentHost is whose word a document is.
func documentHost(id string) string {
	u, err := url.Parse(id)
	if err != nil { // which it was not when it was checked
		return id
	}
	return u.Host
}
