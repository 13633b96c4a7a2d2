package discord

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/server/chat"
)

// fileRef identifies a file by its message. Its address expires after a day, so it
// is looked up at each download.
func fileRef(in, message, id string) string { return in + "/" + message + "/" + id }

// Fetch implements [chat.Bridge].
func (c *client) Fetch(ctx context.Context, ref string) (io.ReadCloser, error) {
	ids := strings.Split(ref, "/")
	if len(ids) != 3 {
		return nil, fmt.Errorf("%w: %q is no file", chat.ErrPermanent, ref)
	}
	var m message
	err := c.getWithRetry(ctx, path("/channels/%s/messages/%s", ids[0], ids[1]), &m)
	if errors.Is(err, chat.ErrMessageGone) || errors.Is(err, chat.ErrThreadGone) {
		return nil, fmt.Errorf("%w: the file was deleted on Discord", chat.ErrPermanent)
	}
	if err != nil {
		return nil, fmt.Errorf("find the file: %w", finalError(err))
	}
	list := m.Attachments
	for i := range m.Snapshots {
		list = append(list, m.Snapshots[i].Message.Attachments...)
	}
	for _, a := range list {
		if a.ID == ids[2] {
			return c.download(ctx, a.URL)
		}
	}
	return nil, fmt.Errorf("%w: the file was deleted on Discord", chat.ErrPermanent)
}

// download opens a file at an address of Discord's, without the token.
func (c *client) download(ctx context.Context, address string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: Discord's address of the file is invalid", chat.ErrPermanent)
	}
	return call.Download(c.http, req, "Discord")
}
