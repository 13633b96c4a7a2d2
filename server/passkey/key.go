package passkey

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"math/big"
)

// Algorithms are those that relay verifies, the preferred ones first: ES256, EdDSA with
// Ed25519, RS256 (COSE, RFC 9053 and RFC 8812).
var Algorithms = []int{algES256, algEdDSA, algRS256}

const (
	algES256 = -7
	algEdDSA = -8
	algRS256 = -257
)

// The labels of a COSE key and their values (RFC 9053). Those below zero depend on the
// type of key.
const (
	labelType, labelAlg             = 1, 3
	labelCurve, labelX, labelY      = -1, -2, -3
	labelModulus, labelExponent     = -1, -2
	typeOKP, typeEC2, typeRSA       = 1, 2, 3
	curveP256, curveEd25519         = 1, 6
	minRSA, maxRSA                  = 2048, 4096 // bits
	coordinateLength, maxRSAExpoLen = 32, 4
)

// ErrAlgorithm means that relay cannot verify signatures of a key.
var ErrAlgorithm = errors.New("the passkey has a kind of key that relay does not know")

var errKey = errors.New("the key of the passkey is damaged")

// coseKey has a key's numbers and strings by their labels.
type coseKey struct {
	numbers map[int]int
	strings map[int][]byte
}

// publicKey reads a COSE key.
func (r *reader) publicKey() (crypto.PublicKey, error) {
	k := coseKey{map[int]int{}, map[int][]byte{}}
	for range r.mapLength() {
		label := r.integer()
		_, number := k.numbers[label]
		_, text := k.strings[label]
		switch {
		case len(r.data) == 0, number, text:
			r.fail()
		case r.data[0]>>5 == majorBytes:
			k.strings[label] = r.bytes()
		case r.data[0]>>5 <= majorNegative:
			k.numbers[label] = r.integer()
		default:
			r.fail()
		}
	}
	if r.failed {
		return nil, errKey
	}
	return k.public()
}

// public returns the key if relay knows its kind.
func (k coseKey) public() (crypto.PublicKey, error) {
	switch kind, alg, curve := k.numbers[labelType], k.numbers[labelAlg], k.numbers[labelCurve]; {
	case kind == typeEC2 && alg == algES256 && curve == curveP256:
		return k.p256()
	case kind == typeOKP && alg == algEdDSA && curve == curveEd25519:
		if len(k.strings[labelX]) != ed25519.PublicKeySize {
			return nil, errKey
		}
		return ed25519.PublicKey(k.strings[labelX]), nil
	case kind == typeRSA && alg == algRS256:
		return k.rsa()
	}
	return nil, ErrAlgorithm
}

func (k coseKey) p256() (crypto.PublicKey, error) {
	x, y := k.strings[labelX], k.strings[labelY]
	if len(x) != coordinateLength || len(y) != coordinateLength {
		return nil, errKey
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, x...), y...))
	if err != nil { // not on the curve
		return nil, errKey
	}
	return key, nil
}

func (k coseKey) rsa() (crypto.PublicKey, error) {
	modulus, exponent := k.strings[labelModulus], k.strings[labelExponent]
	if len(exponent) == 0 || len(exponent) > maxRSAExpoLen {
		return nil, errKey
	}
	n, e := new(big.Int).SetBytes(modulus), new(big.Int).SetBytes(exponent).Int64()
	if n.BitLen() < minRSA || n.BitLen() > maxRSA || n.Bit(0) == 0 || e < 3 || e >= 1<<31 || e%2 == 0 {
		return nil, errKey
	}
	return &rsa.PublicKey{N: n, E: int(e)}, nil
}

// verify verifies a signature of a COSE key.
func verify(cose, signed, signature []byte) error {
	public, err := (&reader{data: cose}).publicKey()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(signed)
	valid := false
	switch key := public.(type) {
	case *ecdsa.PublicKey:
		valid = ecdsa.VerifyASN1(key, sum[:], signature)
	case ed25519.PublicKey:
		valid = ed25519.Verify(key, signed, signature)
	case *rsa.PublicKey:
		valid = rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature) == nil
	}
	if !valid {
		return errors.New("the signature is wrong")
	}
	return nil
}
