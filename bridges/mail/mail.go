// Package mail sends visitors by e-mail what they have not read. It imports package chat and
// the engine, which keeps the books.
package mail

import (
	"cmp"
	"context"
	"errors"
	"net/mail"
	"slices"
	"time"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/time/rate"

	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/bridges/mail/oauth"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// The outbox's limits of the sink.
const (
	parallel = 4
	timeout  = 2 * time.Minute
	attempts = 100 // of what the server puts off
	maxAge   = 3 * 24 * time.Hour
	shortest = time.Minute
)

// Links makes the addresses that are in e-mails.
type Links interface {
	// Key hides an e-mail address, see [engine.MailKeys].
	Key(address, about string) string
	// Letter is where the owner of an e-mail address goes on with a conversation, confirms the
	// address, and can refuse more.
	Letter(s *chat.Session, address string) string
	// Invitation is where who has the secret of a link joins the team.
	Invitation(secret string) string
}

// Options are the parts of a Sink.
type Options struct {
	Engine  *engine.Engine
	Server  string // as in the settings
	OAuth   chat.MailOAuth
	Tokens  *oauth.Tokens
	Rate    int // e-mails a minute
	Links   Links
	Threads Threads
	Files   *chat.FileLinks
	Base    string // relay's own address
	Health  *Health
}

// Sink delivers e-mails to visitors.
type Sink struct {
	opts Options
	pace *rate.Limiter
}

var _ chat.Sink = (*Sink)(nil)

// New returns a sink.
func New(o Options) *Sink {
	return &Sink{opts: o, pace: rate.NewLimiter(rate.Limit(float64(o.Rate)/60), 1)}
}

// Name implements [chat.Sink].
func (s *Sink) Name() string { return chat.MailSink }

// Policy implements [chat.Sink]. Later ones pass one that is put off or waits to be read: what
// goes to a visitor is all that is unread or all that was said, and of the team nobody waits for another.
func (s *Sink) Policy() chat.Policy {
	return chat.Policy{Parallel: parallel, Batch: 50, Hold: 1, Overtake: true, Timeout: timeout, Attempts: attempts, MaxAge: maxAge, Backoff: chat.Backoff(shortest, time.Hour)}
}

// Deliver implements [chat.Sink]. What waits together is one e-mail, with all that the visitor
// has not read.
func (s *Sink) Deliver(ctx context.Context, lane []chat.Delivery) (done int, err error) {
	if e, ok, err := s.errandOf(&lane[0]); ok {
		if err == nil {
			err = s.run(ctx, e, lane[0].Ambiguous())
		}
		if err != nil {
			return 0, err
		}
		return 1, nil
	}
	if lane[0].Event.Type == chat.EventTranscriptMail {
		if err := s.transcript(ctx, &lane[0]); err != nil {
			return 0, err
		}
		return 1, nil
	}
	if i := slices.IndexFunc(lane, func(d chat.Delivery) bool { return d.Event.Type != chat.EventMessage }); i > 0 {
		lane = lane[:i]
	}
	newest := &lane[len(lane)-1]
	waits, err := s.opts.Engine.MailWaits(ctx, newest.SessionID, newest.Rev)
	switch {
	case err != nil:
		return 0, err
	case !waits:
		return len(lane), nil
	}
	if s.pace.Wait(ctx) != nil {
		return 0, &chat.RetryAfter{After: shortest, Scope: chat.ScopeLane, Cause: errPace}
	}
	letter, err := s.opts.Engine.ClaimLetter(ctx, newest.SessionID, newest.Rev, s.opts.Links.Key)
	if err != nil {
		return 0, err
	}
	if letter == nil {
		return len(lane), nil
	}
	if err := s.send(ctx, letter); err != nil {
		return 0, err
	}
	return len(lane), nil
}

var errPace = errors.New("other e-mails go first")

// send sends a letter and stores what became of it; the error is that of one to be sent later.
func (s *Sink) send(ctx context.Context, l *engine.Letter) error {
	engine, settings := s.opts.Engine, s.opts.Engine.SettingsOf(l.Session.Site)
	putOff := func(ctx context.Context) error { return engine.LetterPutOff(ctx, l) }
	from, err := mail.ParseAddress(settings.Mail().From)
	if err != nil { // switched off meanwhile
		return s.store(ctx, putOff, nil)
	}
	server, failed := s.server()
	if failed == nil {
		failed = server.transmit(ctx, s.compose(ctx, l, from, settings))
	}
	s.opts.Health.note(failed)
	switch outcome := failed.outcome(); outcome {
	case later:
		return s.store(ctx, putOff, s.retry(failed))
	case chat.MailedRefused:
		return s.store(ctx, func(ctx context.Context) error {
			return engine.LetterRefused(ctx, l, failed.about == aboutAddress, failed.Details)
		}, nil)
	default:
		return s.store(ctx, func(ctx context.Context) error { return engine.LetterSent(ctx, l, outcome == chat.MailedSent) }, nil)
	}
}

// retry makes a letter wait, and all of them if it is the server that fails.
func (s *Sink) retry(f *Failure) error {
	if f.about == aboutServer {
		return &chat.RetryAfter{After: s.opts.Health.pause(), Scope: chat.ScopeSink, Refused: true, Cause: f}
	}
	return f
}

// server is whom the letters are given to.
func (s *Sink) server() (*host, *Failure) {
	if missing := Missing(s.opts.Base); missing != nil {
		return nil, missing
	}
	return serverOf(&chat.MailSettings{Server: s.opts.Server, OAuth: s.opts.OAuth}, s.opts.Tokens, s.opts.Base)
}

// store stores an outcome until that works: the database may be away. It returns after, as a
// rule; an outcome that cannot be stored is unknown.
func (s *Sink) store(ctx context.Context, outcome func(context.Context) error, after error) error {
	for {
		err := outcome(ctx)
		if err == nil {
			return after
		}
		if chat.Rest(ctx, chat.StorePause) != nil {
			return err
		}
	}
}

// Missing is what e-mails need of relay itself, nil if nothing is missing.
func Missing(base string) *Failure {
	if base == "" {
		return noAddress
	}
	return nil
}

// Test sends an e-mail at once to an address that somebody who may change the settings chose.
func Test(ctx context.Context, settings chat.MailSettings, tokens *oauth.Tokens, base, to, name string) *Failure {
	server, from, failed := atOnce(settings, tokens, base, name)
	if failed != nil {
		return failed
	}
	m := newLetter(from, to, "relay can send e-mails", chat.NewToken()+"@"+hostOf(base))
	m.SetBodyString(gomail.TypeTextPlain, "This e-mail was sent from relay's console to try the settings.\nVisitors who have left get answers from this address.\n")
	return server.transmit(ctx, m)
}

// atOnce is the server and the sender of an e-mail that is sent at once; name is who sends it if
// the settings name nobody.
func atOnce(settings chat.MailSettings, tokens *oauth.Tokens, base, name string) (*host, *mail.Address, *Failure) {
	server, failed := serverOf(&settings, tokens, base)
	if failed != nil {
		return nil, nil, failed
	}
	from, failed := sender(settings)
	if failed != nil {
		return nil, nil, failed
	}
	from.Name = cmp.Or(from.Name, name)
	return server, from, nil
}

func sender(settings chat.MailSettings) (*mail.Address, *Failure) {
	from, err := mail.ParseAddress(settings.From)
	if err != nil {
		return nil, &Failure{Problem: "MAIL_FROM is no e-mail address", Fix: "correct MAIL_FROM"}
	}
	return from, nil
}

// Trial sends an e-mail to where answers go, with a name as in the answer to an e-mail that has
// it, and returns that address.
func Trial(ctx context.Context, settings chat.MailSettings, tokens *oauth.Tokens, base, name string) (to string, _ *Failure) {
	server, failed := serverOf(&settings, tokens, base)
	if failed != nil {
		return "", failed
	}
	from, failed := sender(settings)
	if failed != nil {
		return "", failed
	}
	to = cmp.Or(chat.MailReply(settings.Reply, from.Address, name), from.Address)
	m := newLetter(from, to, "relay tries the way back", chat.NewToken()+"@"+hostOf(base))
	m.SetGenHeader(gomail.HeaderReferences, "<"+letterID("trial", name, hostOf(base))+">")
	m.SetBodyString(gomail.TypeTextPlain, "relay sent this e-mail to itself, to find out whether answers arrive. It may be deleted.\n")
	return to, server.transmit(ctx, m)
}

// longestSubject bounds a subject, which may have a visitor's name in it, in UTF-16 units.
const longestSubject = 200

// newLetter begins an e-mail, which no machine should answer (RFC 3834).
func newLetter(from *mail.Address, to, subject, id string) *gomail.Msg {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(from)
	m.ToMailAddress(&mail.Address{Address: to})
	m.Subject(cut.Line(subject, longestSubject))
	m.SetDate()
	m.SetMessageIDWithValue(id)
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	return m
}
