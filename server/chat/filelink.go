package chat

import (
	"encoding/base64"
	"net/url"
	"strconv"
	"time"
)

// LinkLife is how long a link to a file lives in answers to visitors and
// operators; it is renewed whenever they read.
const LinkLife = 24 * time.Hour

// FileLinks makes and checks the signed links to files.
type FileLinks struct {
	key  []byte
	base string
}

// NewFileLinks makes links below base, which is "" for links relative to relay.
func NewFileLinks(key, base string) *FileLinks { return &FileLinks{key: []byte(key), base: base} }

// URL returns a link to a file that works until a time, or with 0 as long as
// the file lives.
func (l *FileLinks) URL(a *Attachment, until Time) string {
	exp := strconv.FormatInt(int64(until)/1000, 10)
	return l.base + "/files/" + a.ID + "/" + url.PathEscape(a.Filename) + "?exp=" + exp + "&sig=" + l.sign(a.ID, exp)
}

// Show gives the attachments of messages their links. A backend's files, which
// are not relay's, keep their addresses.
func (l *FileLinks) Show(m *Message, until Time) {
	shown := make(Attachments, len(m.Attachments.V))
	for i, a := range m.Attachments.V {
		if a.URL == "" {
			a.URL = l.URL(&a, until)
		}
		shown[i] = a
	}
	m.Attachments = Of(shown)
}

// Check reports whether a link was made here and still works.
func (l *FileLinks) Check(id, exp, sig string, now Time) bool {
	seconds, err := strconv.ParseInt(exp, 10, 64)
	return err == nil && SameSecret(sig, l.sign(id, exp)) && (seconds == 0 || seconds > int64(now)/1000)
}

func (l *FileLinks) sign(id, exp string) string {
	return base64.RawURLEncoding.EncodeToString(MAC(l.key, id+"\n"+exp)[:18])
}
