package server

import (
	"crypto/hmac"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// signedCookies makes and verifies the values of cookies that say who somebody is.
// A value is "expiry.text.signature": the expiry in seconds since 1970, the text and
// the HMAC-SHA256 of the cookie's name and both in base64.
type signedCookies struct {
	key  []byte
	life time.Duration
}

// cookies makes cookies for a purpose, which end with the secret key.
func (k *Keyring) cookies(purpose string, life time.Duration) signedCookies {
	return signedCookies{k.SigningKey(purpose), life}
}

// sign returns the value of a cookie that carries a text until its life is over.
func (c signedCookies) sign(name, text string) string {
	value := strconv.FormatInt(time.Now().Add(c.life).Unix(), 10) + "." + base64.RawURLEncoding.EncodeToString([]byte(text))
	return value + "." + base64.RawURLEncoding.EncodeToString(c.signature(name, value))
}

// of returns the text of a request's cookie.
func (c signedCookies) of(r *http.Request, name string) (text string, ok bool) {
	cookie, err := r.Cookie(name)
	if err != nil {
		return "", false
	}
	return c.open(name, cookie.Value)
}

// open returns the text of a cookie that was signed with the key for this name and
// has not expired.
func (c signedCookies) open(name, value string) (text string, ok bool) {
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

func (c signedCookies) signature(name, value string) []byte {
	return chat.MAC(c.key, name+"="+value)
}
