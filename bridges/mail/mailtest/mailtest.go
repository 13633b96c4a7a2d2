// Package mailtest is a mail server for tests: it takes letters as RFC 5321 asks, keeps them,
// and fails as it is told.
package mailtest

import (
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/textproto"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// The name and the password that the server accepts.
const (
	Name     = "relay"
	Password = "p@ss/word%"
)

// Letter is one that arrived.
type Letter struct {
	From, To   string // of the envelope
	Header     mail.Header
	Text, HTML string
	Images     map[string]string // their types and contents, by the ids that the HTML has
}

// Faults are what the server does instead of taking a letter; nil is nothing.
type Faults struct {
	From, To, Data *smtp.SMTPError
	// Cut ends the line where the answer to a whole letter should come.
	Cut bool
}

// Server is a running mail server.
type Server struct {
	Addr string // host and port
	t    testing.TB

	mu      sync.Mutex
	faults  Faults
	letters []Letter
	lines   int
	accepts Accepts
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Addr: listener.Addr().String(), t: t}
	server := smtp.NewServer(s)
	server.Domain = "mail.test"
	server.AllowInsecureAuth = true
	go server.Serve(listener) // ends with Close
	t.Cleanup(func() { server.Close() })
	return s
}

// URL is the server's address as a setting, with its name and password.
func (s *Server) URL() string { return "smtp://" + Name + ":p%40ss%2Fword%25@" + s.Addr }

// Accept offers XOAUTH2 to those who may sign in with a token.
func (s *Server) Accept(a Accepts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accepts = a
}

// URLOf is the server's address as a setting, with a name and no password.
func (s *Server) URLOf(name string) string { return "smtp://" + url.User(name).String() + "@" + s.Addr }

// Fail makes the server fail from now on.
func (s *Server) Fail(f Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

// Letters returns what arrived so far.
func (s *Server) Letters() []Letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Letter(nil), s.letters...)
}

// Lines counts the connections so far.
func (s *Server) Lines() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines
}

// NewSession implements [smtp.Backend].
func (s *Server) NewSession(c *smtp.Conn) (smtp.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines++
	return &session{server: s, line: c}, nil
}

type session struct {
	server   *Server
	line     *smtp.Conn
	from, to string
	signedIn bool
}

func (n *session) AuthMechanisms() []string {
	if n.accepts() != nil {
		return []string{sasl.Plain, XOAUTH2}
	}
	return []string{sasl.Plain}
}

func (n *session) accepts() Accepts {
	n.server.mu.Lock()
	defer n.server.mu.Unlock()
	return n.server.accepts
}

func (n *session) Auth(way string) (sasl.Server, error) {
	if accepts := n.accepts(); way == XOAUTH2 && accepts != nil {
		return &tokenServer{refusal: &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 139}, Message: "Authentication unsuccessful, SmtpClientAuthentication is disabled for the Mailbox"},
			accepts: func(name, access string) bool {
				n.signedIn = accepts(name, access)
				return n.signedIn
			}}, nil
	}
	return sasl.NewPlainServer(func(_, name, password string) error {
		if n.signedIn = name == Name && password == Password; !n.signedIn {
			return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "Wrong name or password"}
		}
		return nil
	}), nil
}

func (n *session) now() Faults {
	n.server.mu.Lock()
	defer n.server.mu.Unlock()
	return n.server.faults
}

// fault keeps a nil pointer from becoming an error.
func fault(e *smtp.SMTPError) error {
	if e == nil {
		return nil
	}
	return e
}

func (n *session) Mail(from string, _ *smtp.MailOptions) error {
	if !n.signedIn {
		return &smtp.SMTPError{Code: 530, EnhancedCode: smtp.EnhancedCode{5, 7, 0}, Message: "Sign in first"}
	}
	n.from = from
	return fault(n.now().From)
}

func (n *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if n.to != "" {
		n.server.t.Errorf("a second recipient: %s after %s", to, n.to)
	}
	n.to = to
	return fault(n.now().To)
}

func (n *session) Data(r io.Reader) error {
	letter, err := read(r)
	if err != nil {
		n.server.t.Errorf("a letter that nobody can read: %v", err)
	}
	f := n.now()
	if f.Data != nil {
		return f.Data
	}
	letter.From, letter.To = n.from, n.to
	n.server.mu.Lock()
	n.server.letters = append(n.server.letters, letter)
	n.server.mu.Unlock()
	if f.Cut {
		n.line.Conn().Close()
		return errors.New("cut")
	}
	return nil
}

func (n *session) Reset()        { n.from, n.to = "", "" }
func (n *session) Logout() error { return nil }

// read takes a letter apart: a plain text, the same as HTML, and the images in it.
func read(r io.Reader) (l Letter, err error) {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return l, err
	}
	l.Header, l.Images = m.Header, map[string]string{}
	return l, l.read(textproto.MIMEHeader(m.Header), m.Body)
}

// read reads a part of a letter.
func (l *Letter) read(header textproto.MIMEHeader, body io.Reader) error {
	kind, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return err
	}
	if strings.HasPrefix(kind, "multipart/") {
		parts := multipart.NewReader(body, parameters["boundary"])
		for {
			part, err := parts.NextRawPart()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err == nil {
				err = l.read(part.Header, part)
			}
			if err != nil {
				return err
			}
		}
	}
	data, err := decoded(body, header.Get("Content-Transfer-Encoding"))
	switch text := strings.ReplaceAll(data, "\r\n", "\n"); {
	case kind == "text/html":
		l.HTML = text
	case kind == "text/plain":
		l.Text = text
	default:
		l.Images[strings.Trim(header.Get("Content-Id"), "<>")] = kind + " " + data
	}
	return err
}

func decoded(r io.Reader, encoding string) (string, error) {
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		r = quotedprintable.NewReader(r)
	case "base64":
		r = base64.NewDecoder(base64.StdEncoding, r)
	}
	data, err := io.ReadAll(r)
	return string(data), err
}
