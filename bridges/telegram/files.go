package telegram

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/bridges/voice"
	"github.com/relay-chat/relay/server/chat"
)

// Telegram's limits for a bot's files (Bot API, sendPhoto and sendDocument).
const (
	maxPhoto  = 10 << 20
	maxUpload = 50 << 20
)

// Ways to show a file.
const (
	asPhoto    = "photo"
	asVoice    = "voice"
	asDocument = "document"
)

// wayOf returns the best way to show a file.
func wayOf(f *chat.OpFile) string {
	switch f.MimeType {
	case "image/jpeg", "image/png", "image/webp":
		if f.Size <= maxPhoto {
			return asPhoto
		}
	}
	if voice.Named(f) {
		return asVoice
	}
	return asDocument
}

// show sends a file with the op's text as its caption. A file that Telegram rejects
// as a picture or recording is sent as a document, one that is too large as a link.
func (w *writer) show(ctx context.Context, topic int64, op chat.Op) (*gotgbot.Message, error) {
	if op.File.Size > maxUpload {
		about := fmt.Sprintf("📎 %s (%s) is too large for Telegram", op.File.Filename, naming.Size(op.File.Size))
		return w.write(ctx, topic, naming.WithoutFile(op, about))
	}
	html, plain := render(op)
	u := upload{topic: topic, file: *op.File, way: wayOf(op.File), caption: html, mode: gotgbot.ParseModeHTML, reply: reply(op)}
	if u.way == asVoice {
		u.seconds = seconds(ctx, op.File)
	}
	m, err := w.upload(ctx, &u)
	if perhapsMarkup(err) && html != "" {
		w.log.Error("Telegram rejected a caption; retrying it without markup", "err", err)
		u.caption, u.mode = plain, ""
		m, err = w.upload(ctx, &u)
	}
	if errors.Is(err, chat.ErrPermanent) && u.way != asDocument {
		u.way = asDocument
		m, err = w.upload(ctx, &u)
	}
	if err != nil {
		return nil, err
	}
	return m, w.checkTopic(ctx, topic, m)
}

// seconds returns how long a recording is, 0 if that is unknown.
func seconds(ctx context.Context, f *chat.OpFile) int64 {
	recording, err := voice.Of(ctx, f)
	if err != nil {
		return 0
	}
	return int64(max(recording.Duration.Round(time.Second), time.Second) / time.Second)
}

// upload is a file to be sent.
type upload struct {
	topic         int64
	file          chat.OpFile
	way           string
	seconds       int64 // of a recording, 0 if that is unknown
	caption, mode string
	reply         *gotgbot.ReplyParameters
	when          urgency
}

// upload sends a file. If the reported size is wrong, it retries without a size.
func (w *writer) upload(ctx context.Context, u *upload) (*gotgbot.Message, error) {
	m, fits, err := w.uploadOnce(ctx, u)
	if !fits && err != nil {
		w.log.Warn("a file does not have its reported size", "filename", u.file.Filename, "size", u.file.Size)
		u.file.Size = 0
		m, _, err = w.uploadOnce(ctx, u)
	}
	return m, err
}

func (w *writer) uploadOnce(ctx context.Context, u *upload) (m *gotgbot.Message, fits bool, err error) {
	content := &call.File{Size: u.file.Size}
	when := u.when
	u.when = atOnce // the next attempt is another form of the same
	err = w.client.spend(ctx, when, false, func(ctx context.Context) error {
		opened, err := u.file.Open(ctx)
		if err != nil {
			return &call.Error{Name: "open " + u.file.Filename, Err: err}
		}
		defer opened.Close()
		content.Content = opened
		m, err = w.send(ctx, u, gotgbot.InputFileByReader(u.file.Filename, content))
		return err
	})
	return m, !errors.Is(content.Err(), call.ErrSize), err
}

// send makes the call of the chosen way.
func (w *writer) send(ctx context.Context, u *upload, file gotgbot.InputFile) (*gotgbot.Message, error) {
	group, limit, mode := w.client.group.Load(), within(uploadTimeout), u.mode
	if u.caption == "" {
		mode = ""
	}
	switch u.way {
	case asPhoto:
		return w.client.bot.SendPhotoWithContext(ctx, group, file, &gotgbot.SendPhotoOpts{MessageThreadId: u.topic,
			Caption: u.caption, ParseMode: mode, ReplyParameters: u.reply, RequestOpts: limit})
	case asVoice:
		return w.client.bot.SendVoiceWithContext(ctx, group, file, &gotgbot.SendVoiceOpts{MessageThreadId: u.topic, Duration: u.seconds,
			Caption: u.caption, ParseMode: mode, ReplyParameters: u.reply, RequestOpts: limit})
	}
	return w.client.bot.SendDocumentWithContext(ctx, group, file, &gotgbot.SendDocumentOpts{MessageThreadId: u.topic,
		Caption: u.caption, ParseMode: mode, ReplyParameters: u.reply, RequestOpts: limit, DisableContentTypeDetection: true})
}

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
