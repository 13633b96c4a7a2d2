package account

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/http"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/passkey"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// Why there are no passkeys where relay is opened.
var (
	errPasskeyInsecure = chat.Errorf(chat.Conflict, "Passkeys need https, or http://localhost. Behind a proxy that adds https, set PUBLIC_URL")
	errPasskeyAddress  = chat.Errorf(chat.Conflict, "Passkeys need a host name: an IP address cannot have any")
	errPasskeyLate     = chat.Errorf(chat.Invalid, "This took too long, or another tab asked meanwhile. Please try again")
)

// passkeySite is where passkeys are made: relay's public address, or the one that the browser
// uses.
func passkeySite(clients *web.Clients, r *http.Request) (passkey.Site, error) {
	site, err := passkey.SiteOf(clients.PagesURL(r))
	switch {
	case errors.Is(err, passkey.ErrAddress):
		return site, errPasskeyAddress
	case err != nil:
		return site, errPasskeyInsecure
	}
	return site, nil
}

// challengeCookie carries the challenge of the browser, which nobody can write or replace.
const (
	challengeCookie = "relay_passkey"
	challengeLength = 32
	signInPurpose   = "sign-in:"
)

// addPurpose ties a challenge to who asked for it.
func addPurpose(by chat.Author) string { return "add:" + by.Person + ":" + by.SignIn + ":" }

func challenges(k *keyring.Ring) keyring.Cookies {
	return k.Cookies("passkey", team.PasskeyPatience)
}

// challenge makes a challenge for a purpose and gives it to the browser.
func (s *passkeyAPI) challenge(w http.ResponseWriter, r *http.Request, purpose string) []byte {
	challenge := make([]byte, challengeLength)
	_, _ = rand.Read(challenge) // never fails
	value := challenges(s.Keys).Sign(s.hostCookie(r, challengeCookie), purpose+string(challenge))
	s.setCookie(w, r, challengeCookie, value, int(team.PasskeyPatience/time.Second))
	return challenge
}

// challengeOf returns the browser's challenge for a purpose, and takes it away.
func (s *passkeyAPI) challengeOf(w http.ResponseWriter, r *http.Request, purpose string) ([]byte, error) {
	c, err := r.Cookie(s.hostCookie(r, challengeCookie))
	if err != nil {
		return nil, errPasskeyLate
	}
	s.setCookie(w, r, challengeCookie, "", -1)
	text, valid := challenges(s.Keys).Open(c.Name, c.Value)
	if !valid || len(text) != len(purpose)+challengeLength || text[:len(purpose)] != purpose {
		return nil, errPasskeyLate
	}
	return []byte(text[len(purpose):]), nil
}

// base64URL is bytes as they are in the JSON of passkeys.
type base64URL string

func (b base64URL) bytes() []byte {
	data, err := base64.RawURLEncoding.DecodeString(string(b))
	if err != nil {
		return nil
	}
	return data
}

func toBase64(data []byte) base64URL { return base64URL(base64.RawURLEncoding.EncodeToString(data)) }

// passkeyRequest is what browsers send about passkeys; each request has a part of it. The
// answers of authenticators are as Web Authentication writes them in JSON.
type passkeyRequest struct {
	Name            string `json:"name"`
	CurrentPassword string `json:"currentPassword"`
	Credential      struct {
		Response answered `json:"response"`
	} `json:"credential"`
	ID       base64URL `json:"id"`
	Response answered  `json:"response"`
}

// answered is an authenticator's answer, with a new passkey or a signature.
type answered struct {
	ClientDataJSON    base64URL `json:"clientDataJSON"`
	AttestationObject base64URL `json:"attestationObject"`
	AuthenticatorData base64URL `json:"authenticatorData"`
	Signature         base64URL `json:"signature"`
	UserHandle        base64URL `json:"userHandle"`
}

func (a *answered) assertion() passkey.Assertion {
	return passkey.Assertion{UserHandle: a.UserHandle.bytes(), ClientData: a.ClientDataJSON.bytes(), AuthenticatorData: a.AuthenticatorData.bytes(), Signature: a.Signature.bytes()}
}

// credentialView names a passkey to a browser.
type credentialView struct {
	Type string    `json:"type"`
	ID   base64URL `json:"id"`
}

// passkeys answers GET /api/admin/passkeys: one's own, or those of a person for
// administrators, and where they work.
func (s *passkeyAPI) passkeys(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	person := cmp.Or(r.URL.Query().Get("person"), by.Person)
	if err := overPerson(r.Context(), s.team.People, by, person); err != nil {
		return nil, err
	}
	list, err := s.team.Passkeys.List(r.Context(), person)
	answer := map[string]any{"passkeys": append([]chat.Passkey{}, list...)}
	if site, problem := passkeySite(s.Clients, r); problem != nil {
		answer["problem"] = problem.Error()
	} else {
		answer["origin"] = site.Origin
	}
	return answer, err
}

// newPasskey answers POST /api/admin/passkey-challenge with what browsers need to make a
// passkey. A stolen sign-in must not become a lasting one: it needs the password.
func (s *passkeyAPI) newPasskey(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	in, err := web.Decode[passkeyRequest](r)
	if err != nil {
		return nil, err
	}
	p, site, err := s.owner(r, by)
	if err != nil {
		return nil, err
	}
	if err := s.Confirm(w, r, p, in.CurrentPassword); err != nil {
		return nil, err
	}
	list, err := s.team.Passkeys.List(r.Context(), p.ID)
	known := []credentialView{}
	for i := range list {
		if list[i].Host == site.Host {
			known = append(known, credentialView{"public-key", base64URL(list[i].Credential)})
		}
	}
	kinds := []map[string]any{}
	for _, alg := range passkey.Algorithms {
		kinds = append(kinds, map[string]any{"type": "public-key", "alg": alg})
	}
	return map[string]any{
		"challenge": toBase64(s.challenge(w, r, addPurpose(by))), "rp": map[string]any{"id": site.Host, "name": "relay"},
		"user":             map[string]any{"id": toBase64([]byte(p.ID)), "name": p.Email, "displayName": p.Name},
		"pubKeyCredParams": kinds, "excludeCredentials": known, "timeout": team.PasskeyPatience.Milliseconds(), "attestation": "none",
		"authenticatorSelection": map[string]any{"residentKey": "required", "requireResidentKey": true, "userVerification": "required"},
	}, err
}

// owner returns the person who makes a request, and the site of new passkeys.
func (s *passkeyAPI) owner(r *http.Request, by chat.Author) (p chat.Person, site passkey.Site, err error) {
	if by.Person == "" {
		return p, site, errNoAccount
	}
	if site, err = passkeySite(s.Clients, r); err != nil {
		return p, site, err
	}
	p, err = s.team.People.Find(r.Context(), by.Person)
	return p, site, err
}

// addPasskey answers POST /api/admin/passkeys with what the browser made.
func (s *passkeyAPI) addPasskey(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	in, err := web.Decode[passkeyRequest](r)
	if err != nil {
		return nil, err
	}
	p, site, err := s.owner(r, by)
	if err != nil {
		return nil, err
	}
	challenge, err := s.challengeOf(w, r, addPurpose(by))
	if err != nil {
		return nil, err
	}
	made, err := site.Register(challenge, in.Credential.Response.ClientDataJSON.bytes(), in.Credential.Response.AttestationObject.bytes())
	if err != nil {
		return nil, web.BadRequest("The passkey was not accepted: " + err.Error())
	}
	k, err := s.team.Passkeys.Add(r.Context(), chat.Passkey{Person: p.ID, Credential: string(toBase64(made.ID)), Host: site.Host, Key: made.Key, Count: int64(made.Count),
		Name: cmp.Or(in.Name, agentName(r), "Passkey")}, challenge)
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditPasskeyAdded, p.Name, k.Name)
	return k, nil
}

// renamePasskey answers PATCH /api/admin/passkeys/{id}.
func (s *passkeyAPI) renamePasskey(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	in, err := web.Decode[passkeyRequest](r)
	if err != nil {
		return nil, err
	}
	k, err := s.passkeyFor(r, by)
	if err != nil {
		return nil, err
	}
	renamed, err := s.team.Passkeys.Rename(r.Context(), k, in.Name)
	if err == nil {
		s.Audit(r, by, chat.AuditPasskeyRenamed, k.Name, "to "+renamed.Name)
	}
	return renamed, err
}

// removePasskey answers DELETE /api/admin/passkeys/{id}.
func (s *passkeyAPI) removePasskey(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	k, err := s.passkeyFor(r, by)
	if err != nil {
		return nil, err
	}
	p, err := s.team.People.Find(r.Context(), k.Person)
	if err == nil {
		err = s.team.Passkeys.Remove(r.Context(), k.ID)
	}
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditPasskeyRemoved, p.Name, k.Name)
	return web.OK, nil
}

// passkeyFor returns the passkey in a request's path. Others' do not exist for operators.
func (s *passkeyAPI) passkeyFor(r *http.Request, by chat.Author) (chat.Passkey, error) {
	k, err := s.team.Passkeys.Find(r.Context(), web.PathVar(r, "id"))
	if err == nil && overPerson(r.Context(), s.team.People, by, k.Person) != nil {
		err = chat.ErrPasskeyNotFound
	}
	return k, err
}
