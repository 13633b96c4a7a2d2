package bridges

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/mail"
	"github.com/relay-chat/relay/bridges/mail/incoming"
	"github.com/relay-chat/relay/bridges/mail/mailbox"
	"github.com/relay-chat/relay/bridges/mail/oauth"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// mailboxLease is held by the node that reads the mailbox, metaMailbox is what is stored of it.
const (
	mailboxLease = "mailbox"
	metaMailbox  = "mailbox"
)

// MailboxOptions are the parts of a Mailbox.
type MailboxOptions struct {
	Threads mail.Threads
	Tokens  *oauth.Tokens // for a mailbox without a password
	Keys    engine.MailKeys
	Reader  []string // the command that reads an e-mail
	Log     *slog.Logger
}

// Mailbox reads the answers to relay's e-mails, while the settings name a mailbox.
type Mailbox struct {
	engine *engine.Engine
	opts   MailboxOptions

	mu     sync.Mutex
	tally  *mail.Tally
	failed *mailbox.Failure
	since  chat.Time
}

// NewMailbox makes the reading of answers. It reads none before its Run.
func NewMailbox(engine *engine.Engine, o MailboxOptions) *Mailbox {
	return &Mailbox{engine: engine, opts: o, tally: mail.NewTally("", "")}
}

func (m *Mailbox) settings() chat.MailboxSettings { return m.engine.Settings().Mailbox() }

// Run reads until ctx ends, on one node, always under the current settings.
func (m *Mailbox) Run(ctx context.Context) error {
	return m.engine.Nodes.Hold(ctx, mailboxLease, m.run)
}

func (m *Mailbox) run(ctx context.Context, lease *nodes.Lease) error {
	on := func() bool { return m.settings().On() }
	for await(ctx, m.engine, on); ctx.Err() == nil; await(ctx, m.engine, on) {
		if err := m.serve(ctx, lease, m.settings()); err != nil && ctx.Err() == nil {
			m.opts.Log.Error("the mailbox cannot use the database", "err", err)
			_ = chat.Rest(ctx, time.Second)
		}
	}
	return nil
}

// serve reads until the settings change or ctx ends.
func (m *Mailbox) serve(ctx context.Context, lease *nodes.Lease, settings chat.MailboxSettings) error {
	box, err := chat.ParseMailbox(settings.Server)
	if err != nil {
		return err // which was checked when it was set
	}
	tally, err := m.open(ctx, &box)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	answers := mail.NewAnswers(mail.AnswersOptions{Engine: m.engine, Threads: m.opts.Threads, Keys: m.opts.Keys, Reader: m.opts.Reader, Tally: tally, Log: m.opts.Log})
	reader := mailbox.New(mailbox.Options{Box: box, SignIn: oauth.SignIn{Tokens: m.opts.Tokens, With: settings.OAuth}, MoveTo: settings.MoveTo, Head: incoming.MaxHead, Place: tally.Place(), Take: answers.Take, Note: m.note, Log: m.opts.Log,
		Save: func(ctx context.Context, place mailbox.Place) error {
			return m.engine.Store.Apply(ctx, func(tx chat.Tx) error { return tx.PutMeta(metaMailbox, tally.Stored(place)) })
		}})
	var serving sync.WaitGroup
	serving.Go(func() { reader.Run(ctx) })
	serving.Go(func() { m.engine.Nodes.Describe(ctx, lease, func() any { return m.own() }) })
	await(ctx, m.engine, func() bool { return m.settings() != settings })
	stop()
	serving.Wait()
	return nil
}

// open reads what is known of a mailbox.
func (m *Mailbox) open(ctx context.Context, box *chat.Mailbox) (*mail.Tally, error) {
	var stored string
	err := m.engine.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		stored, err = rd.Meta(metaMailbox)
		return err
	})
	if err != nil {
		return nil, err
	}
	of := chat.Hash(box.Address() + "\n" + box.Name + "\n" + box.Folder)[:16]
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tally, m.failed, m.since = mail.NewTally(of, stored), nil, 0
	return m.tally, nil
}

// note notes whether the mailbox can be read.
func (m *Mailbox) note(f *mailbox.Failure) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case f == nil && m.failed != nil:
		m.opts.Log.Info("the mailbox can be read again")
	case f != nil && m.failed == nil:
		m.since = chat.Now()
		m.opts.Log.Warn("relay cannot read its mailbox and keeps trying", "err", f, "fix", f.Fix)
	}
	if m.failed = f; f == nil {
		m.since = 0
	}
}

// own is what this node knows of the mailbox.
func (m *Mailbox) own() chat.MailboxStatus {
	m.mu.Lock()
	defer m.mu.Unlock()
	state := chat.MailboxStatus{State: chat.MailRunning, Since: m.since}
	state.Counts, state.Unreadable = m.tally.Shown()
	if m.failed != nil {
		state.State, state.LastError, state.Fix = chat.MailFailing, m.failed.Error(), m.failed.Fix
	}
	return state
}

// State returns how the mailbox is doing.
func (m *Mailbox) State(ctx context.Context) (chat.MailboxStatus, error) {
	state := chat.MailboxStatus{State: chat.MailOff, Counts: map[string]int{}, Unreadable: []chat.UnreadMail{}}
	if !m.settings().On() {
		return state, nil
	}
	state = m.own()
	_, err := m.engine.Nodes.Described(ctx, mailboxLease, &state)
	return state, err
}

// mailboxFinding signs in at the mailbox and looks at its folder. It reads nothing.
func mailboxFinding(ctx context.Context, settings chat.MailboxSettings, tokens *oauth.Tokens) chat.Finding {
	const subject = "mailbox"
	if !settings.On() {
		return chat.Fine(subject, "none: answers to e-mails go to the sender's mailbox, not into relay")
	}
	box, err := chat.ParseMailbox(settings.Server)
	if err != nil {
		return chat.Bad(subject, "IMAP_URL "+err.Error(), "correct IMAP_URL")
	}
	opened, failed := mailbox.Check(ctx, &box, oauth.SignIn{Tokens: tokens, With: settings.OAuth})
	if failed != nil {
		return chat.Bad(subject, failed.Error(), failed.Fix)
	}
	return chat.Fine(subject, opened)
}

// The trial of the way back: how long it may take, and how often relay looks.
const (
	trialPatience = 90 * time.Second
	trialPause    = 200 * time.Millisecond
)

// RoundTrip sends an e-mail to where a site's answers go, and waits until it has come back.
func (m *Mail) RoundTrip(ctx context.Context, site string) (trip chat.MailRoundTrip, err error) {
	settings := m.engine.SettingsOf(site).Mail()
	switch {
	case !settings.On():
		return trip, chat.Errorf(chat.Conflict, "There is no mail server or no sender yet: set smtpUrl and mailFrom first")
	case !m.engine.Settings().Mailbox().On():
		return trip, chat.Errorf(chat.Conflict, "There is no mailbox yet: set imapUrl first")
	}
	id, begun := chat.NewID(), time.Now()
	to, failed := mail.Trial(ctx, settings, m.opts.Tokens, m.opts.Base, m.opts.Threads.Trial(id))
	if trip.To = to; failed != nil {
		trip.Error, trip.Fix = failed.Error(), failed.Fix
		return trip, nil
	}
	trip.Sent = true
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(m.opts.Patience, trialPatience))
	defer cancel()
	for !trip.Arrived && ctx.Err() == nil {
		err = m.engine.Store.ReadOne(ctx, func(rd chat.Reader) error {
			last, err := rd.Meta(mail.MetaTrial)
			trip.Arrived = last == id
			return err
		})
		if err != nil && ctx.Err() == nil {
			return trip, err
		}
		_ = chat.Rest(ctx, trialPause) // ctx ends the loop
	}
	trip.DurationMs = time.Since(begun).Milliseconds()
	if trip.Arrived {
		return trip, nil
	}
	return trip, m.lost(context.WithoutCancel(ctx), &trip)
}

// lost says where an e-mail may be that has not come back.
func (m *Mail) lost(ctx context.Context, trip *chat.MailRoundTrip) error {
	box, err := m.opts.Mailbox.State(ctx)
	if err != nil {
		return err
	}
	if box.State == chat.MailFailing {
		trip.Error, trip.Fix = box.LastError, box.Fix
		return nil
	}
	trip.Error = "The e-mail to " + trip.To + " was sent, and has not arrived in the mailbox"
	trip.Fix = "look for it in the spam folder, and see that e-mails to this address go to the mailbox and folder of IMAP_URL; if your provider does not deliver addresses with a +, set MAIL_REPLY_TO"
	return nil
}
