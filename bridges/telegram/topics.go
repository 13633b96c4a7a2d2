package telegram

import (
	"encoding/base64"
	"strings"
	"sync"

	"relay/bridges/cut"
	"relay/server/chat"
)

// A topic's name is 1 to 128 characters (Bot API, createForumTopic).
const maxTopicName = 128

// A topic leads back to its session by a token, the last word of the name that
// it was made with: "#" and the session's id, or "#~" and its base64url when
// it holds other characters. An id that is too long for a name has none; its
// session gets a new topic after a restart. Both bounds leave room for a short
// title.
const maxEncodedID = 82 // bytes of an id that is encoded

var isPlainID = chat.Form(`[A-Za-z0-9_-]{1,110}`)

// sessionToken renders the token of a session, "" if it can have none.
func sessionToken(sessionID string) string {
	switch {
	case isPlainID(sessionID):
		return "#" + sessionID
	case sessionID != "" && len(sessionID) <= maxEncodedID:
		return "#~" + base64.RawURLEncoding.EncodeToString([]byte(sessionID))
	}
	return ""
}

// sessionOf reads the token out of a topic's name, "" if it has none. Only the
// name of a topic that the bot made is to be believed.
func sessionOf(name string) string {
	word, ok := strings.CutPrefix(name[strings.LastIndexByte(name, ' ')+1:], "#")
	if !ok {
		return ""
	}
	if encoded, ok := strings.CutPrefix(word, "~"); ok {
		id, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
		if err != nil || len(id) > maxEncodedID {
			return ""
		}
		return string(id)
	}
	if !isPlainID(word) {
		return ""
	}
	return word
}

// topicName names a session's topic. The visitor may be called what they like:
// without a token of ours the name does not end in one.
func topicName(title, sessionID string) string {
	token := sessionToken(sessionID)
	if token == "" {
		name := topicTitle(title, maxTopicName-2)
		if sessionOf(name) != "" {
			name += " ·"
		}
		return name
	}
	end := " · " + token
	return topicTitle(title, maxTopicName-cut.Units(end)) + end
}

func topicTitle(title string, limit int) string {
	if title = oneLine(title, limit); title != "" {
		return title
	}
	return "Visitor"
}

// maxTopics bounds how many topics are remembered; all are forgotten then, and
// learnt again from what comes.
const maxTopics = 20000

// topics remembers which topic belongs to which session, in bridge mode, where
// no store does.
type topics struct {
	mu       sync.Mutex
	sessions map[string]string // by topic
	refs     map[string]string // by session: its newest topic
}

func newTopics() *topics {
	return &topics{sessions: map[string]string{}, refs: map[string]string{}}
}

// learn keeps whose a topic is. sessionID is "" for one that leads to no
// session: a person made it, or it was made in community mode.
func (t *topics) learn(ref, sessionID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.sessions) >= maxTopics {
		clear(t.sessions)
		clear(t.refs)
	}
	t.sessions[ref] = sessionID
	if sessionID == "" {
		return
	}
	if old := t.refs[sessionID]; len(old) < len(ref) || len(old) == len(ref) && old < ref {
		t.refs[sessionID] = ref
	}
}

// forget drops a topic that is gone.
func (t *topics) forget(ref string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if session := t.sessions[ref]; t.refs[session] == ref {
		delete(t.refs, session)
	}
	delete(t.sessions, ref)
}

// session returns whose a topic is; known is false when nobody told yet.
func (t *topics) session(ref string) (sessionID string, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	sessionID, known = t.sessions[ref]
	return sessionID, known
}

func (t *topics) ref(sessionID string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refs[sessionID]
}
