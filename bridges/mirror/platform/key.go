package platform

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// Key makes the key of an op: 24 letters and digits.
func Key(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\n")))
	return base32.StdEncoding.EncodeToString(sum[:15])
}
