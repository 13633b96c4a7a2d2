package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/smtp"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// dovecot has the mailbox to which Postfix delivers: nothing of the machine's configuration is
// touched.
type dovecot struct {
	t   *testing.T
	box string // the mailbox's folder on the disk
	url string // for IMAP_URL, with TLS
	uid int
	seq int
}

const dovecotConf = `protocols = imap
listen = 127.0.0.1
base_dir = %[1]s/run
log_path = %[1]s/dovecot.log
ssl = required
ssl_cert = <%[2]s/cert.pem
ssl_key = <%[2]s/key.pem
mail_location = maildir:%[2]s/mail/shop
first_valid_uid = 1
default_vsz_limit = 0
passdb {
  driver = static
  args = password=p@ss/word
}
userdb {
  driver = static
  args = uid=%[3]s gid=%[4]s home=%[1]s/home
}
service imap-login {
  chroot =
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = %[5]s
    ssl = yes
  }
}
service anvil {
  chroot =
}
`

// startDovecot starts Dovecot on the mailbox of a Postfix until the test ends.
func startDovecot(t *testing.T, p *postfix) *dovecot {
	t.Helper()
	program, err := exec.LookPath("dovecot")
	if err != nil {
		program = "/usr/sbin/dovecot" // not in everybody's PATH
	}
	owner, err := user.Lookup("postfix")
	if err == nil {
		_, err = user.Lookup("dovecot")
	}
	if err != nil {
		t.Fatal("this test needs Postfix and Dovecot: run it by `make test`, which installs them")
	}
	d := &dovecot{t: t, box: filepath.Join(p.dir, "mail", "shop")}
	d.uid, _ = strconv.Atoi(owner.Uid)
	dir, port := filepath.Join(p.dir, "imap"), freePort(t)
	for _, folder := range []string{dir, filepath.Join(dir, "home"), d.box, filepath.Join(d.box, "new"), filepath.Join(d.box, "cur"), filepath.Join(d.box, "tmp")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(folder, d.uid, -1); err != nil {
			t.Fatal(err)
		}
	}
	p.write("imap/dovecot.conf", fmt.Sprintf(dovecotConf, dir, p.dir, owner.Uid, owner.Gid, port))
	d.url = "imaps://shop:p%40ss%2Fword@localhost:" + port
	server := exec.Command(program, "-F", "-c", filepath.Join(dir, "dovecot.conf"))
	var said strings.Builder
	server.Stdout, server.Stderr = &said, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt) // its end says whether that worked
		_ = server.Wait()
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(dir, "dovecot.log"))
			t.Logf("Dovecot: %s%s", said.String(), log)
		}
	})
	listening(t, "Dovecot", port)
	return d
}

// put lets an e-mail arrive, as Postfix does.
func (d *dovecot) put(text string) {
	d.t.Helper()
	d.seq++
	name := fmt.Sprintf("%d.test", d.seq)
	from := filepath.Join(d.box, "tmp", name)
	err := os.WriteFile(from, []byte(text), 0o644)
	if err == nil {
		err = os.Chown(from, d.uid, -1)
	}
	if err == nil {
		err = os.Rename(from, filepath.Join(d.box, "new", name))
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// kept counts the e-mails that are in the mailbox, and those that somebody has seen.
func (d *dovecot) kept() (all, seen int) {
	d.t.Helper()
	for _, folder := range []string{"new", "cur"} {
		files, err := os.ReadDir(filepath.Join(d.box, folder))
		if err != nil {
			d.t.Fatal(err)
		}
		for _, f := range files {
			all++
			if _, flags, _ := strings.Cut(f.Name(), ":2,"); strings.Contains(flags, "S") {
				seen++
			}
		}
	}
	return all, seen
}

// mail gives an e-mail to Postfix, as another server does.
func (p *postfix) mail(from, to, text string) {
	p.t.Helper()
	certificate, err := os.ReadFile(p.certificate)
	if err != nil {
		p.t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(certificate)
	line, err := tls.Dial("tcp", strings.TrimPrefix(p.url, "smtps://"), &tls.Config{RootCAs: trusted, ServerName: "localhost"})
	if err != nil {
		p.t.Fatal(err)
	}
	client, err := smtp.NewClient(line, "localhost")
	if err != nil {
		p.t.Fatal(err)
	}
	defer client.Close()
	step := func(err error) {
		p.t.Helper()
		if err != nil {
			p.t.Fatal(err)
		}
	}
	step(client.Mail(from))
	step(client.Rcpt(to))
	body, err := client.Data()
	step(err)
	_, err = body.Write([]byte(text))
	step(err)
	step(body.Close())
	step(client.Quit())
}
