package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/bridges/voice"
	"github.com/relay-chat/relay/server/chat"
)

// maxFile is the largest file that Discord accepts everywhere; servers with boosts
// accept more (Discord, "Uploading Files").
const maxFile = 10 << 20

// fileHead describes a file of a form.
type fileHead struct {
	ID       string `json:"id"`
	Filename string `json:"filename"`
	// Of a voice message; Waveform is base64 then.
	Duration float64 `json:"duration_secs,omitempty"`
	Waveform []byte  `json:"waveform,omitempty"`
}

// form is a message with a file, which is read while it is sent.
type form struct {
	message newMessage
	file    *chat.OpFile
	name    string
	kind    string
	size    int64 // of the file, 0 when it is not known
}

// show sends a file with the op's text. A file that is too large, or that the bot
// may not attach, becomes a link so that it delays nothing else.
func (w *writer) show(ctx context.Context, thread string, op chat.Op) (remote string, err error) {
	if op = fitted(op); op.File == nil {
		return w.client.write(ctx, thread, messageOf(op), nil)
	}
	m := messageOf(op)
	name := cut.Line(op.File.Filename, 200)
	if name == "" {
		name = "file"
	}
	m.Attachments = []fileHead{{ID: "0", Filename: name}}
	f := &form{file: op.File, name: name, kind: op.File.MimeType, size: op.File.Size}
	if remote, err = w.speak(ctx, thread, m, f); errors.Is(err, errNoVoice) {
		remote, err = w.upload(ctx, thread, m, f)
	}
	switch {
	case errors.Is(err, errTooLarge):
		return w.client.write(ctx, thread, messageOf(asText(op, tooLarge)), nil)
	case errors.Is(err, errForbidden):
		return w.client.write(ctx, thread, messageOf(asText(op, unattached)), nil)
	}
	return remote, err
}

// upload sends a file. If the reported size is wrong, it retries without a size.
func (w *writer) upload(ctx context.Context, thread string, m newMessage, f *form) (remote string, err error) {
	remote, err = w.client.write(ctx, thread, m, f)
	if errors.Is(err, call.ErrSize) {
		f.size = 0
		remote, err = w.client.write(ctx, thread, m, f)
	}
	return remote, err
}

// fitted returns op with a file that is too large replaced by text.
func fitted(op chat.Op) chat.Op {
	if op.File != nil && op.File.Size > maxFile {
		return asText(op, tooLarge)
	}
	return op
}

// Reasons why a file is not shown.
const (
	tooLarge   = "is too large for Discord"
	unattached = "is not shown: the bot lacks Attach Files"
)

// asText replaces a file that cannot be shown by text.
func asText(op chat.Op, why string) chat.Op {
	return naming.WithoutFile(op, fmt.Sprintf("📎 %s (%s) %s", op.File.Filename, naming.Size(op.File.Size), why))
}

// encode renders the form up to the file (Discord, "Uploading Files").
func (f *form) encode(ctx context.Context) (body call.Body, file *call.File, err error) {
	var frame bytes.Buffer
	w := multipart.NewWriter(&frame)
	about, err := json.Marshal(f.message)
	if err != nil {
		return body, nil, err
	}
	head := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="payload_json"`}, "Content-Type": {"application/json"}}
	part, err := w.CreatePart(head)
	if err != nil {
		return body, nil, err
	}
	if _, err := part.Write(about); err != nil {
		return body, nil, err
	}
	kind := f.kind
	if kind == "" || strings.ContainsAny(kind, "\r\n") {
		kind = "application/octet-stream"
	}
	disposition := multipart.FileContentDisposition("files[0]", f.name)
	if _, err = w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {disposition}, "Content-Type": {kind}}); err != nil {
		return body, nil, err
	}
	content, err := f.file.Open(ctx)
	if err != nil {
		return body, nil, fmt.Errorf("open %s: %w", f.file.Filename, err)
	}
	file = &call.File{Content: content, Size: f.size, Max: maxFile, Over: errTooLarge}
	body, err = call.Form(w, &frame, file)
	return body, file, err
}

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

// errNoVoice means that a file has to be sent as a file.
var errNoVoice = errors.New("it is no voice message")

// speak sends a recording as a voice message, which has no text and cannot be edited
// (Discord, "Voice Messages").
func (w *writer) speak(ctx context.Context, thread string, m newMessage, f *form) (remote string, err error) {
	if m.Content != "" || !voice.Named(f.file) {
		return "", errNoVoice
	}
	recording, err := voice.Of(ctx, f.file)
	if err != nil {
		return "", errNoVoice
	}
	m.Flags = discordgo.MessageFlagsIsVoiceMessage
	m.Attachments = []fileHead{{ID: "0", Filename: f.name, Duration: recording.Duration.Seconds(), Waveform: recording.Waveform}}
	f.kind = "audio/ogg"
	remote, err = w.upload(ctx, thread, m, f)
	if errors.Is(err, chat.ErrPermanent) || errors.Is(err, errForbidden) {
		w.log.Debug("Discord rejected a voice message; sending a file", "err", err)
		return "", errNoVoice
	}
	return remote, err
}

// needsHead reports whether an op's text has to precede its file.
func needsHead(op chat.Op) bool {
	return op.File != nil && voice.Named(op.File) && render(op) != ""
}
