package e2e

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/assets/browsertest"
	"github.com/relay-chat/relay/bridges/mail/mailtest"
)

// google is a provider at Google's addresses, for a relay and a browser that go there by it.
type google struct {
	*mailtest.Provider
	addr        string // of both hosts
	proxy       string // leads every connection there
	certificate string // a file, whom relay has to trust
}

func startGoogle(t *testing.T) *google {
	t.Helper()
	g := &google{Provider: mailtest.NewProvider(t), certificate: filepath.Join(t.TempDir(), "cert.pem")}
	certificate, key := certificateOf(t, "accounts.google.com", "oauth2.googleapis.com")
	pair, err := tls.X509KeyPair(certificate, key)
	if err == nil {
		err = os.WriteFile(g.certificate, certificate, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(g.routes(t))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	server.StartTLS()
	t.Cleanup(server.Close)
	g.addr = server.Listener.Addr().String()
	proxy := httptest.NewServer(http.HandlerFunc(g.tunnel))
	t.Cleanup(proxy.Close)
	g.proxy = proxy.URL
	return g
}

// routes are Google's pages: the first one has a link, so that it is Google who leads back.
func (g *google) routes(t *testing.T) http.Handler {
	token, err := url.Parse(strings.TrimSuffix(g.TokenURL, "/token"))
	if err != nil {
		t.Fatal(err)
	}
	routes := http.NewServeMux()
	routes.HandleFunc("accounts.google.com/o/oauth2/auth", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>Google</title><link rel="icon" href="data:,"><a id="agree" href="/agree?%s">Agree</a>`, html.EscapeString(r.URL.RawQuery))
	})
	routes.HandleFunc("accounts.google.com/agree", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, g.AuthURL+"?"+r.URL.RawQuery, http.StatusFound)
	})
	routes.Handle("oauth2.googleapis.com/token", httputil.NewSingleHostReverseProxy(token))
	return routes
}

// tunnel is a proxy by which every host is this one.
func (g *google) tunnel(w http.ResponseWriter, r *http.Request) {
	there, err := net.Dial("tcp", g.addr)
	if err != nil || r.Method != http.MethodConnect {
		http.Error(w, "no", http.StatusBadGateway)
		return
	}
	defer there.Close()
	// The answer goes out after the connection was taken over, and what came is read through its buffer:
	// whoever is told "OK" sends at once, and net/http may have read ahead by then.
	here, ahead, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	if _, err := io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	go func() { _, _ = io.Copy(there, ahead); there.Close() }()
	_, _ = io.Copy(here, there)
}

// browser starts a browser that finds Google here.
func (g *google) browser(t *testing.T) *fixture {
	t.Helper()
	browser, err := browsertest.Start(chromedp.Flag("lang", "en-GB"), chromedp.Flag("ignore-certificate-errors", true),
		chromedp.Flag("host-resolver-rules", "MAP accounts.google.com:443 "+g.addr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := chromedp.Cancel(browser); err != nil {
			t.Errorf("stopping Chromium: %v", err)
		}
	})
	return &fixture{browser: browser}
}

// TestMailConsent: an administrator signs in at Google by a click, and relay sends and reads without a
// password; who does not agree reads why nothing was stored.
func TestMailConsent(t *testing.T) {
	t.Parallel()
	g, post, box, port := startGoogle(t), mailtest.New(t), mailtest.NewMailbox(t), freePort(t)
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	accepts := func(name, access string) bool { return name == "chat@shop.example" && g.Valid(access) }
	post.Accept(accepts)
	box.Accept(accepts, mailtest.XOAUTH2)
	base := "http://127.0.0.1:" + port
	s := g.browser(t)
	s.instance = launchAt(t, port, t.TempDir(), []string{"HOST=127.0.0.1", "PUBLIC_URL=" + base, "RELAY_PUBLIC_KEY=" + crashPublicKey, "RELAY_SECRET_KEY=" + crashSecretKey,
		"HTTPS_PROXY=" + g.proxy, "SSL_CERT_FILE=" + g.certificate})
	s.public, s.secret = crashPublicKey, crashSecretKey

	b := s.newOperator(t, "Ben")
	b.settings("mail", "E-mail")
	b.until(`text("#mail-state") === "Nothing is sent yet: it takes a server and a sender."`)
	b.click("#mail details summary")
	b.run(`Object.assign($("#mail details select"), {value: "2"}).dispatchEvent(new Event("change"))`)
	b.until(`!shown("#mail details [type=password]")`)
	b.enter(`#mail details input:not([type])`, "chat@shop.example")
	b.run(`$("#mail details .button").click()`)
	b.until(`$("[data-setting=smtpUrl] .input").value === "smtps://chat%%40shop.example@smtp.gmail.com:465"`)
	b.until(`$("[data-setting=mailOauth] select").value === "google" && text("#mail .copy code") === %s`, base+"/console/consent")
	b.enter(`[data-setting=smtpUrl] .input`, post.URLOf("chat@shop.example"))
	b.enter(`[data-setting=imapUrl] .input`, box.URLOf("chat@shop.example"))
	b.enter(`[data-setting=mailFrom] .input`, "Shop <chat@shop.example>")
	b.enter(`[data-setting=mailOauthClient] .input`, mailtest.Client)
	b.enter(`[data-setting=mailOauthSecret] .input`, mailtest.ClientSecret)
	b.until(`text("#consent .button") === "Save and sign in with Google"`)
	b.shot(folder, "mail-consent")

	agree := func() {
		b.click("#consent .button")
		b.until(`document.title === "Google" && $("#agree")`)
		b.click("#agree")
	}
	agree()
	b.until(`text("#consent > [role=status]").startsWith("Signed in.") && location.hash === "#/mail"`)
	b.until(`$("[data-setting=mailOauthToken] .input").placeholder.startsWith("••••")`)
	b.shot(folder, "mail-consent-done")
	b.until(`text("#mailbox-state").startsWith("The mailbox is read.")`)
	b.enter(`#mail input[type=email]`, "ben@shop.example")
	b.run(`$$("#mail .buttons .button").find((n) => n.textContent === "Send a test").click()`)
	b.until(`text("#mail-answer").startsWith("Sent The server took it after")`)
	if list := post.Letters(); len(list) != 1 || list[0].To != "ben@shop.example" {
		t.Errorf("the test sent %+v", list)
	}
	b.until(`text("#consent .button") === "Sign in with Google"`)
	g.Behave(mailtest.Rules{Deny: "access_denied"})
	agree()
	b.until(`text("#consent > [role=alert]").startsWith("Not signed in: Google does not let relay in: access_denied")`)
	b.until(`(({ top, bottom }) => top > 0 && bottom < innerHeight)($("#consent > [role=alert]").getBoundingClientRect())`)
	b.shot(folder, "mail-consent-denied")
	b.accessible("the page of e-mail without a password")
	for _, secret := range []string{"code-", "access-", "refresh-", mailtest.ClientSecret} {
		if log := s.stdout.String() + s.stderr.String(); strings.Contains(log, secret) {
			t.Errorf("the log has %s:\n%s", secret, log)
		}
	}
}
