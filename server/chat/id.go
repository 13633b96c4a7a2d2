package chat

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"strconv"
	"strings"
)

// NewID returns an unguessable identifier of 130 random bits.
func NewID() string { return rand.Text() }

// IDOf returns the identifier that belongs to a text, which must have a secret in it.
func IDOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base32.StdEncoding.EncodeToString(sum[:])[:idLength]
}

// idLength is the length of what NewID returns.
const idLength = 26

// MessageID makes a message's id from a random part and its place in the
// session: the id alone leads to the message, without an index of ids.
func MessageID(random string, seq int64) string {
	return random + strings.ToUpper(strconv.FormatInt(seq, 32))
}

// SeqOf returns the place in its session that a message's id contains. The ids
// that backends give their messages contain none.
func SeqOf(id string) (seq int64, ok bool) {
	if len(id) <= idLength {
		return 0, false
	}
	seq, err := strconv.ParseInt(id[idLength:], 32, 64)
	return seq, err == nil && seq > 0
}

// NewToken returns a secret of 260 random bits.
func NewToken() string { return rand.Text() + rand.Text() }

// Hash returns the SHA-256 of a secret in hex: the form in which secrets are
// stored.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// MAC is the HMAC-SHA256 of a text: relay's signatures, and those that it checks.
func MAC(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// SameSecret compares two secrets in constant time, whatever their lengths.
func SameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// sameHash compares two hashes in constant time.
func sameHash(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
