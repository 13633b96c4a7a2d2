package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"strings"

	"relay/bridges/cut"
	"relay/server/chat"
)

// maxFile is the largest file that Discord takes from everybody; servers with
// boosts take more (Discord, "Uploading Files").
const maxFile = 10 << 20

// fileHead describes a file of a form.
type fileHead struct {
	ID       string `json:"id"`
	Filename string `json:"filename"`
}

// form is a message with a file.
type form struct {
	payload newMessage
	file    []byte
	name    string
	kind    string // its MIME type
}

// show sends a file with the op's text. One that is too large, or that the bot
// may not attach, goes as a link: it holds nothing else up.
func (b *Bridge) show(ctx context.Context, thread string, op chat.Op) (remote string, err error) {
	if op = fitted(op); op.File == nil {
		return b.write(ctx, thread, messageOf(op), nil)
	}
	file, err := read(ctx, op.File)
	if err != nil {
		return "", err
	}
	m := messageOf(op)
	name := cut.Line(op.File.Filename, 200)
	if name == "" {
		name = "file"
	}
	m.Attachments = []fileHead{{ID: "0", Filename: name}}
	remote, err = b.write(ctx, thread, m, &form{file: file, name: name, kind: op.File.MimeType})
	switch {
	case errors.Is(err, errTooLarge):
		return b.write(ctx, thread, messageOf(asText(op, tooLarge)), nil)
	case errors.Is(err, errForbidden):
		return b.write(ctx, thread, messageOf(asText(op, unattached)), nil)
	}
	return remote, err
}

// read reads a file whole: the call may have to be made twice.
func read(ctx context.Context, f *chat.OpFile) ([]byte, error) {
	content, err := f.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", f.Filename, err)
	}
	defer content.Close()
	return io.ReadAll(io.LimitReader(content, maxFile+1))
}

// fitted is an op whose file, if any, Discord takes.
func fitted(op chat.Op) chat.Op {
	if op.File != nil && op.File.Size > maxFile {
		return asText(op, tooLarge)
	}
	return op
}

// Why a file is not shown.
const (
	tooLarge   = "is too large for Discord"
	unattached = "is not shown: the bot lacks Attach Files"
)

// asText makes a text of an op whose file cannot be shown.
func asText(op chat.Op, why string) chat.Op {
	about := fmt.Sprintf("📎 %s (%d MB) %s", op.File.Filename, op.File.Size>>20, why)
	if op.File.URL != "" {
		about += ": " + op.File.URL
	}
	op.Text = strings.TrimPrefix(op.Text+"\n"+about, "\n")
	op.File = nil
	return op
}

// encode renders the form as Discord wants it (Discord, "Uploading Files").
func (f *form) encode() (contentType string, raw []byte, err error) {
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	payload, err := json.Marshal(f.payload)
	if err != nil {
		return "", nil, err
	}
	head := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="payload_json"`}, "Content-Type": {"application/json"}}
	part, err := w.CreatePart(head)
	if err != nil {
		return "", nil, err
	}
	if _, err := part.Write(payload); err != nil {
		return "", nil, err
	}
	disposition := multipart.FileContentDisposition("files[0]", f.name)
	kind := f.kind
	if kind == "" || strings.ContainsAny(kind, "\r\n") {
		kind = "application/octet-stream"
	}
	if part, err = w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {disposition}, "Content-Type": {kind}}); err != nil {
		return "", nil, err
	}
	if _, err := part.Write(f.file); err != nil {
		return "", nil, err
	}
	err = w.Close()
	return w.FormDataContentType(), buf.Bytes(), err
}
