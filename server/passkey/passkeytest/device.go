// Package passkeytest is an authenticator and its browser for tests. Its fields can be
// set to what an honest one would never answer.
package passkeytest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math/big"
)

// The algorithms by their numbers in COSE.
const (
	ES256 = -7
	EdDSA = -8
	RS256 = -257
)

// Device is an authenticator with one passkey.
type Device struct {
	Host, Origin string
	ID           []byte
	Flags        byte
	Count        uint32 // of the next answer
	Key          crypto.Signer
	CrossOrigin  bool
}

// New makes a device whose person is there and verified, for a page.
func New(host, origin string, algorithm int) (d *Device, err error) {
	d = &Device{Host: host, Origin: origin, ID: make([]byte, 16), Flags: 0x05}
	_, _ = rand.Read(d.ID) // never fails
	switch algorithm {
	case EdDSA:
		_, d.Key, err = ed25519.GenerateKey(rand.Reader)
	case RS256:
		d.Key, err = rsa.GenerateKey(rand.Reader, 2048)
	default:
		d.Key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	return d, err
}

// Create answers a challenge with the new passkey.
func (d *Device) Create(challenge []byte) (clientData, attestation []byte) {
	data := append(d.AuthData(0x40), make([]byte, 16)...)
	data = binary.BigEndian.AppendUint16(data, uint16(len(d.ID)))
	data = append(append(data, d.ID...), d.COSE()...)
	return d.ClientData("webauthn.create", challenge), Attestation(data)
}

// Sign answers a challenge with a signature.
func (d *Device) Sign(challenge []byte) (clientData, data, signature []byte, err error) {
	clientData, data = d.ClientData("webauthn.get", challenge), d.AuthData(0)
	sum := sha256.Sum256(clientData)
	signed := append(append([]byte{}, data...), sum[:]...)
	hashed, hash := signed, crypto.Hash(0)
	if _, plain := d.Key.(ed25519.PrivateKey); !plain {
		digest := sha256.Sum256(signed)
		hashed, hash = digest[:], crypto.SHA256
	}
	signature, err = d.Key.Sign(rand.Reader, hashed, hash)
	return clientData, data, signature, err
}

// AuthData is the authenticator data without a passkey.
func (d *Device) AuthData(flags byte) []byte {
	host := sha256.Sum256([]byte(d.Host))
	return binary.BigEndian.AppendUint32(append(host[:], d.Flags|flags), d.Count)
}

// ClientData is what the browser says of the page.
func (d *Device) ClientData(kind string, challenge []byte) []byte {
	data, _ := json.Marshal(map[string]any{"type": kind, "challenge": base64.RawURLEncoding.EncodeToString(challenge), "origin": d.Origin, "crossOrigin": d.CrossOrigin})
	return data // strings and a boolean never fail
}

// COSE is the public key.
func (d *Device) COSE() []byte {
	switch public := d.Key.Public().(type) {
	case *ecdsa.PublicKey:
		point, _ := public.Bytes() // a generated key is on its curve
		return concat([]byte{0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21}, Bytes(point[1:33]), []byte{0x22}, Bytes(point[33:]))
	case ed25519.PublicKey:
		return concat([]byte{0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21}, Bytes(public))
	case *rsa.PublicKey:
		return concat([]byte{0xa4, 1, 3, 3, 0x39, 1, 0, 0x20}, Bytes(public.N.Bytes()), []byte{0x21}, Bytes(big.NewInt(int64(public.E)).Bytes()))
	}
	return nil
}

// Attestation is an attestation object of the kind "none".
func Attestation(data []byte) []byte {
	return concat([]byte{0xa3}, text("fmt"), text("none"), text("attStmt"), []byte{0xa0}, text("authData"), Bytes(data))
}

// Bytes encodes bytes in CBOR.
func Bytes(b []byte) []byte { return append(head(2, len(b)), b...) }

func text(s string) []byte { return append(head(3, len(s)), s...) }

func head(major byte, n int) []byte {
	switch {
	case n < 24:
		return []byte{major<<5 | byte(n)}
	case n < 1<<8:
		return []byte{major<<5 | 24, byte(n)}
	}
	return binary.BigEndian.AppendUint16([]byte{major<<5 | 25}, uint16(n))
}

func concat(parts ...[]byte) (all []byte) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}
