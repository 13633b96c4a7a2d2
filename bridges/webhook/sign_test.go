package webhook

import (
	"encoding/hex"
	"net/http"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/relay-chat/relay/server/chat"
)

// TestSign: X-Acme-Signature is made with the secret as it is, that of
// Standard Webhooks with what stands behind whsec_; without a secret there is
// none, and the other headers stay.
func TestSign(t *testing.T) {
	body := []byte(`{"type":"test"}`)
	for _, secret := range []string{"", "a secret", "whsec_c2VjcmV0IG9mIHRoZSByZWNlaXZlcg==", "whsec_not base64"} {
		h := http.Header{}
		sign(h, Target{Secret: secret, Prefix: "X-Acme"}, "msg_1", "test", chat.Now(), body)
		if h.Get("Content-Type") != "application/json" || h.Get("X-Acme-Event") != "test" || h.Get("webhook-id") != "msg_1" || h.Get("webhook-timestamp") == "" {
			t.Errorf("with the secret %q: %v", secret, h)
		}
		if secret == "" {
			if len(h) != 4 {
				t.Errorf("without a secret: %v", h)
			}
			continue
		}
		if got, want := h.Get("X-Acme-Signature"), "sha256="+hex.EncodeToString(mac([]byte(secret), body)); got != want {
			t.Errorf("with the secret %q the signature is %s, want %s", secret, got, want)
		}
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			verifier, err = standardwebhooks.NewWebhookRaw([]byte(secret))
		}
		if err == nil {
			err = verifier.Verify(body, h)
		}
		if err != nil {
			t.Errorf("with the secret %q Standard Webhooks: %v", secret, err)
		}
	}
}
