package chat

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
)

// NewID returns an unguessable identifier of 130 random bits.
func NewID() string { return rand.Text() }

// NewToken returns a secret of 260 random bits.
func NewToken() string { return rand.Text() + rand.Text() }

// Hash returns the SHA-256 of a secret in hex: the form in which secrets are
// stored.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// SameSecret compares two secrets in constant time, whatever their lengths.
func SameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
