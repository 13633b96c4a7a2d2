// Package passkey verifies what browsers answer when somebody adds a passkey or signs in
// with one. It is the one place that knows the library for Web Authentication.
package passkey

import (
	"encoding/base64"
	"errors"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// Credential is what relay knows of a passkey.
type Credential struct {
	ID    []byte
	Owner []byte // the user handle
	Key   []byte // the public key, of COSE (RFC 9052)
	Count uint32 // of its signatures, 0 for those that do not count
}

// Assertion is what a device answers when somebody signs in.
type Assertion struct {
	UserHandle, ClientData, AuthenticatorData, Signature []byte
}

// ErrCounter means that a passkey has signed less often than before: there are two of it.
var ErrCounter = errors.New("the counter of the passkey went back: it may have been copied")

// Register verifies a new passkey. Who made the authenticator does not matter to relay, so
// any attestation counts as none.
func (s Site) Register(challenge, clientData, attestation []byte) (Credential, error) {
	raw := protocol.AuthenticatorAttestationResponse{AuthenticatorResponse: protocol.AuthenticatorResponse{ClientDataJSON: clientData}, AttestationObject: attestation}
	response, err := raw.Parse()
	if err != nil {
		return Credential{}, explain(err)
	}
	object := &response.AttestationObject
	object.Format, object.AttStatement = string(protocol.AttestationFormatNone), nil
	parsed := protocol.ParsedCredentialCreationData{Response: *response, Raw: protocol.CredentialCreationResponse{AttestationResponse: raw}}
	if parsed.RawID = object.AuthData.AttData.CredentialID; len(parsed.RawID) == 0 {
		return Credential{}, errDamaged
	}
	party, err := s.party()
	if err != nil {
		return Credential{}, err
	}
	made, err := party.CreateCredential(owner{}, s.session(challenge), &parsed)
	if err != nil {
		return Credential{}, explain(err)
	}
	return Credential{ID: made.ID, Key: made.PublicKey, Count: made.Authenticator.SignCount}, checkKey(made.PublicKey)
}

// Verify verifies a signature of a known passkey and returns its new count. Whether a
// passkey may be backed up is not stored: each signature says it anew.
func (s Site) Verify(c Credential, challenge []byte, a Assertion) (count uint32, err error) {
	parsed, err := a.parse(c.ID)
	if err != nil {
		return 0, explain(err)
	}
	known := webauthn.Credential{ID: c.ID, PublicKey: c.Key, Authenticator: webauthn.Authenticator{SignCount: c.Count},
		Flags: webauthn.NewCredentialFlags(parsed.Response.AuthenticatorData.Flags)}
	party, err := s.party()
	if err != nil {
		return 0, err
	}
	find := func(_, _ []byte) (webauthn.User, error) { return owner{c.Owner, []webauthn.Credential{known}}, nil }
	_, used, err := party.ValidatePasskeyLogin(find, s.session(challenge), parsed)
	switch {
	case err != nil:
		return 0, explain(err)
	case used.Authenticator.CloneWarning:
		return 0, ErrCounter
	}
	return used.Authenticator.SignCount, nil
}

func (a Assertion) parse(id []byte) (*protocol.ParsedCredentialAssertionData, error) {
	return protocol.CredentialAssertionResponse{
		PublicKeyCredential: protocol.PublicKeyCredential{RawID: id,
			Credential: protocol.Credential{ID: base64.RawURLEncoding.EncodeToString(id), Type: string(protocol.PublicKeyCredentialType)}},
		AssertionResponse: protocol.AuthenticatorAssertionResponse{AuthenticatorResponse: protocol.AuthenticatorResponse{ClientDataJSON: a.ClientData},
			AuthenticatorData: a.AuthenticatorData, Signature: a.Signature, UserHandle: a.UserHandle},
	}.Parse()
}

func (s Site) party() (*webauthn.WebAuthn, error) {
	return webauthn.New(&webauthn.Config{RPOrigins: []string{s.Origin}})
}

// session is what was asked. The host stands here and not in the configuration, which
// rejects those of one word, as in an intranet; browsers have passkeys there.
func (s Site) session(challenge []byte) webauthn.SessionData {
	d := webauthn.SessionData{Challenge: base64.RawURLEncoding.EncodeToString(challenge), RelyingPartyID: s.Host, UserVerification: protocol.VerificationRequired}
	for _, algorithm := range Algorithms {
		d.CredParams = append(d.CredParams, protocol.CredentialParameter{Type: protocol.PublicKeyCredentialType, Algorithm: algorithm})
	}
	return d
}

// owner is a person as the library asks for one.
type owner struct {
	id   []byte
	keys []webauthn.Credential
}

func (o owner) WebAuthnID() []byte                         { return o.id }
func (o owner) WebAuthnName() string                       { return "" }
func (o owner) WebAuthnDisplayName() string                { return "" }
func (o owner) WebAuthnCredentials() []webauthn.Credential { return o.keys }
