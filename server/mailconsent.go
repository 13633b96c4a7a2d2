package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// consentPath is where somebody is asked to let relay use a mailbox (RFC 6749, 4.1), returnPath where
// its provider leads back to.
const (
	consentPath = "/api/admin/mail/consent"
	returnPath  = "/console/consent"
)

// Limits of what is asked: how long the answer may take, and how many wait for one.
const (
	consentLife   = 10 * time.Minute
	maxConsents   = 20   // one of each sign-in
	longestAnswer = 4000 // characters of a part of what the provider sends along
)

// metaConsents is where it is stored who was asked, for the node to which the answer comes.
const metaConsents = "mail_consents"

// consent is what somebody was asked.
type consent struct {
	State    string    `json:"state"`  // a hash of its name
	SignIn   string    `json:"signIn"` // whose answer it is
	Provider string    `json:"provider"`
	Client   string    `json:"client"`
	Verifier string    `json:"verifier"`
	Until    chat.Time `json:"until"`
}

var (
	errConsentUnknown = chat.Errorf(chat.Conflict, "This sign-in was used already, took longer than ten minutes, or was begun in another browser or once more. Press Sign in again")
	errConsentChanged = chat.Errorf(chat.Conflict, "The provider or the client ID has changed since this sign-in began. Press Sign in again")
	errConsentNoRoom  = chat.Errorf(chat.Conflict, "Sign in at the console first: the provider leads back to it")
)

// consentState says where the provider has to lead back to, and why nobody can be asked.
func (s *mailAPI) consentState() *chat.MailConsentState {
	state := &chat.MailConsentState{}
	settings := s.engine.Settings()
	switch base := s.Config.PagesURL(); {
	case base == "":
		state.Problem = "Signing in by a click needs relay's own address: set PUBLIC_URL, without a path, and restart relay"
	case settings.Source("mailOauthToken") == chat.FromEnvironment:
		state.Problem = "MAIL_OAUTH_TOKEN sets the refresh token. Remove it there and restart relay to sign in here"
		state.RedirectURL = base + returnPath
	default:
		state.RedirectURL = base + returnPath
	}
	return state
}

// askConsent answers POST /api/admin/mail/consent with the provider's page, on which somebody lets
// relay use a mailbox.
func (s *mailAPI) askConsent(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	if err := s.patient(w, r); err != nil {
		return nil, err
	}
	now := s.consentState()
	switch {
	case by.SignIn == "":
		return nil, errConsentNoRoom
	case now.Problem != "":
		return nil, chat.Errorf(chat.Conflict, "%s", now.Problem)
	}
	state := chat.NewToken()
	page, verifier, err := s.mail.AskConsent(now.RedirectURL, state)
	if err != nil {
		return nil, err
	}
	o := s.engine.Settings().MailOAuth()
	asked := consent{chat.Hash(state), by.SignIn, o.Provider, o.Client, verifier, chat.Now().Add(consentLife)}
	err = s.changeConsents(r.Context(), func(list []consent) []consent {
		list = append(slices.DeleteFunc(list, func(c consent) bool { return c.SignIn == by.SignIn }), asked)
		return list[max(0, len(list)-maxConsents):]
	})
	return map[string]string{"url": page}, err
}

// changeConsents changes who waits for an answer. Those whose time is over are gone.
func (s *mailAPI) changeConsents(ctx context.Context, change func([]consent) []consent) error {
	return s.engine.Store.Apply(ctx, func(tx chat.Tx) error {
		stored, err := tx.LockMeta(metaConsents)
		if err != nil {
			return err
		}
		var list []consent
		_ = json.Unmarshal([]byte(stored), &list) // nothing is stored at first
		list = slices.DeleteFunc(list, func(c consent) bool { return c.Until <= chat.Now() })
		return tx.PutMeta(metaConsents, string(chat.MustJSON(change(list))))
	})
}

// takeConsent returns what somebody was asked, once.
func (s *mailAPI) takeConsent(ctx context.Context, by chat.Author, state string) (taken consent, err error) {
	hash := chat.Hash(state)
	err = s.changeConsents(ctx, func(list []consent) []consent {
		taken = consent{} // a transaction may run again
		i := slices.IndexFunc(list, func(c consent) bool { return chat.SameSecret(c.State, hash) && c.SignIn == by.SignIn })
		if i < 0 {
			return list
		}
		taken = list[i]
		return slices.Delete(list, i, i+1)
	})
	if err == nil && taken.State == "" {
		err = errConsentUnknown
	}
	return taken, err
}

// consentPage answers GET /console/consent, where the provider leads the browser back to. It does
// nothing but hand the answer to the console: browsers do not send the console's cookie when
// another site leads here. What stands behind a # is in no request and in no log.
func (s *mailAPI) consentPage(w http.ResponseWriter, r *http.Request) {
	query, answer := r.URL.Query(), url.Values{}
	for _, name := range []string{"state", "code", "error", "error_description"} {
		if text := query.Get(name); text != "" {
			answer.Set(name, chat.Clip(text, longestAnswer))
		}
	}
	if !answer.Has("state") {
		s.pages.ShowError(w, r, http.StatusBadRequest, "Only the provider of a mailbox leads here, with an answer.")
		return
	}
	w.Header().Set("Refresh", "0; url=/console#/mail/consent?"+answer.Encode())
	s.pages.Show(w, r, http.StatusOK, "consent.html", web.Slots{})
}

// consentAnswer is the body of POST /api/admin/mail/consent/redeem: what the provider sent along.
type consentAnswer struct {
	State       string `json:"state"`
	Code        string `json:"code"`
	Error       string `json:"error"`
	Description string `json:"description"`
}

// redeemConsent answers POST /api/admin/mail/consent/redeem: it stores the refresh token. A provider
// that gives none is a result, not an error of the request.
func (s *mailAPI) redeemConsent(w http.ResponseWriter, r *http.Request, by chat.Author, in consentAnswer) (any, error) {
	if err := s.patient(w, r); err != nil {
		return nil, err
	}
	if err := web.Required("state", in.State); err != nil {
		return nil, err
	}
	asked, err := s.takeConsent(r.Context(), by, in.State)
	if err != nil {
		return nil, err
	}
	now, o := s.consentState(), s.engine.Settings().MailOAuth()
	switch {
	case now.Problem != "":
		return nil, chat.Errorf(chat.Conflict, "%s", now.Problem)
	case o.Provider != asked.Provider || o.Client != asked.Client:
		return nil, errConsentChanged
	case in.Code == "":
		return chat.ConsentRefused(o, in.Error, in.Description), nil
	}
	result := s.mail.RedeemConsent(r.Context(), now.RedirectURL, in.Code, asked.Verifier)
	if !result.OK {
		result.Fix = s.engine.Settings().InConsole(result.Fix)
		return result, nil
	}
	patch := map[string]json.RawMessage{"mailOauthToken": chat.MustJSON(result.Token)}
	if err := s.engine.PatchSettings(r.Context(), patch); err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditSettingsChanged, "", "mailOauthToken")
	return result, nil
}
