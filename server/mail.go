package server

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/account"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/web"
)

// letterPath is where the links in e-mails to visitors begin.
const letterPath = "/mail/"

// Mail sends visitors by e-mail what they have not read.
type Mail interface {
	State(ctx context.Context) (chat.MailStatus, error)
	// Test sends an e-mail to an address at once, as a site.
	Test(ctx context.Context, site, to string) (chat.MailTest, error)
	// RoundTrip sends an e-mail to where a site's answers go, and waits until it has come back.
	RoundTrip(ctx context.Context, site string) (chat.MailRoundTrip, error)
	// TranscriptAnswer tells a visitor, in a language, what becomes of a transcript.
	TranscriptAnswer(site, language, outcome string) string
	// AskConsent returns the page on which the provider asks somebody to let relay use a mailbox,
	// and what redeems the answer.
	AskConsent(redirect, state string) (page, verifier string, err error)
	RedeemConsent(ctx context.Context, redirect, code, verifier string) chat.MailConsent
}

// MailLinks are the addresses in e-mails to visitors, and what hides an e-mail address.
type MailLinks struct {
	base string
	key  []byte
}

// MailLinksBy makes the links in e-mails, below relay's own address. Their key never changes.
func MailLinksBy(k *keyring.Ring, base string) *MailLinks {
	return &MailLinks{base, k.LastingKey("mail")}
}

// mailed is what a link in an e-mail names. Who has it reads the e-mails of the address.
type mailed struct {
	Site      string    `json:"s,omitempty"`
	SessionID string    `json:"c"`
	Until     chat.Time `json:"u,omitempty"` // of the conversation's link
	Address   string    `json:"a"`           // see [MailLinks.Key]
	Given     string    `json:"g"`           // the address as the conversation's browser gave it
}

// Key hides an e-mail address, see [engine.MailKeys]: without relay's own key nobody finds out
// whose it is.
func (l *MailLinks) Key(address, about string) string {
	return hex.EncodeToString(chat.MAC(l.key, "address\n"+address+"\n"+about))[:32]
}

// Letter is the address for the owner of an e-mail address, about a conversation.
func (l *MailLinks) Letter(s *chat.Session, address string) string {
	named := base64.RawURLEncoding.EncodeToString(chat.MustJSON(mailed{s.Site, s.ID, s.LinkUntil, l.Key(address, ""), l.Key(address, s.GivenBy())}))
	return l.base + letterPath + named + "." + l.sign(named)
}

// Invitation is where who has the secret of a link joins the team.
func (l *MailLinks) Invitation(secret string) string { return account.InvitationURL(l.base, secret) }

// open returns what a link names; ok is false if it was not made here.
func (l *MailLinks) open(link string) (m mailed, ok bool) {
	named, signature, _ := strings.Cut(link, ".")
	if !chat.SameSecret(signature, l.sign(named)) {
		return m, false
	}
	data, err := base64.RawURLEncoding.DecodeString(named)
	return m, err == nil && json.Unmarshal(data, &m) == nil
}

func (l *MailLinks) sign(named string) string {
	return base64.RawURLEncoding.EncodeToString(chat.MAC(l.key, "link\n"+named)[:16])
}

// mailAPI is for those who get e-mails, and for who set them up.
type mailAPI struct {
	*web.Limiter
	web.Auditor
	pages   web.Pages
	devices *deviceAPI
	engine  *engine.Engine
	links   *MailLinks
	mail    Mail
}

// errLetterUnknown is the answer to a link that was not made here.
var errLetterUnknown = &chat.Error{Kind: chat.NotFound, Text: "This link is not complete: open it from the e-mail once more"}

// page answers GET /mail/{letter}: it asks where to go on, and offers to send nothing more. It
// does neither yet: mail programs look at links, too.
func (s *mailAPI) page(w http.ResponseWriter, r *http.Request) {
	m, made := s.links.open(web.PathVar(r, "letter"))
	if !made {
		s.devices.ended(w, r, "")
		return
	}
	s.devices.show(w, r, m.SessionID, m.Until, web.PathVar(r, "letter"))
}

// stop answers POST /mail/{letter}: the owner of the address wants no more e-mails, by one
// click in the mail program (RFC 8058), or on the page.
func (s *mailAPI) stop(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	return s.decide(w, r, func(ctx context.Context, m mailed) error { return s.engine.StopMail(ctx, m.Site, m.Address) })
}

// confirm answers POST /mail/{letter}/confirm: the owner of the address has opened the
// conversation.
func (s *mailAPI) confirm(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	return s.decide(w, r, func(ctx context.Context, m mailed) error { return s.engine.ConfirmMail(ctx, m.Site, m.Given) })
}

func (s *mailAPI) decide(w http.ResponseWriter, r *http.Request, as func(ctx context.Context, m mailed) error) (any, error) {
	if err := s.Limited(w, r, s.Rates.Identifys, s.Address(r)); err != nil {
		return nil, err
	}
	m, made := s.links.open(web.PathVar(r, "letter"))
	if !made {
		return nil, errLetterUnknown
	}
	return web.OK, as(r.Context(), m)
}

// state answers GET /api/admin/mail.
func (s *mailAPI) state(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	state, err := s.mail.State(r.Context())
	settings := s.engine.Settings()
	state.Fix, state.Mailbox.Fix = settings.InConsole(state.Fix), settings.InConsole(state.Mailbox.Fix)
	if by.Sites != nil { // the server and the mailbox are relay's
		state.Fix, state.Queue, state.Mailbox = "", 0, chat.MailboxStatus{State: state.Mailbox.State, Counts: map[string]int{}, Unreadable: []chat.UnreadMail{}}
	}
	if by.OfRelay() {
		state.Consent = s.consentState()
	}
	return state, err
}

// mailTestTime is longer than a server may take for its answers, and an e-mail to come back.
const mailTestTime = 4 * time.Minute

// mailTestRequest is the body of POST /api/admin/mail/test.
type mailTestRequest struct {
	To string `json:"to"`
}

// test answers POST /api/admin/mail/test. A server that takes nothing is a result of the test,
// not an error of the request.
func (s *mailAPI) test(w http.ResponseWriter, r *http.Request, by chat.Author, in mailTestRequest) (any, error) {
	site, err := s.siteTried(r, by)
	if err != nil {
		return nil, err
	}
	if err := web.Required("to", in.To); err != nil {
		return nil, err
	}
	to := chat.CleanAddress(in.To)
	if to == "" {
		return nil, web.BadRequest("to must be an e-mail address like ana@example.com")
	}
	if err := s.patient(w, r); err != nil {
		return nil, err
	}
	result, err := s.mail.Test(r.Context(), site, to)
	settings := s.engine.Settings()
	result.Fix, result.Findings = settings.InConsole(result.Fix), settings.FindingsInConsole(result.Findings)
	return result, err
}

// roundTrip answers POST /api/admin/mail/round-trip. An e-mail that does not come back is a result,
// not an error of the request.
func (s *mailAPI) roundTrip(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	site, err := s.siteTried(r, by)
	if err != nil {
		return nil, err
	}
	if err := s.patient(w, r); err != nil {
		return nil, err
	}
	result, err := s.mail.RoundTrip(r.Context(), site)
	result.Fix = s.engine.Settings().InConsole(result.Fix)
	return result, err
}

// siteTried is the site whose e-mail is tried, the first one by default.
func (s *mailAPI) siteTried(r *http.Request, by chat.Author) (string, error) {
	site, err := web.SiteAsked(r, by, s.engine.Sites())
	if err != nil || site == nil {
		return "", err
	}
	return *site, nil
}

// patient limits how often e-mail is tried, and waits for slow servers.
func (s *mailAPI) patient(w http.ResponseWriter, r *http.Request) error {
	if err := s.Limited(w, r, s.Rates.Identifys, "mail test"); err != nil {
		return err
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(mailTestTime)) // without it a slow one is cut off
	return nil
}
