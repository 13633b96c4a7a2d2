package discord

import (
	"encoding/base64"
	"strings"

	"relay/bridges/cut"
	"relay/server/chat"
)

// A thread's name is 1 to 100 characters (Discord, "Start Thread").
const maxThreadName = 100

// A thread leads back to its session by a token, the last word of its name and
// of its first message: "#" and the session's id, or "#~" and its base64url
// when it holds other characters. An id that is too long for a name is only in
// the first message.
const (
	maxEncodedID = 40   // bytes of an id that is encoded in a name
	maxAnchorID  = 1000 // and in the first message
)

var isPlainID = chat.Form(`[A-Za-z0-9_-]{1,40}`)

// sessionToken renders the token of a session, "" if it can have none.
func sessionToken(sessionID string, most int) string {
	switch {
	case isPlainID(sessionID):
		return "#" + sessionID
	case sessionID != "" && len(sessionID) <= most:
		return "#~" + base64.RawURLEncoding.EncodeToString([]byte(sessionID))
	}
	return ""
}

// sessionOf reads the token at the end of a text, "" if it has none. Only the
// text of a thread that the bot made is to be believed.
func sessionOf(text string) string {
	word, ok := strings.CutPrefix(text[strings.LastIndexByte(text, ' ')+1:], "#")
	if !ok {
		return ""
	}
	if encoded, ok := strings.CutPrefix(word, "~"); ok {
		id, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
		if err != nil || len(id) > maxAnchorID {
			return ""
		}
		return string(id)
	}
	if !isPlainID(word) {
		return ""
	}
	return word
}

// threadName names a session's thread. The visitor may be called what they
// like: without a token of ours the name does not end in one.
func threadName(title, sessionID string) string {
	token := sessionToken(sessionID, maxEncodedID)
	if token == "" {
		name := threadTitle(title, maxThreadName-2)
		if sessionOf(name) != "" {
			name += " ·"
		}
		return name
	}
	end := " · " + token
	return threadTitle(title, maxThreadName-cut.Units(end)) + end
}

func threadTitle(title string, limit int) string {
	if title = oneLine(title, limit); title != "" {
		return title
	}
	return "Visitor"
}
