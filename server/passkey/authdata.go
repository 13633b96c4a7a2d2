package passkey

import (
	"encoding/binary"
	"errors"
)

// The flags of authenticator data.
const (
	flagPresent    = 1 << 0
	flagVerified   = 1 << 2
	flagMayBackUp  = 1 << 3
	flagBackedUp   = 1 << 4
	flagCredential = 1 << 6
	flagExtensions = 1 << 7
)

const (
	headLength  = 32 + 1 + 4 // the site's hash, the flags, the count
	modelLength = 16         // of the authenticator
	maxID       = 1023
)

var errAuthData = errors.New("the data of the authenticator is damaged")

// authData is what an authenticator signs. id and key are only in that of a new passkey.
type authData struct {
	site  []byte
	flags byte
	count uint32
	id    []byte
	key   []byte // of COSE
}

// parseAuthData reads authenticator data to its end.
func parseAuthData(data []byte) (a authData, err error) {
	if len(data) < headLength {
		return a, errAuthData
	}
	a.site, a.flags, a.count = data[:32], data[32], binary.BigEndian.Uint32(data[33:])
	rest := data[headLength:]
	if a.flags&flagCredential != 0 {
		if rest, err = a.parseCredential(rest); err != nil {
			return a, err
		}
	}
	if a.flags&flagExtensions != 0 {
		extensions := reader{data: rest}
		if extensions.skip(0); extensions.failed || rest[0]>>5 != majorMap {
			return a, errAuthData
		}
		rest = extensions.data
	}
	if len(rest) > 0 {
		return a, errAuthData
	}
	return a, nil
}

// parseCredential reads a new passkey and returns what follows it.
func (a *authData) parseCredential(data []byte) (rest []byte, err error) {
	if len(data) < modelLength+2 {
		return nil, errAuthData
	}
	data = data[modelLength:]
	length := int(binary.BigEndian.Uint16(data))
	data = data[2:]
	if length == 0 || length > maxID || length > len(data) {
		return nil, errAuthData
	}
	a.id = data[:length]
	data = data[length:]
	key := reader{data: data}
	_, err = key.publicKey()
	a.key = data[:len(data)-len(key.data)]
	return key.data, err
}

// authenticatorData returns the authenticator data in an attestation object.
func authenticatorData(attestation []byte) (data []byte, err error) {
	r := reader{data: attestation}
	found := map[string]bool{}
	for range r.mapLength() {
		name := string(r.text())
		if r.failed || found[name] {
			return nil, errAttestation
		}
		found[name] = true
		if name == "authData" {
			data = r.bytes()
		} else {
			r.skip(0)
		}
	}
	if r.failed || len(r.data) > 0 || data == nil {
		return nil, errAttestation
	}
	return data, nil
}

var errAttestation = errors.New("attestationObject is damaged")
