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
	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/server/chat"
)

// maxUpload is the largest file that Slack accepts
// (https://docs.slack.dev/messaging/working-with-files).
const maxUpload = 1 << 30

// postFile sends a file with its author, or a link to one that Slack does not accept
// or the app may not send.
func (w *writer) postFile(ctx context.Context, me *self, th chat.Thread, op chat.Op) (remote string, err error) {
	switch {
	case !me.may(scopeUpload):
		return w.postText(ctx, me, th, linked(op, ""))
	case op.File.Size <= 0:
		return w.postText(ctx, me, th, linked(op, " is empty"))
	case op.File.Size > maxUpload:
		return w.postText(ctx, me, th, linked(op, " is too large for Slack"))
	}
	remote, err = w.upload(ctx, th, op)
	if errors.Is(err, errScope) {
		return w.postText(ctx, me, th, linked(op, ""))
	}
	return remote, err
}

// upload sends a file in Slack's three steps. It first checks that the thread exists:
// the file would be shown in the channel otherwise.
func (w *writer) upload(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	if _, err := w.client.parent(ctx, th.Ref); err != nil {
		return "", err
	}
	var place *slack.GetUploadURLExternalResponse
	err = w.client.call(ctx, "files.getUploadURLExternal", true, func(ctx context.Context) (err error) {
		place, err = w.client.api.GetUploadURLExternalContext(ctx, slack.GetUploadURLExternalParameters{FileName: op.File.Filename, FileSize: int(op.File.Size)})
		return err
	})
	if err != nil {
		return "", err
	}
	if err := w.transfer(ctx, place.UploadURL, op.File); err != nil {
		return "", err
	}
	w.uploads.Put(op.Key, place.FileID)
	op.Text = ""
	out := render(op, false, w.quote(ctx, th, op.ReplyTo))
	err = w.client.call(ctx, methodUpload, false, func(ctx context.Context) error {
		_, err := w.client.api.CompleteUploadExternalContext(ctx, slack.CompleteUploadExternalParameters{Channel: w.client.cfg.ChannelID, ThreadTimestamp: th.Ref,
			InitialComment: out.text, Files: []slack.FileSummary{{ID: place.FileID, Title: op.File.Filename}}})
		return err
	})
	return place.FileID, err
}

// transfer sends a file's bytes to the address that Slack returned. It can be
// repeated: nobody sees them yet.
func (w *writer) transfer(ctx context.Context, address string, f *chat.OpFile) error {
	content, err := f.Open(ctx)
	if err != nil {
		return fmt.Errorf("open %s: %w", f.Filename, err)
	}
	defer content.Close()
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, io.LimitReader(content, f.Size))
	if err != nil {
		return errors.New("upload a file: the address that Slack gave is not one")
	}
	r.ContentLength = f.Size
	r.Header.Set("Content-Type", "application/octet-stream")
	resp, err := w.client.http.Do(r)
	if err != nil {
		return w.client.translate("upload a file", err, false)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return w.client.translate("upload a file", slack.StatusCodeError{Code: resp.StatusCode, Status: resp.Status}, false)
	}
	return nil
}

// lookupFile finds the file of an earlier attempt: the one that it uploaded or, after a
// restart, one of the same name and size.
func (w *writer) lookupFile(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	id, known := w.uploads.Get(op.Key)
	q := slack.GetConversationRepliesParameters{Timestamp: th.Ref, Oldest: since(op.Since), Limit: pageSize}
	for list, err := range w.client.replyPages(ctx, 1, q) {
		if err != nil {
			return "", blind(err)
		}
		for i := range list {
			for _, f := range list[i].Files {
				same := f.ID == id || !known && f.Name == op.File.Filename && int64(f.Size) == op.File.Size
				if same && w.client.self.Load().own(&list[i]) {
					return f.ID, nil
				}
			}
		}
	}
	return "", nil
}

// linked replaces a file that is not sent to Slack by a text; why begins with a space,
// "" when the app lacks the scope.
func linked(op chat.Op, why string) chat.Op {
	about := fmt.Sprintf("📎 %s (%s)%s", cut.Line(op.File.Filename, maxFrom), naming.Size(op.File.Size), why)
	if op.File.URL == "" && why == "" {
		about += " cannot be shown here: the app lacks the scope " + scopeUpload + ", and relay has no PUBLIC_URL for a link; the console shows it"
	}
	return naming.WithoutFile(op, about)
}

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
