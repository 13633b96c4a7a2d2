package telegram

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"relay/server/chat"
)

// What Telegram takes from a bot (Bot API, sendPhoto and sendDocument).
const (
	maxPhoto  = 10 << 20
	maxUpload = 50 << 20
)

// The ways to show a file.
const (
	asPhoto    = "photo"
	asVoice    = "voice"
	asDocument = "document"
)

// wayOf says how a file is best shown.
func wayOf(f *chat.OpFile) string {
	switch f.MimeType {
	case "image/jpeg", "image/png", "image/webp":
		if f.Size <= maxPhoto {
			return asPhoto
		}
	case "audio/ogg", "audio/opus":
		return asVoice
	}
	return asDocument
}

// show sends a file with the op's text as its caption. What Telegram does not
// take as a picture or a recording goes as a document, what is too large as a
// link.
func (b *Bridge) show(ctx context.Context, topic int64, op chat.Op) (*gotgbot.Message, error) {
	if op.File.Size > maxUpload {
		return b.write(ctx, topic, linked(op))
	}
	way := wayOf(op.File)
	m, err := b.upload(ctx, topic, op, way)
	if way != asDocument && (errors.Is(err, errPicture) || errors.Is(err, chat.ErrPermanent)) {
		m, err = b.upload(ctx, topic, op, asDocument)
	}
	if err != nil {
		return nil, err
	}
	return m, b.landed(ctx, topic, m)
}

// upload sends the file once.
func (b *Bridge) upload(ctx context.Context, topic int64, op chat.Op, way string) (m *gotgbot.Message, err error) {
	err = b.spend(ctx, false, func(ctx context.Context) error {
		content, err := op.File.Open(ctx)
		if err != nil {
			return &callError{"open " + op.File.Filename, false, err}
		}
		defer content.Close()
		file := gotgbot.InputFileByReader(op.File.Filename, upload{content, op.File.Size})
		m, err = b.send(ctx, topic, op, way, file)
		return err
	})
	return m, err
}

// send makes the call that fits.
func (b *Bridge) send(ctx context.Context, topic int64, op chat.Op, way string, file gotgbot.InputFile) (*gotgbot.Message, error) {
	group, limit, answer := b.group.Load(), within(uploadTimeout), reply(op)
	caption, _ := render(op)
	mode := gotgbot.ParseModeHTML
	if caption == "" {
		mode = ""
	}
	switch way {
	case asPhoto:
		return b.bot.SendPhotoWithContext(ctx, group, file, &gotgbot.SendPhotoOpts{MessageThreadId: topic,
			Caption: caption, ParseMode: mode, ReplyParameters: answer, RequestOpts: limit})
	case asVoice:
		return b.bot.SendVoiceWithContext(ctx, group, file, &gotgbot.SendVoiceOpts{MessageThreadId: topic,
			Caption: caption, ParseMode: mode, ReplyParameters: answer, RequestOpts: limit})
	}
	return b.bot.SendDocumentWithContext(ctx, group, file, &gotgbot.SendDocumentOpts{MessageThreadId: topic,
		Caption: caption, ParseMode: mode, ReplyParameters: answer, RequestOpts: limit, DisableContentTypeDetection: true})
}

// linked makes a text of an op whose file is too large for Telegram.
func linked(op chat.Op) chat.Op {
	about := fmt.Sprintf("📎 %s (%d MB) is too large for Telegram", op.File.Filename, op.File.Size>>20)
	if op.File.URL != "" {
		about += ": " + op.File.URL
	}
	op.Text = strings.TrimPrefix(op.Text+"\n"+about, "\n")
	op.File = nil
	return op
}
