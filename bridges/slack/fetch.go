package slack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/server/chat"
)

// errSignIn means that Slack answered a download with its sign-in page: the app may
// not read files.
var errSignIn = &chat.Misconfigured{Problem: "Slack does not hand operators' files to the app", Fix: "add the scope files:read: " + fixScope}

// Fetch implements [chat.Bridge]. ref is the file's id; its address is looked up at
// each download.
func (c *client) Fetch(ctx context.Context, ref string) (io.ReadCloser, error) {
	var file *slack.File
	err := c.call(ctx, "files.info", true, func(ctx context.Context) (err error) {
		file, _, _, err = c.api.GetFileInfoContext(ctx, ref, 1, 1)
		return err
	})
	if errors.Is(err, chat.ErrMessageGone) {
		return nil, fmt.Errorf("%w: the file is gone: %w", chat.ErrPermanent, err)
	}
	if err != nil {
		return nil, fmt.Errorf("find the file: %w", err)
	}
	address := file.URLPrivateDownload
	if address == "" {
		address = file.URLPrivate
	}
	u, err := url.Parse(address)
	if err != nil || !c.trusted(u) {
		return nil, fmt.Errorf("%w: the file is not at Slack", chat.ErrPermanent)
	}
	return c.download(ctx, u, file.Mimetype)
}

// trusted reports whether an address may receive the token: one of Slack's hosts or
// that of the Web API. A person who shares an external file chooses its address.
func (c *client) trusted(u *url.URL) bool {
	if u.Scheme == c.base.Scheme && strings.EqualFold(u.Host, c.base.Host) {
		return true
	}
	host := strings.ToLower(u.Hostname())
	for _, domain := range []string{"slack.com", "slack-gov.com"} {
		if u.Scheme == "https" && (host == domain || strings.HasSuffix(host, "."+domain)) {
			return true
		}
	}
	return false
}

// download opens a file at Slack.
func (c *client) download(ctx context.Context, u *url.URL, mimeType string) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, errors.New("fetch the file: the address that Slack gave is not one")
	}
	r.Header.Set("Authorization", "Bearer "+c.cfg.BotToken)
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("fetch the file: %w", c.redact(err))
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode == http.StatusOK && (kind != "text/html" || strings.HasPrefix(mimeType, "text/html")):
		return resp.Body, nil
	case resp.StatusCode < http.StatusBadRequest: // a redirect, or the page itself
		err = fmt.Errorf("%w: %w", chat.ErrPermanent, errSignIn)
	default:
		err = call.Refused(resp, "Slack")
	}
	resp.Body.Close()
	return nil, err
}
