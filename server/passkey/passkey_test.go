package passkey_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/passkey"
	"github.com/relay-chat/relay/server/passkey/passkeytest"
)

var (
	site      = passkey.Site{Host: "relay.example.com", Origin: "https://relay.example.com"}
	challenge = bytes.Repeat([]byte{7}, 32)
	person    = []byte("Mia")
)

func newDevice(t testing.TB, algorithm int) *passkeytest.Device {
	t.Helper()
	d, err := passkeytest.New(site.Host, site.Origin, algorithm)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func registered(t testing.TB, d *passkeytest.Device) passkey.Credential {
	t.Helper()
	client, attestation := d.Create(challenge)
	c, err := site.Register(challenge, client, attestation)
	if err != nil {
		t.Fatal(err)
	}
	c.Owner = person
	return c
}

// signed is a device's answer to a challenge.
func signed(t testing.TB, d *passkeytest.Device) passkey.Assertion {
	t.Helper()
	client, data, signature, err := d.Sign(challenge)
	if err != nil {
		t.Fatal(err)
	}
	return passkey.Assertion{UserHandle: person, ClientData: client, AuthenticatorData: data, Signature: signature}
}

func TestSiteOf(t *testing.T) {
	for address, want := range map[string]passkey.Site{
		"https://Relay.example.com/":       {Host: "relay.example.com", Origin: "https://relay.example.com"},
		"https://relay.example.com:443":    {Host: "relay.example.com", Origin: "https://relay.example.com"},
		"https://relay.example.com:8443/x": {Host: "relay.example.com", Origin: "https://relay.example.com:8443"},
		"http://localhost:3000":            {Host: "localhost", Origin: "http://localhost:3000"},
		"http://localhost:80":              {Host: "localhost", Origin: "http://localhost"},
	} {
		if got, err := passkey.SiteOf(address); got != want || err != nil {
			t.Errorf("%s is %+v, %v", address, got, err)
		}
	}
	for address, want := range map[string]error{
		"http://relay.example.com": passkey.ErrInsecure, "http://notlocalhost": passkey.ErrInsecure, "": passkey.ErrInsecure, "https://": passkey.ErrInsecure,
		"ftp://localhost": passkey.ErrInsecure, "https://[::1]:3000": passkey.ErrAddress, "https://192.0.2.1": passkey.ErrAddress, "http://127.0.0.1:3000": passkey.ErrInsecure,
	} {
		if _, err := passkey.SiteOf(address); !errors.Is(err, want) {
			t.Errorf("%q is refused with %v, want %v", address, err, want)
		}
	}
}

// Every kind of key registers and signs, and the counter only goes up.
func TestPasskey(t *testing.T) {
	for name, algorithm := range map[string]int{"ES256": passkeytest.ES256, "EdDSA": passkeytest.EdDSA, "RS256": passkeytest.RS256} {
		t.Run(name, func(t *testing.T) {
			d := newDevice(t, algorithm)
			c := registered(t, d)
			if !bytes.Equal(c.ID, d.ID) || c.Count != 0 {
				t.Errorf("registered %+v", c)
			}
			for _, step := range []struct {
				stored, given uint32
				want          error
			}{{0, 0, nil}, {0, 5, nil}, {5, 6, nil}, {6, 6, passkey.ErrCounter}, {6, 5, passkey.ErrCounter}, {6, 0, passkey.ErrCounter}} {
				c.Count, d.Count = step.stored, step.given
				if count, err := site.Verify(c, challenge, signed(t, d)); !errors.Is(err, step.want) || err == nil && count != step.given {
					t.Errorf("count %d after %d: %d, %v", step.given, step.stored, count, err)
				}
			}
		})
	}
}

// An answer that is wrong in one thing is refused, when it registers and when it signs in.
func TestWrongAnswers(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		change     func(*passkeytest.Device)
	}{
		{"origin", "another page", func(d *passkeytest.Device) { d.Origin = "https://relay.example.com.evil.test" }},
		{"port", "another page", func(d *passkeytest.Device) { d.Origin += ":8443" }},
		{"frame", "another page", func(d *passkeytest.Device) { d.CrossOrigin = true }},
		{"site", "another site", func(d *passkeytest.Device) { d.Host = "example.com" }},
		{"absent", "did not verify", func(d *passkeytest.Device) { d.Flags = 0x04 }},
		{"unverified", "did not verify", func(d *passkeytest.Device) { d.Flags = 0x01 }},
		{"backup", "contradict", func(d *passkeytest.Device) { d.Flags = 0x15 }},
		{"extensions", "damaged", func(d *passkeytest.Device) { d.Flags = 0x85 }},
	} {
		d := newDevice(t, passkeytest.ES256)
		c := registered(t, d)
		tt.change(d)
		client, attestation := d.Create(challenge)
		refused(t, tt.name+" registers", second(site.Register(challenge, client, attestation)), tt.want)
		refused(t, tt.name+" signs", second(site.Verify(c, challenge, signed(t, d))), tt.want)
	}
}

func second[T any](_ T, err error) error { return err }

func refused(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

func TestWrongSignatures(t *testing.T) {
	d, other := newDevice(t, passkeytest.ES256), newDevice(t, passkeytest.ES256)
	c := registered(t, d)
	good := signed(t, d)
	with := func(change func(a *passkey.Assertion)) error {
		a := good
		change(&a)
		return second(site.Verify(c, challenge, a))
	}
	refused(t, "another challenge", second(site.Verify(c, bytes.Repeat([]byte{8}, 32), good)), "another challenge")
	none := good
	none.ClientData = d.ClientData("webauthn.get", nil)
	refused(t, "no challenge", second(site.Verify(c, nil, none)), "another challenge")
	refused(t, "a registration", with(func(a *passkey.Assertion) { a.ClientData = d.ClientData("webauthn.create", challenge) }), "another kind")
	refused(t, "no JSON", with(func(a *passkey.Assertion) { a.ClientData = []byte("{") }), "damaged")
	refused(t, "other client data", with(func(a *passkey.Assertion) { a.ClientData = append(bytes.Clone(a.ClientData), ' ') }), "signature")
	refused(t, "another person", with(func(a *passkey.Assertion) { a.UserHandle = []byte("Max") }), "another person")
	refused(t, "no person", with(func(a *passkey.Assertion) { a.UserHandle = nil }), "damaged")
	d.Count = 9
	refused(t, "other data", with(func(a *passkey.Assertion) { a.AuthenticatorData = d.AuthData(0) }), "signature")
	for name, wrong := range map[string][]byte{"another key's": signed(t, other).Signature, "none": nil, "zero": make([]byte, 64), "zeros in ASN.1": {0x30, 6, 2, 1, 0, 2, 1, 0},
		"longer": append(bytes.Clone(good.Signature), 0), "raw": bytes.Repeat([]byte{1}, 64)} {
		refused(t, name, with(func(a *passkey.Assertion) { a.Signature = wrong }), "signature")
	}
	c.Key = []byte("x")
	refused(t, "a damaged key", second(site.Verify(c, challenge, good)), "damaged")
}

// Every part of an attestation object that is cut off, and every byte too many, is an
// error and nothing worse.
func TestTruncated(t *testing.T) {
	for _, algorithm := range []int{passkeytest.ES256, passkeytest.EdDSA, passkeytest.RS256} {
		client, attestation := newDevice(t, algorithm).Create(challenge)
		for n := range attestation {
			refused(t, "a part", second(site.Register(challenge, client, attestation[:n])), "")
		}
		refused(t, "one byte more", second(site.Register(challenge, client, append(attestation, 0))), "damaged")
	}
}

// key registers a passkey with a COSE key of any content.
func key(cose ...byte) error {
	d := &passkeytest.Device{Host: site.Host, Origin: site.Origin, Flags: 0x45}
	data := append(d.AuthData(0), make([]byte, 16)...)
	data = append(append(data, 0, 1, 9), cose...)
	return second(site.Register(challenge, d.ClientData("webauthn.create", challenge), passkeytest.Attestation(data)))
}

// Browsers let devices add extensions that nobody asked for.
func TestExtensions(t *testing.T) {
	extension := append([]byte{0xa1, 0x6b}, "credProtect\x02"...)
	cose := newDevice(t, passkeytest.ES256).COSE()
	if err := key(append(bytes.Clone(cose), extension...)...); err == nil {
		t.Error("what follows the key is accepted without its flag")
	}
	d := &passkeytest.Device{Host: site.Host, Origin: site.Origin, Flags: 0xc5}
	data := append(append(d.AuthData(0), make([]byte, 16)...), 0, 1, 9)
	data = append(append(data, cose...), extension...)
	if c, err := site.Register(challenge, d.ClientData("webauthn.create", challenge), passkeytest.Attestation(data)); err != nil || !bytes.Equal(c.Key, cose) {
		t.Errorf("registered %+v, %v", c, err)
	}
}

func TestWrongKeys(t *testing.T) {
	good := newDevice(t, passkeytest.ES256).COSE()
	if err := key(good...); err != nil {
		t.Fatal(err)
	}
	replaced := func(at int, with ...byte) []byte {
		return append(append(bytes.Clone(good[:at]), with...), good[at+1:]...)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	wide, _ := p384.PublicKey.Bytes()
	zeros := append(bytes.Clone(good[:8]), passkeytest.Bytes(make([]byte, 32))...)
	zeros = append(append(zeros, 0x22), passkeytest.Bytes(make([]byte, 32))...)
	long := append(bytes.Clone(good[:8]), passkeytest.Bytes(wide[1:49])...)
	long = append(append(long, 0x22), passkeytest.Bytes(wide[49:])...)
	for _, tt := range []struct {
		name, want string
		cose       []byte
	}{
		{"ES384", "kind of key", replaced(4, 0x38, 34)}, {"no algorithm", "kind of key", replaced(3, 4)}, {"another curve", "damaged", replaced(6, 2)},
		{"another type", "damaged", replaced(2, 3)}, {"Ed25519's algorithm", "damaged", replaced(4, 0x27)},
		{"not on the curve", "damaged", zeros}, {"a longer point", "damaged", long}, {"an empty map", "kind of key", []byte{0xa0}},
		{"a label twice", "damaged", replaced(3, 1)}, {"no map", "damaged", []byte{0x80}},
		{"a text as label", "damaged", replaced(1, 0x61, 'a')}, {"an endless map", "damaged", append([]byte{0xbf}, good[1:]...)},
		{"a float", "damaged", []byte{0xa1, 1, 0xf9, 0, 0}}, {"a huge label", "damaged", []byte{0xa1, 0x1b, 255, 255, 255, 255, 255, 255, 255, 255, 1}},
		{"an RSA key of ES256", "damaged", append(append([]byte{0xa4, 1, 3, 3, 0x26, 0x20}, passkeytest.Bytes(bytes.Repeat([]byte{255}, 256))...), 0x21, 0x43, 1, 0, 1)},
		{"a slow RSA key", "damaged", append(append([]byte{0xa4, 1, 3, 3, 0x39, 1, 0, 0x20}, passkeytest.Bytes(bytes.Repeat([]byte{255}, 513))...), 0x21, 0x43, 1, 0, 1)},
		{"a weak RSA key", "damaged", append(append([]byte{0xa4, 1, 3, 3, 0x39, 1, 0, 0x20}, passkeytest.Bytes(bytes.Repeat([]byte{255}, 128))...), 0x21, 0x43, 1, 0, 1)},
		{"an even RSA exponent", "damaged", append(append([]byte{0xa4, 1, 3, 3, 0x39, 1, 0, 0x20}, passkeytest.Bytes(bytes.Repeat([]byte{255}, 256))...), 0x21, 0x41, 2)},
		{"a short Ed25519 key", "damaged", []byte{0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x41, 1}},
	} {
		refused(t, tt.name, key(tt.cose...), tt.want)
	}
}

// Statements are not read, whatever they hold, within bounds.
func TestAttestationObjects(t *testing.T) {
	d := newDevice(t, passkeytest.ES256)
	client, plain := d.Create(challenge)
	data := plain[bytes.Index(plain, []byte("authData")):]
	with := func(statement ...byte) error {
		object := append([]byte{0xa3, 0x63, 'f', 'm', 't', 0x61, 'x', 0x67, 'a', 't', 't', 'S', 't', 'm', 't'}, statement...)
		return second(site.Register(challenge, client, append(append(object, 0x68), data...)))
	}
	for name, statement := range map[string][]byte{"packed": {0xa2, 0x63, 'a', 'l', 'g', 0x26, 0x63, 's', 'i', 'g', 0x42, 1, 2}, "certificates": {0xa1, 0x63, 'x', '5', 'c', 0x81, 0x41, 1},
		"floats and booleans": {0xa1, 0x61, 'a', 0x83, 0xf5, 0xf6, 0xfb, 0, 0, 0, 0, 0, 0, 0, 0}} {
		if err := with(statement...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, statement := range map[string][]byte{"deep": bytes.Repeat([]byte{0x81}, 60000), "deep maps": bytes.Repeat([]byte{0xa1, 0}, 60000), "a tag": {0xc0, 0}, "huge bytes": {0x5b, 255, 255, 255, 255, 255, 255, 255, 255},
		"a huge array": {0x9b, 127, 255, 255, 255, 255, 255, 255, 255}, "a huge map": {0xbb, 128, 0, 0, 0, 0, 0, 0, 1}, "endless": {0x9f, 0xff}, "endless bytes": {0x5f, 0x41, 1, 0xff},
		"a reserved length": {0x1c}, "more bytes than needed": {0x58, 1, 7}, "a wide boolean": {0xf8, 20}} {
		refused(t, name, with(statement...), "damaged")
	}
	twice := append([]byte{0xa2, 0x68}, data...)
	refused(t, "the data twice", second(site.Register(challenge, client, append(append(twice, 0x68), data...))), "damaged")
	refused(t, "no data", second(site.Register(challenge, client, []byte{0xa0})), "damaged")
	refused(t, "no passkey", second(site.Register(challenge, client, passkeytest.Attestation(d.AuthData(0)))), "no passkey")
	refused(t, "a passkey with a key and no id", second(site.Register(challenge, client, passkeytest.Attestation(append(append(d.AuthData(0x40), make([]byte, 18)...), d.COSE()...)))), "damaged")
	refused(t, "a passkey without id", second(site.Register(challenge, client, passkeytest.Attestation(append(d.AuthData(0x40), make([]byte, 18)...)))), "damaged")
	extended := append(d.AuthData(0x80), 0xa1, 0x61, 'x', 0xf5)
	refused(t, "extensions only", second(site.Register(challenge, client, passkeytest.Attestation(extended))), "no passkey")
	refused(t, "extensions that are no map", second(site.Register(challenge, client, passkeytest.Attestation(append(d.AuthData(0x80), 1)))), "damaged")
}
