package keyring

import (
	"crypto/hmac"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Cookies makes and verifies the values of cookies that say who somebody is.
// A value is "expiry.text.signature": the expiry in seconds since 1970, the text and
// the HMAC-SHA256 of the cookie's name and both in base64.
type Cookies struct {
	key  []byte
	life time.Duration
}

// Cookies makes cookies for a purpose, which end with the secret key.
func (k *Ring) Cookies(purpose string, life time.Duration) Cookies {
	return Cookies{k.SigningKey(purpose), life}
}

// Sign returns the value of a cookie that carries a text until its life is over.
func (c Cookies) Sign(name, text string) string {
	value := strconv.FormatInt(time.Now().Add(c.life).Unix(), 10) + "." + base64.RawURLEncoding.EncodeToString([]byte(text))
	return value + "." + base64.RawURLEncoding.EncodeToString(c.signature(name, value))
}

// Of returns the text of a request's cookie.
func (c Cookies) Of(r *http.Request, name string) (text string, ok bool) {
	cookie, err := r.Cookie(name)
	if err != nil {
		return "", false
	}
	return c.Open(name, cookie.Value)
}

// Open returns the text of a cookie that was signed with the key for this name and
// has not expired.
func (c Cookies) Open(name, value string) (text string, ok bool) {
	end := strings.LastIndexByte(value, '.')
	if end < 0 {
		return "", false
	}
	given, err := base64.RawURLEncoding.DecodeString(value[end+1:])
	if err != nil || !hmac.Equal(given, c.signature(name, value[:end])) {
		return "", false
	}
	expiry, encoded, _ := strings.Cut(value[:end], ".")
	until, err := strconv.ParseInt(expiry, 10, 64)
	if err != nil || time.Now().Unix() >= until {
		return "", false
	}
	decoded, err := base64.RawURLEncoding.DecodeString(encoded)
	return string(decoded), err == nil
}

func (c Cookies) signature(name, value string) []byte {
	return chat.MAC(c.key, name+"="+value)
}
