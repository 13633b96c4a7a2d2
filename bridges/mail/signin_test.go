package mail_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"golang.org/x/oauth2"

	"github.com/relay-chat/relay/bridges/mail"
	"github.com/relay-chat/relay/bridges/mail/mailbox"
	"github.com/relay-chat/relay/bridges/mail/mailtest"
	"github.com/relay-chat/relay/bridges/mail/oauth"
	"github.com/relay-chat/relay/server/chat"
)

// oddName is the name of a mailbox with everything that a name may have.
const oddName = "chät+a=b,c%d/e:f@shop.example"

// passwordless is a provider with two servers that take its tokens, for one name.
type passwordless struct {
	provider *mailtest.Provider
	tokens   *oauth.Tokens
	with     chat.MailOAuth
	server   *mailtest.Server
	box      *mailtest.Mailbox
	refuses  atomic.Bool
}

func newPasswordless(t *testing.T, ways ...string) *passwordless {
	p := &passwordless{provider: mailtest.NewProvider(t), server: mailtest.New(t), box: mailtest.NewMailbox(t)}
	p.tokens = oauth.New(oauth.Options{Endpoint: func(chat.MailProvider) oauth2.Endpoint { return oauth2.Endpoint{TokenURL: p.provider.TokenURL} }})
	p.with = chat.MailOAuth{Provider: "microsoft", Client: mailtest.Client, Secret: mailtest.ClientSecret, Token: p.provider.Refresh()}
	accepts := func(name, access string) bool {
		return !p.refuses.Load() && name == oddName && p.provider.Valid(access)
	}
	p.server.Accept(accepts)
	p.box.Accept(accepts, ways...)
	return p
}

func (p *passwordless) send(ctx context.Context) *mail.Failure {
	settings := chat.MailSettings{Server: p.server.URLOf(oddName), From: "chat@shop.example", OAuth: p.with}
	return mail.Test(ctx, settings, p.tokens, base, "ana@customer.example", "Shop")
}

func (p *passwordless) look(t *testing.T) (string, *mailbox.Failure) {
	t.Helper()
	box, err := chat.ParseMailbox(p.box.URLOf(oddName))
	if err != nil {
		t.Fatal(err)
	}
	return mailbox.Check(t.Context(), &box, oauth.SignIn{Tokens: p.tokens, With: p.with})
}

// TestSignInWithToken: relay sends and reads without a password, whatever the name; a token that a
// server refuses is replaced once.
func TestSignInWithToken(t *testing.T) {
	for _, way := range []string{mailtest.XOAUTH2, sasl.OAuthBearer} {
		t.Run(way, func(t *testing.T) {
			p := newPasswordless(t, "PLAIN", way)
			both := func(when string) {
				t.Helper()
				if failed := p.send(t.Context()); failed != nil {
					t.Errorf("%s, it is not sent: %v", when, failed)
				}
				if text, failed := p.look(t); failed != nil || !strings.Contains(text, "INBOX at 127.0.0.1 opens") {
					t.Errorf("%s, the mailbox says %s, %v", when, text, failed)
				}
			}
			both("with a new token")
			both("with the same")
			if n := len(p.provider.Asked()); n != 1 {
				t.Errorf("the provider was asked %d times", n)
			}
			p.provider.Expire()
			both("with an expired one")
			p.provider.Expire()
			if text, failed := p.look(t); failed != nil {
				t.Errorf("the mailbox says %s, %v", text, failed)
			}
			if n := len(p.provider.Asked()); n != 3 {
				t.Errorf("the provider was asked %d times", n)
			}
			if n := len(p.server.Letters()); n != 3 {
				t.Errorf("%d letters", n)
			}
		})
	}
}

// TestSignInRefused: what is wrong is said with who can mend it, without tokens.
func TestSignInRefused(t *testing.T) {
	p := newPasswordless(t, mailtest.XOAUTH2)
	check := func(problem, fix string) {
		t.Helper()
		sent, looked := p.send(t.Context()), (*mailbox.Failure)(nil)
		if _, looked = p.look(t); sent == nil || looked == nil {
			t.Fatalf("they end with %v and %v", sent, looked)
		}
		for _, f := range []*mailbox.Failure{{Problem: sent.Problem, Fix: sent.Fix, Details: sent.Details}, looked} {
			if !strings.Contains(f.Error(), problem) || !strings.Contains(f.Fix, fix) {
				t.Errorf("it says %v; %s", f, f.Fix)
			}
			for _, secret := range []string{"access-", "refresh-", mailtest.ClientSecret, p.with.Token} {
				if secret != "" && strings.Contains(f.Error()+f.Fix, secret) {
					t.Errorf("it shows %s: %v", secret, f)
				}
			}
		}
	}
	p.refuses.Store(true)
	check("does not let relay", "in Microsoft 365 an administrator has to switch on")
	if n := len(p.provider.Asked()); n != 3 {
		t.Errorf("the provider was asked %d times", n)
	}
	if failed := p.send(t.Context()); !strings.Contains(failed.Details, "SmtpClientAuthentication is disabled") {
		t.Errorf("the server's words are %q", failed.Details)
	}
	p.refuses.Store(false)
	p.provider.Revoke()
	p.provider.Expire()
	p.with.Client += " " // nothing is kept
	check("does not accept the client ID", "check MAIL_OAUTH_CLIENT")
	p.with.Client = mailtest.Client
	p.with.Token = "refresh-unknown"
	check("the consent was ended", "sign in again in the console")
	p.with.Token = ""
	check("Nobody has signed in for relay at Microsoft", "sign in in the console")
	p.with.Client = ""
	check("MAIL_OAUTH_CLIENT is missing", "set MAIL_OAUTH_CLIENT")
	p.with = chat.MailOAuth{}
	check("a name and no password", "(MAIL_OAUTH)")
}

// TestSignInNotOffered: a server that takes passwords alone is named as such.
func TestSignInNotOffered(t *testing.T) {
	p := newPasswordless(t, "PLAIN")
	p.server.Accept(nil)
	if failed := p.send(t.Context()); failed == nil || !strings.Contains(failed.Problem, "does not offer XOAUTH2") {
		t.Errorf("the server: %v", failed)
	}
	if _, failed := p.look(t); failed == nil || !strings.Contains(failed.Problem, "does not offer XOAUTH2") {
		t.Errorf("the mailbox: %v", failed)
	}
}

// TestMailboxOutlivesToken: the line to the mailbox breaks, the token has expired meanwhile, and
// reading goes on.
func TestMailboxOutlivesToken(t *testing.T) {
	p := newPasswordless(t, mailtest.XOAUTH2)
	box, err := chat.ParseMailbox(p.box.URLOf(oddName))
	if err != nil {
		t.Fatal(err)
	}
	taken := make(chan string, 10)
	states := make(chan *mailbox.Failure, 100)
	reader := mailbox.New(mailbox.Options{Box: box, SignIn: oauth.SignIn{Tokens: p.tokens, With: p.with}, Head: 1 << 10, Log: slog.New(slog.DiscardHandler),
		Save: func(context.Context, mailbox.Place) error { return nil },
		Take: func(_ context.Context, m *mailbox.Mail) (mailbox.Verdict, error) {
			taken <- string(m.Head)
			return mailbox.Taken, nil
		},
		Note: func(f *mailbox.Failure) { states <- f }})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { reader.Run(ctx); close(ended) }()
	defer func() { stop(); <-ended }()
	await := func(what string, is func(*mailbox.Failure) bool) {
		t.Helper()
		for deadline := time.After(30 * time.Second); ; {
			select {
			case f := <-states:
				if is(f) {
					return
				}
			case <-deadline:
				t.Fatalf("%s: nothing came", what)
			}
		}
	}
	await("the mailbox", func(f *mailbox.Failure) bool { return f == nil })
	p.provider.Expire()
	p.box.Break(1)
	p.box.Put("Subject: one\n\ntext")
	await("the broken line", func(f *mailbox.Failure) bool { return f != nil })
	p.box.Break(0)
	select {
	case head := <-taken:
		if !strings.Contains(head, "Subject: one") {
			t.Errorf("it read %q", head)
		}
	case <-time.After(60 * time.Second):
		t.Fatal("it reads nothing more")
	}
}
