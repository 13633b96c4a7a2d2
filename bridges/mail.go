package bridges

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	mailaddress "net/mail"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/mail"
	"github.com/relay-chat/relay/bridges/mail/oauth"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// MailOptions are the parts and settings of a Mail.
type MailOptions struct {
	Links mail.Links
	// Threads names what answers belong to, Mailbox reads them.
	Threads mail.Threads
	Mailbox *Mailbox
	// Tokens are for servers without a password.
	Tokens *oauth.Tokens
	Files  *chat.FileLinks
	Base   string // relay's own address
	DNS    mail.Resolver
	// Patience is how long the way back may take when it is tried, 0 for a minute and a half.
	Patience time.Duration
	Log      *slog.Logger
}

// Mail sends visitors what they have not read, while the settings name a server.
type Mail struct {
	engine *engine.Engine
	opts   MailOptions

	mu     sync.Mutex
	of     chat.MailSettings // of the server whose health it is
	health *mail.Health
}

// MailTokens returns the tokens for servers and mailboxes without a password. store keeps what
// follows a refresh token; nil keeps nothing.
func MailTokens(store chat.Store) *oauth.Tokens { return oauth.New(oauth.Options{Store: store}) }

// NewMail makes the e-mails. It sends none before its Run.
func NewMail(engine *engine.Engine, o MailOptions) *Mail {
	return &Mail{engine: engine, opts: o, health: &mail.Health{}}
}

// healthOf returns the health of a server, of which nothing is known when it is another one, or
// relay signs in differently.
func (m *Mail) healthOf(settings chat.MailSettings) *mail.Health {
	m.mu.Lock()
	defer m.mu.Unlock()
	if of := (chat.MailSettings{Server: settings.Server, OAuth: settings.OAuth}); m.of != of {
		m.of, m.health = of, &mail.Health{}
	}
	return m.health
}

// on reports whether e-mails are sent for any site.
func (m *Mail) on() bool { return m.engine.Sites().Mail() }

// common are the settings that are the same for all sites.
func (m *Mail) common() chat.MailSettings {
	settings := m.engine.Settings().Mail()
	settings.From, settings.Reply = "", ""
	return settings
}

// Run sends e-mails until ctx ends, on one node, always under the current settings.
func (m *Mail) Run(ctx context.Context) error {
	return m.engine.Nodes.Hold(ctx, chat.MailSink, m.run)
}

func (m *Mail) run(ctx context.Context, lease *nodes.Lease) error {
	for await(ctx, m.engine, m.on); ctx.Err() == nil; await(ctx, m.engine, m.on) {
		if err := m.serve(ctx, lease, m.common()); err != nil && ctx.Err() == nil {
			m.opts.Log.Error("e-mail cannot use the database", "err", err)
			_ = chat.Rest(ctx, time.Second)
		}
	}
	return nil
}

// serve sends e-mails until the settings change or ctx ends.
func (m *Mail) serve(ctx context.Context, lease *nodes.Lease, settings chat.MailSettings) error {
	ctx, stop := context.WithCancel(ctx)
	health := m.healthOf(settings)
	sink := mail.New(mail.Options{Engine: m.engine, Server: settings.Server, OAuth: settings.OAuth, Tokens: m.opts.Tokens, Rate: settings.Rate, Links: m.opts.Links, Threads: m.opts.Threads, Files: m.opts.Files,
		Base: m.opts.Base, Health: health})
	var serving sync.WaitGroup
	var err error
	serving.Go(func() {
		defer stop()
		err = m.engine.Outbox.ServeUnder(ctx, lease, sink)
	})
	serving.Go(func() { m.engine.Nodes.Describe(ctx, lease, func() any { return mailHealth(health) }) })
	await(ctx, m.engine, func() bool { return m.common() != settings || !m.on() })
	stop()
	serving.Wait()
	return err
}

// State returns how e-mail is doing.
func (m *Mail) State(ctx context.Context) (chat.MailStatus, error) {
	box, err := m.opts.Mailbox.State(ctx)
	state := chat.MailStatus{State: chat.MailOff, Mailbox: box}
	if err != nil || !m.on() {
		return state, err
	}
	state = mailHealth(m.healthOf(m.engine.Settings().Mail()))
	if _, err := m.engine.Nodes.Described(ctx, chat.MailSink, &state); err != nil {
		return state, err
	}
	if problem := mail.Missing(m.opts.Base); problem != nil {
		state.State, state.LastError, state.Fix = chat.MailFailing, problem.Problem, problem.Fix
	}
	state.Mailbox = box
	err = m.engine.Store.ReadOne(ctx, func(r chat.Reader) (err error) {
		state.Queue, err = r.Waiting(chat.MailSink)
		return err
	})
	return state, err
}

// mailHealth is the part of the state that only the node that sends knows.
func mailHealth(health *mail.Health) chat.MailStatus {
	if since, why := health.Failing(); since != 0 {
		return chat.MailStatus{State: chat.MailFailing, LastError: why.Error(), Fix: why.Fix, Since: since}
	}
	return chat.MailStatus{State: chat.MailRunning}
}

// Test sends an e-mail to an address at once, as a site.
func (m *Mail) Test(ctx context.Context, site, to string) (chat.MailTest, error) {
	settings := m.engine.SettingsOf(site).Mail()
	switch {
	case settings.Server == "":
		return chat.MailTest{}, chat.Errorf(chat.Conflict, "There is no mail server yet: set smtpUrl first")
	case settings.From == "":
		return chat.MailTest{}, chat.Errorf(chat.Conflict, "There is no sender yet: set mailFrom first")
	}
	begun := time.Now()
	failed := mail.Test(ctx, settings, m.opts.Tokens, m.opts.Base, to, m.engine.Sites().ShownName(site))
	test := chat.MailTest{OK: failed == nil, DurationMs: time.Since(begun).Milliseconds(), Findings: records(ctx, m.opts.DNS, settings)}
	if failed != nil {
		test.Error, test.Fix = failed.Error(), failed.Fix
	}
	return test, nil
}

// SendsAt implements [CodeMail].
func (m *Mail) SendsAt(site string) bool {
	settings := m.engine.SettingsOf(site).Mail()
	return settings.Server != "" && settings.From != ""
}

// SendCode implements [CodeMail].
func (m *Mail) SendCode(ctx context.Context, site, to, language, code string) error {
	settings := m.engine.SettingsOf(site)
	return mail.SendCode(ctx, settings.Mail(), m.opts.Tokens, m.opts.Base, &mail.CodeLetter{To: to, Code: code, Language: language,
		Name:   cmp.Or(settings.Text("operatorName"), m.engine.Sites().ShownName(site)),
		Thread: m.opts.Threads.Code(chat.NewID()), Answered: m.engine.Settings().Mailbox().On()})
}

// TranscriptAnswer tells a visitor of a site what becomes of a transcript.
func (m *Mail) TranscriptAnswer(site, language, outcome string) string {
	return mail.TranscriptAnswer(language, m.engine.SettingsOf(site), outcome)
}

// AskConsent returns the page on which the provider asks somebody to let relay use a mailbox, and
// what redeems the answer.
func (m *Mail) AskConsent(redirect, state string) (page, verifier string, err error) {
	settings := m.engine.Settings()
	o := settings.MailOAuth()
	switch {
	case o.Provider == "":
		return "", "", chat.Errorf(chat.Conflict, "There is no provider yet: set mailOauth first")
	case o.Client == "":
		return "", "", chat.Errorf(chat.Conflict, "There is no client ID yet: register relay at the provider and set mailOauthClient first")
	}
	page, verifier, err = m.opts.Tokens.Ask(o, oauth.Consent{Redirect: redirect, State: state, Hint: mailboxName(settings)})
	var failed *oauth.Failure
	if errors.As(err, &failed) {
		err = chat.Errorf(chat.Conflict, "%s: %s", failed.Problem, settings.InConsole(failed.Fix))
	}
	return page, verifier, err
}

// mailboxName is the name of the mailbox at which relay signs in without a password, "" for none.
func mailboxName(s *chat.Settings) string {
	if box, err := chat.ParseMailbox(s.Mailbox().Server); err == nil && box.OAuth() {
		return box.Name
	}
	if server, err := chat.ParseMailServer(s.Mail().Server); err == nil && server.OAuth() {
		return server.Name
	}
	return ""
}

// RedeemConsent returns the refresh token for the answer to what [Mail.AskConsent] asked.
func (m *Mail) RedeemConsent(ctx context.Context, redirect, code, verifier string) chat.MailConsent {
	token, err := m.opts.Tokens.Redeem(ctx, m.engine.Settings().MailOAuth(), redirect, code, verifier)
	var failed *oauth.Failure
	switch {
	case errors.As(err, &failed):
		return chat.MailConsent{Error: failed.Error(), Fix: failed.Fix}
	case err != nil:
		return chat.MailConsent{Error: err.Error()}
	}
	return chat.MailConsent{OK: true, Token: token}
}

// records are what the DNS says of the sender's domain.
func records(ctx context.Context, dns mail.Resolver, settings chat.MailSettings) []chat.Finding {
	from, err := mailaddress.ParseAddress(settings.From)
	if err != nil {
		return []chat.Finding{}
	}
	return mail.Records(ctx, dns, from.Address)
}

// MailHalfSetUp returns what e-mail lacks when some of it is set up, "" for nothing.
func MailHalfSetUp(s *chat.Settings, base string) string {
	settings, missing := s.Mail(), ""
	switch {
	case settings.Server == "" && settings.From == "" && !s.Mailbox().On():
		return ""
	case settings.Server == "":
		missing = "SMTP_URL"
	case settings.From == "":
		missing = "MAIL_FROM"
	case base == "":
		missing = "PUBLIC_URL"
	default:
		return passwordless(s)
	}
	return "e-mail is half set up, and none is sent: " + missing + " is missing"
}

// passwordless returns what signing in lacks at a server or a mailbox without a password, "" for
// nothing.
func passwordless(s *chat.Settings) string {
	settings := s.Mail()
	if server, err := chat.ParseMailServer(settings.Server); err == nil && server.OAuth() {
		if f := oauth.Missing(settings.OAuth, "SMTP_URL", &server); f != nil {
			return "e-mail is half set up, and none is sent. " + f.Problem + ": " + f.Fix
		}
	}
	if box, err := chat.ParseMailbox(s.Mailbox().Server); err == nil && box.OAuth() {
		if f := oauth.Missing(settings.OAuth, "IMAP_URL", &box.MailHost); f != nil {
			return "e-mail is half set up, and answers are not read. " + f.Problem + ": " + f.Fix
		}
	}
	return ""
}

// ExamineMail checks e-mail for relay doctor: it signs in at the server, sends nothing, and looks
// at the sender's domain.
func ExamineMail(ctx context.Context, s *chat.Settings, tokens *oauth.Tokens, base string, dns mail.Resolver) Checkup {
	settings := s.Mail()
	out := Checkup{Name: "e-mail"}
	switch {
	case settings.Server == "" && settings.From == "" && !s.Mailbox().On():
		out.Findings = []chat.Finding{chat.Fine("settings", "not set up; visitors who have left see answers when they come back")}
		return out
	case settings.Server == "":
		out.Findings = missingFindings(s, []string{"smtpUrl"})
		return out
	case settings.From == "":
		out.Findings = missingFindings(s, []string{"mailFrom"})
		return out
	}
	out.Findings = []chat.Finding{chat.Fine("settings", "sent as "+settings.From)}
	if problem := mail.Missing(base); problem != nil {
		out.Findings = append(out.Findings, chat.Bad("public address", problem.Problem, problem.Fix))
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	host, failed := mail.Check(ctx, settings, tokens, base)
	if failed != nil {
		out.Findings = append(out.Findings, chat.Bad("server", failed.Error(), failed.Fix))
	} else {
		out.Findings = append(out.Findings, chat.Fine("server", host+" accepts relay"))
	}
	out.Findings = append(out.Findings, mailboxFinding(ctx, s.Mailbox(), tokens))
	out.Findings = append(out.Findings, records(ctx, dns, settings)...)
	return out
}
