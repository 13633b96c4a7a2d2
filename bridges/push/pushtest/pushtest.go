// Package pushtest is a push service and a browser that subscribed to it: it checks each
// request by RFC 8030 and RFC 8292 and decrypts it by RFC 8291, with no code of relay's.
package pushtest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Service is a push service with one browser.
type Service struct {
	*httptest.Server
	// Key is the public key of the application server, as the browser was given it.
	Key string

	private *ecdh.PrivateKey
	auth    []byte

	mu       sync.Mutex
	notes    []Note
	problems []string
	status   int
	after    string
}

// Note is a notification that arrived.
type Note struct {
	Path, Topic, Urgency string
	TTL                  int
	Text                 string
}

var b64 = base64.RawURLEncoding

// New starts a push service over TLS.
func New() *Service {
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	s := &Service{private: private, auth: make([]byte, 16), status: http.StatusCreated}
	_, _ = rand.Read(s.auth) // never fails
	s.Server = httptest.NewTLSServer(s)
	return s
}

// Subscription returns what the browser would send to the application server.
func (s *Service) Subscription() (endpoint, p256dh, auth string) {
	return s.URL + "/push/device", b64.EncodeToString(s.private.PublicKey().Bytes()), b64.EncodeToString(s.auth)
}

// Answer makes the service answer a status, with a Retry-After unless it is "".
func (s *Service) Answer(status int, retryAfter string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.after = status, retryAfter
}

// Notes returns what arrived, and the problems of requests.
func (s *Service) Notes() (notes []Note, problems []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(notes, s.notes...), append(problems, s.problems...)
}

// ServeHTTP implements [http.Handler].
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	note, err := s.read(r)
	if err != nil {
		s.problems = append(s.problems, err.Error())
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if s.after != "" {
		w.Header().Set("Retry-After", s.after)
	}
	w.WriteHeader(s.status)
	if s.status < 300 {
		s.notes = append(s.notes, note)
	}
}

func (s *Service) read(r *http.Request) (n Note, err error) {
	ttl, err := strconv.Atoi(r.Header.Get("TTL"))
	switch {
	case r.Method != http.MethodPost:
		return n, errors.New("not a POST")
	case err != nil || ttl < 0:
		return n, errors.New("no TTL")
	case r.Header.Get("Content-Encoding") != "aes128gcm":
		return n, errors.New("the content is not aes128gcm")
	case len(r.Header.Get("Topic")) > 32:
		return n, errors.New("the topic is too long")
	}
	if err := s.verify(r.Header.Get("Authorization")); err != nil {
		return n, err
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 8192))
	if err != nil {
		return n, err
	}
	text, err := s.decrypt(body)
	return Note{r.URL.Path, r.Header.Get("Topic"), r.Header.Get("Urgency"), ttl, string(text)}, err
}

// verify checks the token of the application server (RFC 8292, 2 and 3).
func (s *Service) verify(header string) error {
	fields := map[string]string{}
	scheme, rest, _ := strings.Cut(header, " ")
	for part := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		fields[name] = value
	}
	parts := strings.Split(fields["t"], ".")
	if !strings.EqualFold(scheme, "vapid") || len(parts) != 3 || fields["k"] != s.Key {
		return fmt.Errorf("not the vapid token of the key %q: %q", s.Key, header)
	}
	key, err := b64.DecodeString(fields["k"])
	if err != nil || len(key) != 65 {
		return errors.New("the key is none")
	}
	signature, err := b64.DecodeString(parts[2])
	if err != nil || len(signature) != 64 {
		return errors.New("the signature is none")
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), key)
	if err != nil {
		return errors.New("the key is none")
	}
	if !ecdsa.Verify(public, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		return errors.New("the signature is wrong")
	}
	return s.verifyClaims(parts[1])
}

func (s *Service) verifyClaims(part string) error {
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	text, err := b64.DecodeString(part)
	if err == nil {
		err = json.Unmarshal(text, &claims)
	}
	left := time.Until(time.Unix(claims.Exp, 0))
	switch {
	case err != nil:
		return err
	case claims.Aud != s.URL:
		return fmt.Errorf("the audience is %q", claims.Aud)
	case left <= 0 || left > 24*time.Hour:
		return fmt.Errorf("the token is valid for %s", left)
	case !strings.HasPrefix(claims.Sub, "https://") && !strings.HasPrefix(claims.Sub, "mailto:"):
		return fmt.Errorf("the subject is %q", claims.Sub)
	}
	return nil
}

// decrypt opens a message of one record (RFC 8188, 2; RFC 8291, 3.4).
func (s *Service) decrypt(body []byte) ([]byte, error) {
	const head = 16 + 4 + 1 + 65
	if len(body) <= head || body[20] != 65 {
		return nil, errors.New("the message has no header")
	}
	salt, size, sender, sealed := body[:16], binary.BigEndian.Uint32(body[16:20]), body[21:head], body[head:]
	if len(body) > 4096 || uint32(len(sealed)) > size {
		return nil, errors.New("the message is too long for one record")
	}
	public, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return nil, err
	}
	shared, err := s.private.ECDH(public)
	if err != nil {
		return nil, err
	}
	info := "WebPush: info\x00" + string(s.private.PublicKey().Bytes()) + string(sender)
	ikm, err1 := hkdf.Key(sha256.New, shared, s.auth, info, 32)
	key, err2 := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: aes128gcm\x00", 16)
	nonce, err3 := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: nonce\x00", 12)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	plain, err := gcm.Open(nil, nonce, sealed, nil)
	if err != nil {
		return nil, err
	}
	end := strings.LastIndexByte(string(plain), 2) // behind it is padding
	if end < 0 {
		return nil, errors.New("the record is not the last one")
	}
	return plain[:end], nil
}
