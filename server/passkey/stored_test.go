package passkey_test

import (
	_ "embed"
	"encoding/json"
	"testing"

	"github.com/relay-chat/relay/server/passkey"
)

//go:embed testdata/stored.json
var stored []byte

// Passkeys that were added before the library verified them still sign in. The rows were
// recorded then.
func TestStored(t *testing.T) {
	var rows []struct {
		Name                                              string
		ID, Key, ClientData, AuthenticatorData, Signature []byte
		Count                                             uint32
	}
	if err := json.Unmarshal(stored, &rows); err != nil || len(rows) == 0 {
		t.Fatal(err)
	}
	for _, r := range rows {
		c := passkey.Credential{ID: r.ID, Owner: person, Key: r.Key, Count: r.Count}
		a := passkey.Assertion{UserHandle: person, ClientData: r.ClientData, AuthenticatorData: r.AuthenticatorData, Signature: r.Signature}
		if count, err := site.Verify(c, challenge, a); count != r.Count+1 || err != nil {
			t.Errorf("%s: %d, %v", r.Name, count, err)
		}
		a.Signature[len(a.Signature)-1]++
		refused(t, r.Name, second(site.Verify(c, challenge, a)), "signature")
	}
}
