// Package onetime makes and checks the codes of authenticator apps (TOTP, RFC 6238), and recovery
// codes for who has lost the app. It imports pquerna/otp and nothing of relay.
package onetime

import (
	"crypto/rand"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"
)

// What every app supports: six digits of SHA-1, which change every period seconds. skew is how
// many periods a phone's clock may be ahead or behind.
const (
	period      = 30
	skew        = 1
	secretBytes = 20
)

var opts = hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

// New makes a secret in base32, and the address by which apps take it from a QR code. issuer and
// account are what they show.
func New(issuer, account string) (secret, url string, err error) {
	bytes := make([]byte, secretBytes)
	_, _ = rand.Read(bytes) // it never fails
	return Of(issuer, account, bytes)
}

// Of is New for a secret whose 20 bytes are given.
func Of(issuer, account string, bytes []byte) (secret, url string, err error) {
	k, err := totp.Generate(totp.GenerateOpts{Issuer: strings.ReplaceAll(issuer, ":", " "), AccountName: account, Period: period, Secret: bytes[:min(len(bytes), secretBytes)]})
	if err != nil {
		return "", "", err
	}
	return k.Secret(), k.URL(), nil
}

// Step finds the newest period around a time whose code it is. A period that was used once must
// not be accepted again, and none before it.
func Step(secret, code string, at time.Time) (step int64, right bool) {
	now := at.Unix() / period
	for step := now + skew; step >= now-skew; step-- {
		if right, err := hotp.ValidateCustom(code, uint64(step), secret, opts); right && err == nil {
			return step, true
		}
	}
	return 0, false
}

// Recovery codes have 80 random bits, so that their hashes need no salt.
const (
	recoveryCodes  = 10
	recoveryLength = 16
	recoveryGroup  = 4
)

// Recovery makes recovery codes, as people read them.
func Recovery() []string {
	codes := make([]string, recoveryCodes)
	for i := range codes {
		text, groups := rand.Text(), []string{}
		for at := 0; at < recoveryLength; at += recoveryGroup {
			groups = append(groups, text[at:at+recoveryGroup])
		}
		codes[i] = strings.Join(groups, "-")
	}
	return codes
}

// Plain is a code as it is compared: without spaces and dashes, in capitals.
func Plain(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "", "\u00a0", "").Replace(code))
}

// IsRecovery reports whether a plain code has the form of a recovery code.
func IsRecovery(plain string) bool { return len(plain) == recoveryLength }
