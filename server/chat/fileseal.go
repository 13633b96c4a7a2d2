package chat

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// FileRef leads to a file that an operator sent and that stays on its platform.
type FileRef struct {
	Bridge   string `json:"b"`
	Ref      string `json:"r"`
	Filename string `json:"n"`
	MimeType string `json:"t"`
	Size     int64  `json:"s,omitempty"`
}

// FileSeal makes the tokens in links to such files. A token shows
// nothing of its content and cannot be forged.
type FileSeal struct {
	aead cipher.AEAD
	base string
}

// NewFileSeal makes a seal from a secret that survives restarts, with links below
// base, which is "" for links relative to relay.
func NewFileSeal(secret, base string) (*FileSeal, error) {
	key := sha256.Sum256([]byte("relay file seal\n" + secret))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return &FileSeal{aead: aead, base: base}, err
}

// Seal returns the token of a file.
func (s *FileSeal) Seal(f FileRef) string {
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, MustJSON(f), nil))
}

// Open returns the file of a token, or ErrAttachmentNotFound.
func (s *FileSeal) Open(token string) (FileRef, error) {
	var f FileRef
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return f, ErrAttachmentNotFound
	}
	text, err := s.aead.Open(nil, nil, sealed, nil)
	if err != nil || json.Unmarshal(text, &f) != nil {
		return FileRef{}, ErrAttachmentNotFound
	}
	return f, nil
}

// Find returns the file of a link made by this seal; ok is false for any other
// address.
func (s *FileSeal) Find(address string) (f FileRef, ok bool) {
	token, ours := strings.CutPrefix(address, s.base+"/files/")
	if !ours {
		return f, false
	}
	f, err := s.Open(token)
	return f, err == nil
}

// Attachment is a sealed file as messages show it: without an id, because relay
// does not have it.
func (s *FileSeal) Attachment(f FileRef) Attachment {
	return Attachment{Filename: f.Filename, MimeType: f.MimeType, Size: f.Size, URL: s.base + "/files/" + s.Seal(f)}
}
