package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// sign sets a request's headers: relay's own and the three of Standard Webhooks.
// It signs the exact bytes of body.
func sign(h http.Header, t Target, id, event string, at chat.Time, body []byte) {
	h.Set("Content-Type", "application/json")
	h.Set(t.Prefix+"-Event", event)
	seconds := strconv.FormatInt(int64(at)/1000, 10)
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", seconds)
	if t.Secret == "" {
		return
	}
	h.Set(t.Prefix+"-Signature", "sha256="+hex.EncodeToString(mac([]byte(t.Secret), body)))
	signed := append([]byte(id+"."+seconds+"."), body...)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac(standardKey(t.Secret), signed)))
}

// standardKey returns the key of Standard Webhooks: base64 after whsec_.
func standardKey(secret string) []byte {
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if key, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			return key
		}
	}
	return []byte(secret)
}

func mac(key, data []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(data)
	return m.Sum(nil)
}

// MessageID returns the webhook-id of a delivery. It is the same at every attempt
// and unique to the event, even after a restart of bridge mode forgot the
// revisions; it reveals nothing about the delivery.
func MessageID(d *chat.Delivery) string { return hashID(d.ID() + "." + d.CreatedAt.String()) }

func hashID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "msg_" + base32.StdEncoding.EncodeToString(sum[:])[:26]
}
