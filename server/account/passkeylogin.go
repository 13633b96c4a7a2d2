package account

import (
	"errors"
	"net/http"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/passkey"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// passkeyAPI makes passkeys and signs people in with them.
type passkeyAPI struct {
	*web.Clients
	*web.Limiter
	*SignIns
	*Passwords
	team *team.Team
}

// errWrongPasskey does not say whose passkey it was, or what was wrong.
var errWrongPasskey = &web.Error{Status: http.StatusUnauthorized, Text: "This passkey does not open this console. It may have been removed; sign in with your password", Header: web.ErrUnauthorized.Header}

// askPasskey answers POST /console/passkey/challenge with what browsers need to ask for a
// passkey. The person chooses one; relay learns who it is from that.
func (s *passkeyAPI) askPasskey(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	if s.CrossOrigin.Check(r) != nil {
		return nil, web.ErrForbidden
	}
	site, err := passkeySite(s.Clients, r)
	if err != nil {
		return nil, err
	}
	return map[string]any{"challenge": toBase64(s.challenge(w, r, signInPurpose)), "rpId": site.Host, "allowCredentials": []credentialView{},
		"userVerification": "required", "timeout": team.PasskeyPatience.Milliseconds()}, nil
}

// passkeyLogin answers POST /console/passkey/sign-in: it sets the console's cookie.
func (s *passkeyAPI) passkeyLogin(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	if s.CrossOrigin.Check(r) != nil {
		return nil, web.ErrForbidden
	}
	if s.signOnOnly() {
		return nil, errSignOnOnly
	}
	if err := s.limitPasskeys(w, r); err != nil {
		return nil, err
	}
	in, err := web.Decode[passkeyRequest](r)
	if err != nil {
		return nil, err
	}
	site, err := passkeySite(s.Clients, r)
	if err != nil {
		return nil, err
	}
	challenge, err := s.challengeOf(w, r, signInPurpose)
	if err != nil {
		return nil, err
	}
	k, err := s.checkPasskey(w, r, site, challenge, &in)
	if err != nil {
		return nil, err
	}
	p, err := s.team.People.Find(r.Context(), k.Person)
	if err != nil {
		return nil, err
	}
	return web.OK, s.startSignIn(w, r, p, "with the passkey "+k.Name, false)
}

// limitPasskeys counts an attempt by the browser if it is known, else by where it comes from.
func (s *passkeyAPI) limitPasskeys(w http.ResponseWriter, r *http.Request) error {
	if browser := s.knownBrowser(r); browser != "" {
		return s.Limited(w, r, s.Rates.Known, "passkey "+browser)
	}
	return s.Limited(w, r, s.Rates.SignIns, s.Address(r))
}

// checkPasskey finds the passkey that answered, verifies its signature and uses the
// challenge up. The attempts with a passkey are counted, as those of an account.
func (s *passkeyAPI) checkPasskey(w http.ResponseWriter, r *http.Request, site passkey.Site, challenge []byte, in *passkeyRequest) (*chat.Passkey, error) {
	k, err := s.team.Passkeys.ByCredential(r.Context(), string(toBase64(in.ID.bytes())))
	switch {
	case web.IsNotFound(err), err == nil && k.Host != site.Host:
		return nil, s.wrongPasskey(r)
	case err != nil:
		return nil, err
	}
	if err := s.Limited(w, r, s.Rates.Accounts, k.ID); err != nil {
		return nil, err
	}
	known := passkey.Credential{ID: in.ID.bytes(), Owner: []byte(k.Person), Key: k.Key, Count: uint32(k.Count)}
	count, err := site.Verify(known, challenge, in.Response.assertion())
	if err == nil {
		err = s.team.Passkeys.Use(r.Context(), k.ID, count, challenge)
	} else if !errors.Is(err, passkey.ErrCounter) {
		return nil, s.wrongPasskey(r)
	}
	if errors.Is(err, passkey.ErrCounter) || errors.Is(err, chat.ErrPasskeyCounter) {
		s.auditCounter(r, &k)
		return nil, chat.ErrPasskeyCounter
	}
	return &k, err
}

// auditCounter reports a passkey that may have been copied.
func (s *passkeyAPI) auditCounter(r *http.Request, k *chat.Passkey) {
	p, err := s.team.People.Find(r.Context(), k.Person)
	if err != nil {
		s.Log.Error("cannot read whose passkey it is", "err", err)
	}
	s.Audit(r, chat.Author{}, chat.AuditPasskeyRefused, p.Name, k.Name+": it signed less often than before, and may have been copied")
}

// wrongPasskey counts a failed sign-in.
func (s *passkeyAPI) wrongPasskey(r *http.Request) error {
	s.team.Audit.SignInFailed(r.Context(), s.Peer(r).Addr.String())
	return errWrongPasskey
}
