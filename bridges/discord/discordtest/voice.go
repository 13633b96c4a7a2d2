package discordtest

import (
	"encoding/base64"
	"strings"
)

// Permissions that a file, a voice message and a list of messages take.
const (
	attachFiles = 1 << 15
	sendVoice   = 1 << 46
	readHistory = 1 << 16
)

// voiceMessage is the flag IS_VOICE_MESSAGE.
const voiceMessage = 1 << 13

func flagsOf(body map[string]any) int {
	flags, _ := body["flags"].(float64)
	return int(flags)
}

// mayAttach checks the permission that a message's files take.
func (f *Platform) mayAttach(body map[string]any, files []*file) *apiError {
	switch {
	case flagsOf(body)&voiceMessage != 0 && f.server.denied&sendVoice != 0:
		return refusedBy(403, 50173, "Cannot send voice messages in this channel")
	case flagsOf(body)&voiceMessage == 0 && len(files) > 0 && f.server.denied&attachFiles != 0:
		return noPermission
	}
	return nil
}

// checkVoice refuses what is no voice message.
func (f *Platform) checkVoice(m *message, body map[string]any) *apiError {
	about, _ := body["attachments"].([]any)
	switch {
	case f.server.noVoice:
		return badForm
	case m.content != "" || len(m.embeds) > 0:
		return refusedBy(400, 50159, "Voice messages do not support additional content")
	case len(m.files) != 1 || len(about) != 1 || !strings.HasPrefix(m.files[0].mimeType, "audio/"):
		return refusedBy(400, 50160, "Voice messages must have a single audio attachment")
	}
	attachment, _ := about[0].(map[string]any)
	seconds, _ := attachment["duration_secs"].(float64)
	text, _ := attachment["waveform"].(string)
	waveform, err := base64.StdEncoding.DecodeString(text)
	if err != nil || seconds <= 0 || len(waveform) == 0 || len(waveform) > 256 {
		return refusedBy(400, 50161, "Voice messages must have supporting metadata")
	}
	m.files[0].seconds, m.files[0].waveform = seconds, waveform
	return nil
}

// RefuseVoice has voice messages rejected as forms, as by a change of the API.
func (f *Platform) RefuseVoice() { f.set(func(s *guild) { s.noVoice = true }) }

// Voice is a voice message as operators see it.
type Voice struct {
	Seconds  float64
	Waveform []byte
}

// Voices are the voice messages of a thread.
func (f *Platform) Voices(thread string) (list []Voice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.channels[thread].messages {
		if m.voice {
			list = append(list, Voice{m.files[0].seconds, m.files[0].waveform})
		}
	}
	return list
}
