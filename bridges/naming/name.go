// Package naming names the threads of sessions so that a name leads back to its
// session without a store, and authors and files in texts, and tells ops that are to be
// cut apart. It imports server/chat and bridges/cut.
package naming

import (
	"encoding/base64"
	"strings"

	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/server/chat"
)

// Names holds a platform's limits. The last word of a thread's name is a token
// of its session: "#" and the session's id, or "#~" and the id's base64url when
// it holds other characters than letters, digits, "_" and "-". A longer id has
// no token.
type Names struct {
	Limit   int // of a name, in UTF-16 units
	Plain   int // of an id that is not encoded, in bytes
	Encoded int // of an id that is encoded, in bytes
}

var isPlain = chat.Pattern(`[A-Za-z0-9_-]+`)

// Token returns the token of a session, "" if it can have none.
func (n Names) Token(sessionID string) string {
	switch {
	case n.isPlain(sessionID):
		return "#" + sessionID
	case sessionID != "" && len(sessionID) <= n.Encoded:
		return "#~" + base64.RawURLEncoding.EncodeToString([]byte(sessionID))
	}
	return ""
}

// Session reads the token at the end of a text, "" if it has none. Trust only
// the text of a thread that the bot created.
func (n Names) Session(text string) string {
	word, ok := strings.CutPrefix(text[strings.LastIndexByte(text, ' ')+1:], "#")
	if !ok {
		return ""
	}
	if encoded, ok := strings.CutPrefix(word, "~"); ok {
		id, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
		if err != nil || len(id) > n.Encoded {
			return ""
		}
		return string(id)
	}
	if !n.isPlain(word) {
		return ""
	}
	return word
}

func (n Names) isPlain(id string) bool { return len(id) <= n.Plain && isPlain(id) }

// Name names a session's thread. A visitor may choose any name: where the
// session has no token, the name is kept from ending in one.
func (n Names) Name(title, sessionID string) string {
	token := n.Token(sessionID)
	if token == "" {
		name := Title(title, n.Limit-2)
		if n.Session(name) != "" {
			name += " ·"
		}
		return name
	}
	end := " · " + token
	return Title(title, n.Limit-cut.Units(end)) + end
}

// Title returns a visitor's name as one line of at most limit UTF-16 units.
func Title(name string, limit int) string {
	if name = cut.Line(name, limit); name != "" {
		return name
	}
	return "Visitor"
}
