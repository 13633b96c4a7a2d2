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

	"relay/server/chat"
)

// sign gives a request its headers: the seed's own (6.2) and beside them the
// three of Standard Webhooks. The signed bytes are body, which is sent as it
// is.
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

// standardKey is the key of Standard Webhooks: behind whsec_ it is base64.
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

// MessageID is the webhook-id of a delivery: what names an event to its
// receiver. It is the same at every attempt, of no other event, also not after
// a restart of bridge mode that forgot the revisions, and tells nothing about
// the delivery.
func MessageID(d *chat.Delivery) string { return nameOf(d.ID() + "." + d.CreatedAt.String()) }

func nameOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "msg_" + base32.StdEncoding.EncodeToString(sum[:])[:26]
}
