package passkey

import (
	"errors"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
)

// ErrAlgorithm means that relay cannot verify signatures of a key.
var ErrAlgorithm = errors.New("the passkey has a kind of key that relay does not know")

var errDamaged = errors.New("the answer of the device is damaged")

// reasons are the library's errors, known by a part of their text, in words for people.
var reasons = []struct {
	part string
	err  error
}{
	{"ceremony type", errors.New("the answer is of another kind")},
	{"challenge", errors.New("the answer is to another challenge")},
	{"origin", errors.New("the answer is from another page")},
	{"User handle", errors.New("the passkey is of another person")},
	{"RP Hash", errors.New("the passkey is of another site")},
	{"flag not set by authenticator", errors.New("the device did not verify who uses it")},
	{"Backup State Flag", errors.New("the flags of the passkey contradict each other")},
	{"missing attested credential data", errors.New("the answer has no passkey")},
	{"algorithm not supported", ErrAlgorithm},
	{"assertion signature", errors.New("the signature is wrong")},
}

// explain translates an error of the library.
func explain(err error) error {
	var theirs *protocol.Error
	if !errors.As(err, &theirs) {
		return errDamaged
	}
	for _, reason := range reasons {
		if strings.Contains(theirs.Details, reason.part) || strings.Contains(theirs.DevInfo, reason.part) {
			return reason.err
		}
	}
	return errDamaged
}
