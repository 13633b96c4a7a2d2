package engine

import (
	"context"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// mostDraft bounds what operators see of a text that is being written: its end, in characters.
// Nodes send each other 8,000 bytes at once; of JSON, a character is six at most.
const mostDraft = 500

// ShowDraft shows operators what the visitor of a session is writing, where the website wants it.
// It is not stored, so it is shown only while somebody has the session on the screen.
func (e *Engine) ShowDraft(ctx context.Context, site, sessionID, text string) error {
	if text = endOf(strings.TrimSpace(text), mostDraft); text == "" || !e.SettingsOf(site).Bool("typingPreview") || !e.Viewed(sessionID) {
		return nil
	}
	text, err := e.hiddenDraft(ctx, sessionID, text)
	if err != nil {
		return err
	}
	e.Hub.PublishState(chat.StateVisitorDraft, chat.SourceWidget, sessionID, map[string]string{"text": text})
	return nil
}

// endOf is the last characters of a text.
func endOf(text string, most int) string {
	if len(text) <= most {
		return text
	}
	runes := []rune(text)
	return string(runes[max(0, len(runes)-most):])
}
