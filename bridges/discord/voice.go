package discord

import (
	"context"
	"errors"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/bridges/voice"
	"github.com/relay-chat/relay/server/chat"
)

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
