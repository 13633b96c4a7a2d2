package mailbox

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"

	"github.com/relay-chat/relay/bridges/mail/oauth"
	"github.com/relay-chat/relay/server/chat"
)

// line is a connection to a mailbox.
type line struct {
	client  *imapclient.Client
	arrived chan struct{} // something has, or went
	keeps   bool          // keywords
	stop    func() bool
}

// loginError means that the server does not accept the name and the password, or the token.
type loginError struct{ err error }

func (e *loginError) Error() string { return e.err.Error() }
func (e *loginError) Unwrap() error { return e.err }

// folderError means that the folder cannot be opened.
type folderError struct {
	folder string
	err    error
}

func (e *folderError) Error() string { return e.err.Error() }
func (e *folderError) Unwrap() error { return e.err }

// open connects and signs in. ctx ends the connection.
func open(ctx context.Context, box *chat.Mailbox, with oauth.SignIn) (l *line, err error) {
	if !box.OAuth() {
		return connect(ctx, box, "")
	}
	if missing := oauth.Missing(with.With, "IMAP_URL", &box.MailHost); missing != nil {
		return nil, missing
	}
	return l, with.Use(ctx, func(access string) (err error) {
		l, err = connect(ctx, box, access)
		return err
	}, isRefused)
}

func isRefused(err error) bool {
	var login *loginError
	return errors.As(err, &login)
}

// connect is open with an access token, which a mailbox without a password needs.
func connect(ctx context.Context, box *chat.Mailbox, access string) (*line, error) {
	l := &line{arrived: make(chan struct{}, 1)}
	options := &imapclient.Options{TLSConfig: &tls.Config{ServerName: box.Host, MinVersion: tls.VersionTLS12, NextProtos: []string{"imap"}},
		UnilateralDataHandler: &imapclient.UnilateralDataHandler{Mailbox: func(*imapclient.UnilateralDataMailbox) { l.ring() }}}
	dialer := net.Dialer{Timeout: patience, KeepAlive: time.Minute}
	conn, err := dialer.DialContext(ctx, "tcp", box.Address())
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() }) // its error is that of whoever reads
	if l.client, err = greet(conn, box, options); err == nil {
		err = signIn(l.client, box, access)
	}
	if err != nil {
		stop()
		conn.Close() // the error is the one to report
		return nil, err
	}
	l.stop = stop
	return l, nil
}

// greet begins the conversation. STARTTLS is required but on this machine.
func greet(conn net.Conn, box *chat.Mailbox, options *imapclient.Options) (*imapclient.Client, error) {
	switch {
	case box.TLS:
		secure := tls.Client(conn, options.TLSConfig)
		if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
			return nil, err
		}
		if err := secure.Handshake(); err != nil {
			return nil, err
		}
		if err := conn.SetDeadline(time.Time{}); err != nil {
			return nil, err
		}
		return imapclient.New(secure, options), nil
	case box.Local():
		return imapclient.New(conn, options), nil
	}
	options.TLSConfig.NextProtos = nil
	return imapclient.NewStartTLS(conn, options)
}

// signIn uses the way that the server offers.
func signIn(client *imapclient.Client, box *chat.Mailbox, access string) error {
	if err := client.WaitGreeting(); err != nil {
		return err
	}
	var err error
	switch caps := client.Caps(); {
	case box.OAuth():
		err = authenticate(client, box, access)
	case caps.Has(imap.AuthCap("PLAIN")):
		err = client.Authenticate(sasl.NewPlainClient("", box.Name, box.Password))
	default:
		err = client.Login(box.Name, box.Password).Wait()
	}
	var refused *imap.Error
	var token *tokenError
	var bearer *sasl.OAuthBearerError
	if errors.As(err, &refused) || errors.As(err, &token) || errors.As(err, &bearer) {
		return &loginError{err}
	}
	return err
}

// close ends the connection: nothing depends on how.
func (l *line) close() {
	l.stop()
	_ = l.client.Close()
}

func (l *line) ring() {
	select {
	case l.arrived <- struct{}{}:
	default:
	}
}

// forget forgets what was announced so far.
func (l *line) forget() {
	select {
	case <-l.arrived:
	default:
	}
}

// wait waits until something was announced, or may have been missed, for a time at most.
func (l *line) wait(ctx context.Context, most time.Duration) error {
	if !l.client.Caps().Has(imap.CapIdle) {
		if err := chat.Rest(ctx, min(most, lookAgain)); err != nil {
			return err
		}
		return l.client.Noop().Wait()
	}
	idle, err := l.client.Idle()
	if err != nil {
		return err
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-l.arrived:
	case <-timer.C:
	case <-l.client.Closed():
	case <-ctx.Done():
	}
	if err := idle.Close(); err != nil {
		return err
	}
	if err := idle.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// errVanished: somebody has removed the e-mail meanwhile.
var errVanished = errors.New("the e-mail is gone")

// literal is a part of what the server sends. When it breaks, the line is at its end, and nobody
// may read on: the library does not expect that. Nor does it tell a broken one from a whole one.
type literal struct {
	io.Reader
	left   int64
	broken error
}

// Read implements [io.Reader].
func (l *literal) Read(p []byte) (int, error) {
	if l.broken != nil {
		return 0, l.broken
	}
	n, err := l.Reader.Read(p)
	l.left -= int64(n)
	if errors.Is(err, io.EOF) && l.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		l.broken = err
	}
	return n, err
}

// fetch hands over what the server sends of e-mails, item by item, with their numbers in the
// mailbox and the text of a section. It returns the first error of use, once all of it is read.
func (l *line) fetch(set imap.UIDSet, options *imap.FetchOptions, use func(number uint32, item imapclient.FetchItemData, text io.Reader) error) error {
	var failed error
	command := l.client.Fetch(set, options)
	for m := command.Next(); m != nil; m = command.Next() {
		for item := m.Next(); item != nil; item = m.Next() {
			text := &literal{Reader: strings.NewReader("")}
			if section, ok := item.(imapclient.FetchItemDataBodySection); ok && section.Literal != nil {
				text.Reader, text.left = section.Literal, section.Literal.Size()
			}
			if err := use(m.SeqNum, item, text); failed == nil {
				failed = err
			}
			if _, err := io.Copy(io.Discard, text); err != nil {
				return err
			}
		}
	}
	if err := command.Close(); err != nil {
		return err
	}
	return failed
}

// whole fetches all of an e-mail.
func (l *line) whole(uid imap.UID, use func(io.Reader) error) error {
	sections := []*imap.FetchItemBodySection{{Peek: true}}
	used := false
	err := l.fetch(imap.UIDSetNum(uid), &imap.FetchOptions{UID: true, BodySection: sections}, func(_ uint32, item imapclient.FetchItemData, text io.Reader) error {
		if _, ok := item.(imapclient.FetchItemDataBodySection); !ok || used {
			return nil
		}
		used = true
		return use(text)
	})
	if err == nil && !used {
		err = errVanished
	}
	return err
}

// moveTo moves e-mails to a folder, which is made if it is not there. A server that cannot move is
// not made to delete.
func (l *line) moveTo(set imap.UIDSet, folder string) error {
	if !l.client.Caps().Has(imap.CapMove) {
		return nil
	}
	_, err := l.client.Move(set, folder).Wait()
	var refused *imap.Error
	if errors.As(err, &refused) && refused.Code == imap.ResponseCodeTryCreate {
		if err := l.client.Create(folder, nil).Wait(); err != nil {
			return err
		}
		_, err = l.client.Move(set, folder).Wait()
	}
	return err
}

// Check connects, signs in and looks at the folder, and returns how many e-mails are there.
func Check(ctx context.Context, box *chat.Mailbox, with oauth.SignIn) (text string, _ *Failure) {
	l, err := open(ctx, box, with)
	if err != nil {
		return "", explain(box, err)
	}
	defer l.close()
	data, err := l.client.Select(box.Folder, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return "", explain(box, &folderError{box.Folder, err})
	}
	things := "e-mails"
	if data.NumMessages == 1 {
		things = "e-mail"
	}
	return fmt.Sprintf("%s at %s opens, with %d %s", box.Folder, box.Host, data.NumMessages, things), nil
}
