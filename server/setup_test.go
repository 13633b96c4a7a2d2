package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/config"
)

// unset takes the preset keys away, so that the set-up window opens.
func unset(c *config.Config) { c.PublicKey, c.SecretKey = "", "" }

// code is the set-up code that relay prints when it starts.
func (s *site) code() string { return s.ring.SetupCode() }

// keys asks for the keys as a script does.
func (s *site) keys() (public, secret string) {
	a := s.call("GET", "/", "", nil, "Accept", "application/json")
	return a.text("publicKey"), a.text("secretKey")
}

func TestFirstRunShowsTheKeysToThisMachineOnly(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		public, secret := s.keys()
		if !strings.HasPrefix(public, "pk_") || !strings.HasPrefix(secret, "sk_") || len(secret) < 35 {
			t.Fatalf("keys %q %q", public, secret)
		}
		page := s.must("GET", "/", "", nil)
		for _, want := range []string{public, secret, "/widget.js", "/demo", "/console"} {
			if !strings.Contains(string(page.body), want) {
				t.Errorf("the page does not show %s", want)
			}
		}
		const hint = "on this machine only"
		if a := s.foreignHost("chat.example.com"); !strings.Contains(string(page.body), hint) || strings.Contains(string(a.body), hint) {
			t.Error("only a snippet that leads to this machine is said to do so")
		}
		for _, header := range [][2]string{{"X-Forwarded-For", "203.0.113.7"}, {"X-Forwarded-For", ""},
			{"Forwarded", "for=1.2.3.4"}, {"X-Forwarded-Port", "443"}, {"Cf-Connecting-Ip", "1.2.3.4"}, {"CF-Ray", "8f1"}, {"True-Client-IP", "1.2.3.4"}} {
			if a := s.call("GET", "/", "", nil, header[0], header[1]); strings.Contains(string(a.body), secret) {
				t.Errorf("a request forwarded with %s sees the secret key", header[0])
			}
		}
		if a := s.foreignHost("evil.test"); strings.Contains(string(a.body), secret) || !strings.Contains(string(a.body), public) {
			t.Error("a foreign Host must see the public key only")
		}
		s.must("GET", "/api/admin/settings", secret, nil)
		if _, still := s.keys(); still != secret {
			t.Error("an admin call from this machine closed the window")
		}
		if a := s.call("POST", "/setup/done", "", nil, "Sec-Fetch-Site", "cross-site"); a.status != http.StatusForbidden {
			t.Errorf("a foreign site closed the window: %d", a.status)
		}
		if a := s.call("POST", "/setup/done", "", nil); a.status != http.StatusSeeOther {
			t.Errorf("POST /setup/done: %d", a.status)
		}
		if _, gone := s.keys(); gone != "" {
			t.Error("the secret key is shown after it was saved")
		}
		s.must("GET", "/api/admin/settings", secret, nil)
		if strings.Contains(s.logs.String(), secret) {
			t.Error("the secret key is in the log")
		}
	}, unset)
}

// foreignHost asks for / as a page does whose name was bound to this machine.
func (s *site) foreignHost(host string) answer {
	req, _ := http.NewRequestWithContext(s.t.Context(), "GET", s.url+"/", nil)
	req.Host = host
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	var body strings.Builder
	buf := make([]byte, 1<<16)
	for n, err := resp.Body.Read(buf); n > 0 || err == nil; n, err = resp.Body.Read(buf) {
		body.Write(buf[:n])
	}
	return answer{resp.StatusCode, resp.Header, []byte(body.String())}
}

func TestSetupCode(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		if _, secret := s.keys(); secret != "" {
			t.Fatal("RELAY_SETUP=code shows the secret key without the code")
		}
		right := s.must("GET", "/?setup="+strings.ToLower(s.code()), "", nil)
		if !strings.Contains(string(right.body), "sk_") || !strings.Contains(right.header.Get("Set-Cookie"), "HttpOnly; SameSite=Strict") {
			t.Errorf("the right code does not show the secret key, or sets %q", right.header.Get("Set-Cookie"))
		}
		for range 30 {
			if a := s.must("GET", "/?setup=AAAA-BBBB-CCCC", "", nil); strings.Contains(string(a.body), "sk_") || !strings.Contains(string(a.body), "not the set-up code") {
				t.Fatal("a wrong code is not told, or opens the page")
			}
		}
		if a := s.must("GET", "/?setup="+s.code(), "", nil); !strings.Contains(string(a.body), "sk_") {
			t.Error("somebody's wrong codes closed the window for who has the right one")
		}
	}, unset, func(c *config.Config) { c.Setup = config.SetupCode })
}

// TestSetupOverOldHTTP: a proxy that speaks HTTP/1.0 and adds no header makes nobody a
// neighbour.
func TestSetupOverOldHTTP(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), unset)
	for version, want := range map[string]bool{"HTTP/1.1": true, "HTTP/1.0": false} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET / %s\r\nHost: localhost\r\nAccept: application/json\r\nConnection: close\r\n\r\n", version)
		answer, err := io.ReadAll(conn)
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
		if shown := strings.Contains(string(answer), "secretKey"); shown != want {
			t.Errorf("over %s the secret key is shown: %t", version, shown)
		}
	}
}

func TestAdminCallFromElsewhereClosesTheWindow(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		_, secret := s.keys()
		s.must("GET", "/api/admin/settings", secret, nil, "X-Forwarded-For", "203.0.113.7")
		if _, gone := s.keys(); gone != "" {
			t.Error("the secret key is still shown")
		}
	}, unset)
}

func TestPresetAndOffShowNothing(t *testing.T) {
	for name, configure := range map[string]func(*config.Config){
		"preset": func(*config.Config) {},
		"off":    func(c *config.Config) { unset(c); c.Setup = config.SetupOff },
	} {
		t.Run(name, func(t *testing.T) {
			eachSite(t, func(t *testing.T, s *site) {
				if public, secret := s.keys(); secret != "" || !strings.HasPrefix(public, "pk_") {
					t.Errorf("keys %q %q", public, secret)
				}
			}, configure)
		})
	}
}

func TestConsoleSignIn(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		form := []string{"Content-Type", "application/x-www-form-urlencoded"}
		if a := s.call("POST", "/console/login", "", "name=Olga+%22&key=wrong", form...); a.status != 401 || a.header.Get("Set-Cookie") != "" ||
			!strings.Contains(string(a.body), `value="Olga &#34;"`) {
			t.Errorf("a wrong key: %d", a.status)
		}
		if a := s.call("POST", "/console/login", "", "name=Olga&key="+secretKey, append(form, "Sec-Fetch-Site", "cross-site")...); a.status != 401 {
			t.Errorf("a foreign form: %d", a.status)
		}
		a := s.call("POST", "/console/login", "", "name=Olga&key="+secretKey, form...)
		cookie := a.header.Get("Set-Cookie")
		if a.status != http.StatusSeeOther || !strings.Contains(cookie, "HttpOnly; SameSite=Strict") {
			t.Fatalf("sign-in: %d %q", a.status, cookie)
		}
		cookie, _, _ = strings.Cut(cookie, ";")
		if page := s.must("GET", "/console", "", nil, "Cookie", cookie); !strings.Contains(string(page.body), "Olga") {
			t.Error("the console does not greet Olga")
		}
		id := s.open("v")
		post := "/api/admin/sessions/" + id + "/messages"
		m := s.must("POST", post, "", object{"content": "hi"}, "Cookie", cookie)
		if m.text("operatorName") != "Olga" || m.text("sourceBridge") != "console" {
			t.Errorf("message: %s", m.body)
		}
		s.refused(s.call("POST", post, "", object{"content": "hi"}, "Cookie", cookie, "Sec-Fetch-Site", "cross-site"), 403, "Forbidden")
	})
}

// TestConsoleGuessing: who guesses the secret key at the console is slowed down
// like one who guesses at the API.
func TestConsoleGuessing(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), func(c *config.Config) {
		c.RateLimit, c.TrustedProxies = true, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	try := func(key string) answer {
		return s.call("POST", "/console/login", "", "name=Eve&key="+key, "Content-Type", "application/x-www-form-urlencoded", "X-Forwarded-For", "203.0.113.7")
	}
	for range 10 {
		if a := try("wrong"); a.status != http.StatusUnauthorized {
			t.Fatalf("a wrong key: %d", a.status)
		}
	}
	if a := try("wrong"); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "60" {
		t.Errorf("one wrong key too many: %d, Retry-After %q", a.status, a.header.Get("Retry-After"))
	}
	if n := strings.Count(s.logs.String(), "wrong secret key at the console"); n != 10 {
		t.Errorf("%d lines in the log, want 10", n)
	}
	if a := try(secretKey); a.status != http.StatusSeeOther {
		t.Errorf("the right key: %d", a.status)
	}
}
