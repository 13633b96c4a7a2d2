package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"strings"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/bridges/naming"
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
