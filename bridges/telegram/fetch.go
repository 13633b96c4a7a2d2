package telegram

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/server/chat"
)

// maxFetch is the largest file that a bot can download (Bot API, getFile).
const maxFetch = 20 << 20

// Fetch implements [chat.Bridge]. The file's address holds the token and never
// leaves this package.
func (c *client) Fetch(ctx context.Context, ref string) (io.ReadCloser, error) {
	file, err := c.bot.GetFileWithContext(ctx, ref, &gotgbot.GetFileOpts{RequestOpts: within(callTimeout)})
	if err != nil {
		return nil, fmt.Errorf("find the file: %w", fileError(translate(err, true)))
	}
	if file.FilePath == "" {
		return nil, fmt.Errorf("%w: Telegram does not offer the file for download", chat.ErrPermanent)
	}
	if strings.HasPrefix(file.FilePath, "/") {
		// With --local the server returns a path on its own disk. The conversation
		// does not wait until somebody changes that.
		return nil, fmt.Errorf("%w: %w", chat.ErrPermanent, &chat.Misconfigured{Problem: "the Bot API server keeps files on its own disk",
			Fix: "start telegram-bot-api without --local, so that files can be downloaded from it"})
	}
	return c.caller.download(ctx, file.FilePath)
}

// fileError explains a rejection, which is final for a file.
func fileError(err error) error {
	var misconfigured *chat.Misconfigured
	if errors.As(err, &misconfigured) {
		return err
	}
	if errors.Is(err, chat.ErrPermanent) {
		return fmt.Errorf("the file is deleted, or larger than the 20 MB that bots can download: %w", err)
	}
	return err
}

// download opens a file of the Bot API server.
func (c *caller) download(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.FileURL(c.token, path, nil), nil)
	if err != nil {
		return nil, call.Redact(err, c.token)
	}
	return call.Download(c.http, req, "Telegram", c.token)
}
