package mailtest

import (
	"io"
	"log"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
)

// inbox is the mailbox's folder.
const inbox = "INBOX"

// Mailbox is a mailbox with its server (RFC 9051), which breaks lines as it is told.
type Mailbox struct {
	Addr string // host and port
	t    testing.TB
	user *imapmemserver.User

	mu   sync.Mutex
	ways *ways
	cut  int // bytes after which a line breaks, 0 for never
	idle func()
}

// NewMailbox starts a mailbox that ends with the test.
func NewMailbox(t testing.TB) *Mailbox {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &Mailbox{Addr: listener.Addr().String(), t: t, user: imapmemserver.NewUser(Name, Password)}
	if err := m.user.Create(inbox, nil); err != nil {
		t.Fatal(err)
	}
	memory := imapmemserver.New()
	memory.AddUser(m.user)
	server := imapserver.New(&imapserver.Options{InsecureAuth: true, Logger: log.New(io.Discard, "", 0), Caps: imap.CapSet{imap.CapIMAP4rev1: {}, imap.CapIMAP4rev2: {}},
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			session := imapserver.SessionIMAP4rev2(&idleSession{memory.NewSession().(imapserver.SessionIMAP4rev2), m})
			if ways := m.offered(); ways != nil {
				session = &boxSession{session, *ways}
			}
			return session, nil, nil
		}})
	go server.Serve(breaking{listener, m}) // ends with Close
	t.Cleanup(func() { server.Close() })
	return m
}

// URL is the mailbox's address as a setting, with its name and password.
func (m *Mailbox) URL() string { return "imap://" + Name + ":p%40ss%2Fword%25@" + m.Addr }

// Accept offers these ways to sign in to those who may sign in with a token.
func (m *Mailbox) Accept(a Accepts, names ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ways = &ways{a, names}
}

func (m *Mailbox) offered() *ways {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ways
}

// URLOf is the mailbox's address as a setting, with a name and no password.
func (m *Mailbox) URLOf(name string) string {
	return "imap://" + url.User(name).String() + "@" + m.Addr
}

// Put lets an e-mail arrive.
func (m *Mailbox) Put(text string) {
	m.t.Helper()
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	if _, err := m.user.Append(inbox, literal{strings.NewReader(text), int64(len(text))}, &imap.AppendOptions{Time: time.Now()}); err != nil {
		m.t.Fatal(err)
	}
}

type literal struct {
	io.Reader
	size int64
}

func (l literal) Size() int64 { return l.size }

// BeforeIdle lets f run whenever somebody begins to wait, before anything is announced to them.
func (m *Mailbox) BeforeIdle(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.idle = f
}

// idleSession is a session of a server that does not announce what arrives right before one waits.
type idleSession struct {
	imapserver.SessionIMAP4rev2
	m *Mailbox
}

// Idle implements [imapserver.Session].
func (s *idleSession) Idle(w *imapserver.UpdateWriter, stop <-chan struct{}) error {
	s.m.mu.Lock()
	before := s.m.idle
	s.m.mu.Unlock()
	if before != nil {
		before()
	}
	return s.SessionIMAP4rev2.Idle(w, stop)
}

// Seen counts the e-mails that are marked as seen, and all.
func (m *Mailbox) Seen() (seen, all int) {
	m.t.Helper()
	status, err := m.user.Status(inbox, &imap.StatusOptions{NumMessages: true, NumUnseen: true})
	if err != nil {
		m.t.Fatal(err)
	}
	return int(*status.NumMessages - *status.NumUnseen), int(*status.NumMessages)
}

// Anew empties the mailbox, whose e-mails get other numbers from now on.
func (m *Mailbox) Anew() {
	m.t.Helper()
	if err := m.user.Delete(inbox); err != nil {
		m.t.Fatal(err)
	}
	if err := m.user.Create(inbox, nil); err != nil {
		m.t.Fatal(err)
	}
}

// Break breaks each line after so many bytes that the server sent; 0 for never.
func (m *Mailbox) Break(after int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cut = after
}

type breaking struct {
	net.Listener
	m *Mailbox
}

// Accept implements [net.Listener].
func (b breaking) Accept() (net.Conn, error) {
	conn, err := b.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &breakable{Conn: conn, m: b.m}, nil
}

type breakable struct {
	net.Conn
	m    *Mailbox
	sent int
}

// Write implements [net.Conn].
func (c *breakable) Write(p []byte) (int, error) {
	c.m.mu.Lock()
	cut := c.m.cut
	c.m.mu.Unlock()
	c.sent += len(p)
	if over := c.sent - cut; cut > 0 && over > 0 {
		n, _ := c.Conn.Write(p[:max(0, len(p)-over)])
		c.Conn.Close()
		return n, io.ErrClosedPipe
	}
	return c.Conn.Write(p)
}
