package server_test

import (
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// FuzzPasskeys: whatever a browser sends as a new passkey or as a signature is the
// sender's mistake, be it about the page or to a challenge that was really asked.
func FuzzPasskeys(f *testing.F) {
	for _, flags := range []byte{0x05, 0x1d, 0x85, 0x45} {
		d := newDevice(f)
		d.Flags = flags
		_, attestation := d.Create(nil)
		client, data, signature, err := d.Sign(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(client, attestation, signature)
		f.Add(client, attestation[:len(attestation)-9], signature[:9])
		f.Add([]byte(`{"tokenBinding":{}}`), data, []byte{})
	}
	f.Fuzz(func(t *testing.T, client, data, signature []byte) {
		s := newSite(t, dbtest.Memory(t), withPasskeys)
		mia := s.personNamed("Mia", chat.RoleOperator)
		cookie, d := s.cookieFor(mia.ID), newDevice(t)
		_, challenge, asked := s.challenged("/api/admin/passkey-challenge", "Cookie", cookie)
		s.added(s.call("POST", "/api/admin/passkeys", "", made(d, challenge, ""), "Cookie", cookie+"; "+asked)) // the challenge is used up
		for _, said := range [][]byte{client, d.ClientData("webauthn.create", challenge)} {
			response := object{"clientDataJSON": coded(said), "attestationObject": coded(data)}
			s.rejected(s.call("POST", "/api/admin/passkeys", "", object{"credential": object{"response": response}}, "Cookie", cookie+"; "+asked))
		}
		_, challenge, asked = s.challenged("/console/passkey/challenge")
		for _, said := range [][]byte{client, d.ClientData("webauthn.get", challenge)} {
			response := object{"clientDataJSON": coded(said), "authenticatorData": coded(data), "signature": coded(signature), "userHandle": coded([]byte(mia.ID))}
			s.rejected(s.call("POST", "/console/passkey/sign-in", "", object{"id": coded(d.ID), "response": response}, "Cookie", asked))
		}
	})
}

// rejected is an answer that blames who asked.
func (s *site) rejected(a answer) {
	s.t.Helper()
	if a.status < 400 || a.status > 499 {
		s.t.Errorf("answered %d %s", a.status, a.body)
	}
}
