package mail

import (
	"bytes"
	"context"
	"io"

	gomail "github.com/wneessen/go-mail"

	"github.com/relay-chat/relay/server/chat"
)

// Small images are in the letter itself, so that they are seen without a click. The others are
// links, like all other files.
const (
	maxImage  = 256 << 10
	maxImages = 5
)

// imageTypes are those that mail programs show.
var imageTypes = map[string]gomail.ContentType{"image/png": "image/png", "image/jpeg": "image/jpeg", "image/gif": "image/gif", "image/webp": "image/webp"}

// file is a file of a message as a letter shows it.
type file struct {
	chat.Attachment
	contentID string // of an image that is in the letter
}

// embed puts the small images of messages into a letter. One that cannot be read stays a link.
func (s *Sink) embed(ctx context.Context, m *gomail.Msg, messages []said, host string) {
	left := maxImages
	for _, one := range messages {
		for i := range one.files {
			f := &one.files[i]
			kind, image := imageTypes[f.MimeType]
			if !image || f.Size > maxImage || left == 0 {
				continue
			}
			data, err := s.read(ctx, f.ID)
			if err != nil {
				continue
			}
			id := chat.Hash("image\n" + f.ID)[:32] + "@" + host
			if m.EmbedReader(f.Filename, bytes.NewReader(data), gomail.WithFileContentID("<"+id+">"), gomail.WithFileContentType(kind)) == nil {
				f.contentID = id
				left--
			}
		}
	}
}

// read returns the content of a small file.
func (s *Sink) read(ctx context.Context, id string) ([]byte, error) {
	content, err := s.opts.Engine.Relay.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(content, maxImage))
}
