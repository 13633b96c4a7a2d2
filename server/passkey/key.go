package passkey

import (
	"errors"
	"math/big"

	"github.com/go-webauthn/webauthn/protocol/webauthncose"
)

// Algorithms are those that relay verifies, the preferred ones first: ES256, EdDSA with
// Ed25519, RS256 (COSE, RFC 9053 and RFC 8812).
var Algorithms = []webauthncose.COSEAlgorithmIdentifier{webauthncose.AlgES256, webauthncose.AlgEdDSA, webauthncose.AlgRS256}

const minRSA, maxRSA = 2048, 4096 // bits

var errKey = errors.New("the key of the passkey is damaged")

// checkKey rejects keys that could never sign in, and RSA keys that are weak or slow: the
// library looks at a key only when it signs, and at no sizes.
func checkKey(cose []byte) error {
	public, err := webauthncose.ParsePublicKey(cose)
	if err != nil {
		return errKey
	}
	k, isRSA := public.(webauthncose.RSAPublicKeyData)
	if !isRSA {
		return nil
	}
	n, e := new(big.Int).SetBytes(k.Modulus), new(big.Int).SetBytes(k.Exponent)
	if k.Algorithm != int64(webauthncose.AlgRS256) || n.BitLen() < minRSA || n.BitLen() > maxRSA || n.Bit(0) == 0 || e.BitLen() < 2 || e.BitLen() > 31 || e.Bit(0) == 0 {
		return errKey
	}
	return nil
}
