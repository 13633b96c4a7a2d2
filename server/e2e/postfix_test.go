package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/mail"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// postfix is a mail server of its own: nothing of the machine's configuration is touched. It
// keeps what is for customer.example, but for nobody@customer.example.
type postfix struct {
	t           *testing.T
	dir         string
	url         string // for SMTP_URL, with TLS
	certificate string // a file, whom relay has to trust
}

const postfixMain = `compatibility_level = 3.6
queue_directory = %[1]s/spool
data_directory = %[1]s/data
myhostname = mail.test
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mydestination =
mynetworks =
virtual_mailbox_domains = customer.example, shop.example
virtual_mailbox_base = %[1]s/mail
virtual_mailbox_maps = regexp:%[1]s/boxes
virtual_uid_maps = static:%[2]s
virtual_gid_maps = static:%[3]s
virtual_minimum_uid = 1
smtpd_relay_restrictions = reject_unauth_destination
smtpd_client_connection_rate_limit = 0
smtpd_tls_cert_file = %[1]s/cert.pem
smtpd_tls_key_file = %[1]s/key.pem
smtpd_tls_security_level = may
maillog_file = %[1]s/mail.log
maillog_file_prefixes = %[1]s
`

const postfixMaster = `127.0.0.1:%s inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
postlog unix-dgram n - n - 1 postlogd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
virtual unix - n n - - virtual
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
tlsmgr unix - - n 1000? 1 tlsmgr
proxymap unix - - n - - proxymap
`

// startPostfix starts Postfix until the test ends. It runs as root alone.
func startPostfix(t *testing.T) *postfix {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("Postfix runs as root only: run this test as root")
	}
	program, err := exec.LookPath("postfix")
	if err != nil {
		program = "/usr/sbin/postfix" // not in everybody's PATH
	}
	owner, err := user.Lookup("postfix")
	if err != nil {
		t.Fatal("this test needs Postfix: run it by `make test`, which installs it")
	}
	p := &postfix{t: t, dir: t.TempDir()}
	for folder := p.dir; len(folder) > len(os.TempDir()); folder = filepath.Dir(folder) { // Postfix's own user has to get there
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	uid, _ := strconv.Atoi(owner.Uid)
	for _, name := range []string{"spool", "data", "mail"} {
		if err := os.Mkdir(filepath.Join(p.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"data", "mail"} {
		if err := os.Chown(filepath.Join(p.dir, name), uid, -1); err != nil {
			t.Fatal(err)
		}
	}
	port := freePort(t)
	p.url, p.certificate = "smtps://localhost:"+port, filepath.Join(p.dir, "cert.pem")
	p.certify()
	p.write("main.cf", fmt.Sprintf(postfixMain, p.dir, owner.Uid, owner.Gid))
	p.write("master.cf", fmt.Sprintf(postfixMaster, port))
	p.write("boxes", "if !/^nobody@/\n/^[^@]*@customer\\.example$/ all/\nendif\n/^chat\\+[^@]*@shop\\.example$/ shop/\n")
	if out, err := exec.Command(program, "-c", p.dir, "start").CombinedOutput(); err != nil {
		log, _ := os.ReadFile(filepath.Join(p.dir, "mail.log"))
		t.Fatalf("Postfix: %v\n%s%s", err, out, log)
	}
	t.Cleanup(func() {
		if out, err := exec.Command(program, "-c", p.dir, "stop").CombinedOutput(); err != nil {
			t.Errorf("Postfix does not stop: %v\n%s", err, out)
		}
	})
	listening(t, "Postfix", port)
	return p
}

// listening waits until a server answers at a port.
func listening(t *testing.T, name, port string) {
	t.Helper()
	eventually(t, name, func() bool {
		line, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			line.Close()
		}
		return err == nil
	})
}

func (p *postfix) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// certify makes a key and a certificate for localhost.
func (p *postfix) certify() {
	p.t.Helper()
	certificate, key := certificateOf(p.t, "localhost")
	p.write("cert.pem", string(certificate))
	p.write("key.pem", string(key))
}

// certificateOf makes a certificate for hosts, and its key.
func certificateOf(t *testing.T, hosts ...string) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: hosts[0]}, DNSNames: hosts, IsCA: true,
		BasicConstraintsValid: true, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	made, err := x509.CreateCertificate(rand.Reader, form, form, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

// arrived reads what is in the mailbox: what Postfix has taken may take a moment to get there.
func (p *postfix) arrived() (list []*mail.Message) {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.dir, "mail", "all", "new", "*"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			p.t.Fatal(err)
		}
		m, err := mail.ReadMessage(strings.NewReader(string(text)))
		if err != nil {
			p.t.Fatalf("%v in\n%s", err, text)
		}
		list = append(list, m)
	}
	return list
}

// waiting counts what Postfix has taken and not yet put into the mailbox.
func (p *postfix) waiting() (n int) {
	for _, queue := range []string{"maildrop", "incoming", "active", "deferred"} {
		_ = filepath.WalkDir(filepath.Join(p.dir, "spool", queue), func(_ string, entry os.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				n++
			}
			return nil // what is just going away counts next time, or never
		})
	}
	return n
}
