// Package passkey verifies what browsers answer when somebody adds a passkey or signs in
// with one (Web Authentication, Level 3). It imports the standard library only. Who made
// the authenticator does not matter to relay, so attestations are not read.
package passkey

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

// Site is who asks for passkeys: browsers offer one on the site that it was made for only.
type Site struct {
	Host   string // the relying party's id
	Origin string // of the page, as browsers write it
}

// Errors of sites.
var (
	ErrInsecure = errors.New("passkeys need https, or localhost")
	ErrAddress  = errors.New("passkeys need a host name in place of an IP address")
)

// SiteOf returns the site at an address, or why browsers allow no passkeys there.
func SiteOf(address string) (Site, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return Site{}, ErrInsecure
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	_, notAddress := netip.ParseAddr(host)
	switch local := host == "localhost" || strings.HasSuffix(host, ".localhost"); {
	case u.Scheme != "https" && (u.Scheme != "http" || !local):
		return Site{}, ErrInsecure
	case notAddress == nil:
		return Site{}, ErrAddress
	}
	origin := u.Scheme + "://" + host
	if port != "" && port != map[string]string{"https": "443", "http": "80"}[u.Scheme] {
		origin += ":" + port
	}
	return Site{Host: host, Origin: origin}, nil
}

// Credential is what relay knows of a passkey.
type Credential struct {
	ID    []byte
	Key   []byte // the public key, of COSE (RFC 9052)
	Count uint32 // of its signatures, 0 for those that do not count
}

// ErrCounter means that a passkey has signed less often than before: there are two of it.
var ErrCounter = errors.New("the counter of the passkey went back: it may have been copied")

// Register verifies a new passkey.
func (s Site) Register(challenge, clientData, attestation []byte) (Credential, error) {
	if err := s.checkClient("webauthn.create", challenge, clientData); err != nil {
		return Credential{}, err
	}
	data, err := authenticatorData(attestation)
	if err != nil {
		return Credential{}, err
	}
	a, err := parseAuthData(data)
	if err == nil {
		err = s.checkAuth(a)
	}
	if err == nil && a.key == nil {
		err = errors.New("the answer has no passkey")
	}
	return Credential{ID: a.id, Key: a.key, Count: a.count}, err
}

// Verify verifies a signature of a known passkey and returns its new count.
func (s Site) Verify(c Credential, challenge, clientData, data, signature []byte) (count uint32, err error) {
	if err := s.checkClient("webauthn.get", challenge, clientData); err != nil {
		return 0, err
	}
	a, err := parseAuthData(data)
	if err == nil {
		err = s.checkAuth(a)
	}
	if err != nil {
		return 0, err
	}
	sum := sha256.Sum256(clientData)
	if err := verify(c.Key, append(bytes.Clone(data), sum[:]...), signature); err != nil {
		return 0, err
	}
	if (a.count != 0 || c.Count != 0) && a.count <= c.Count {
		return 0, ErrCounter
	}
	return a.count, nil
}

// checkClient verifies what the browser says: it answers this challenge, on this site.
func (s Site) checkClient(kind string, challenge, clientData []byte) error {
	var c struct {
		Type        string `json:"type"`
		Challenge   string `json:"challenge"`
		Origin      string `json:"origin"`
		CrossOrigin bool   `json:"crossOrigin"`
	}
	if err := json.Unmarshal(clientData, &c); err != nil {
		return errors.New("clientDataJSON is no JSON")
	}
	given, err := base64.RawURLEncoding.DecodeString(c.Challenge)
	switch {
	case c.Type != kind:
		return errors.New("the answer is of another kind")
	case err != nil || len(challenge) == 0 || subtle.ConstantTimeCompare(given, challenge) != 1:
		return errors.New("the answer is to another challenge")
	case c.Origin != s.Origin || c.CrossOrigin:
		return errors.New("the answer is from another page")
	}
	return nil
}

// checkAuth verifies that the passkey is of this site, and that the authenticator knows
// that the person is there and who it is.
func (s Site) checkAuth(a authData) error {
	host := sha256.Sum256([]byte(s.Host))
	switch {
	case subtle.ConstantTimeCompare(a.site, host[:]) != 1:
		return errors.New("the passkey is of another site")
	case a.flags&flagPresent == 0 || a.flags&flagVerified == 0:
		return errors.New("the device did not verify who uses it")
	case a.flags&flagBackedUp != 0 && a.flags&flagMayBackUp == 0:
		return errors.New("the flags of the passkey contradict each other")
	}
	return nil
}
