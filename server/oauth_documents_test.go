package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/relay-chat/relay/bridges/webhook"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/oauth"
)

// documents are what programs say of themselves, by their addresses. What is not among them is
// fetched as relay does it.
type documents struct {
	mu   sync.Mutex
	said map[string]string
	read int
}

func (d *documents) say(address, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.said == nil {
		d.said = map[string]string{}
	}
	d.said[address] = text
}

func (d *documents) Open(ctx context.Context, address string) (io.ReadCloser, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.read++
	text, is := d.said[address]
	switch {
	case !is:
		return webhook.NewPublicFetcher(oauth.MaxDocument).Open(ctx, address)
	case text == "":
		return nil, errors.New("the file's server answered 404 Not Found")
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

const (
	documentedAt = "https://assistant.test/client.json"
	documented   = `{"client_id": "` + documentedAt + `", "client_name": "Robin <b>&amp;", "redirect_uris": ["javascript:alert(1)", "` + callback + `"],
		"grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"], "token_endpoint_auth_method": "none", "logo_uri": "https://assistant.test/x.png"}`
)

// TestDocumentedProgram: a program that has never registered connects by what it says of itself. It
// is fetched once, for who has signed in, and stored once somebody lets it in.
func TestDocumentedProgram(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		if server := s.must("GET", "/.well-known/oauth-authorization-server", "", nil); server.get("client_id_metadata_document_supported") != true {
			t.Errorf("the metadata is %s", server.body)
		}
		s.documents.say(documentedAt, documented)
		p := s.program(callback)
		p.id = documentedAt
		for _, path := range []string{"/oauth/authorize?", "/console/connect?"} {
			if a := s.call("GET", path+p.query(), "", nil); a.status != 200 && a.status != 303 || s.documents.read != 0 {
				t.Errorf("%s answers strangers %d, after %d documents", path, a.status, s.documents.read)
			}
		}
		cookie := s.signIn("Boss")
		page := string(s.call("GET", "/console/connect?"+p.query(), "", nil, "Cookie", cookie).body)
		for _, shown := range []string{`says so at <b dir="ltr">assistant.test</b>`, "Robin &lt;b&gt;&amp;amp;", "(127.0.0.1)"} {
			if !strings.Contains(page, shown) {
				t.Errorf("the page does not say %q: %s", shown, page)
			}
		}
		access, refresh := p.connected(cookie, "read")
		if got := s.opens(access); got != 200 || s.documents.read != 1 {
			t.Errorf("connected, it is answered %d, after %d documents", got, s.documents.read)
		}
		s.documents.say(documentedAt, "")
		if a := p.refresh(refresh); a.status != 200 || s.opens(a.text("access_token")) != 200 {
			t.Errorf("refreshed without its document, it is answered %s", a.body)
		}
		if keys := string(s.must("GET", "/api/admin/api-keys", secretKey, nil).body); !strings.Contains(keys, `"Robin \u003cb\u003e\u0026amp;"`) && !strings.Contains(keys, `"Robin <b>&amp;"`) {
			t.Errorf("the keys are %s", keys)
		}
		again := s.program(callback)
		again.id = documentedAt
		again.connected(cookie, "read") // the same program, a second time
	})
}

// TestDocumentChangesItsName: whoever says yes to one name lets no program of another one in.
func TestDocumentChangesItsName(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	cookie := s.signIn("Boss")
	p := s.program(callback)
	p.id = documentedAt
	s.documents.say(documentedAt, documented)
	answered := func(form url.Values) answer {
		form.Set("answer", "allow")
		form["scope"] = []string{"read"}
		return s.form("/console/connect", form, "Cookie", cookie)
	}
	shown := s.asked(p.query(), cookie)
	s.documents.say(documentedAt, strings.Replace(documented, "Robin", "Accounts", 1))
	for n := range 100 { // relay remembers so many, and then none of them
		other := *p
		other.id = fmt.Sprint(documentedAt, n)
		s.documents.say(other.id, strings.Replace(documented, documentedAt, other.id, 1))
		s.asked(other.query(), cookie)
	}
	a := answered(shown)
	if page := string(a.body); a.status != 409 || a.header.Get("Refresh") != "" || !strings.Contains(page, "Accounts") || !strings.Contains(page, "another name now") {
		t.Errorf("a changed name is answered %d %s", a.status, page)
	}
	if keys := string(s.must("GET", "/api/admin/api-keys", secretKey, nil).body); strings.Contains(keys, "Accounts") {
		t.Errorf("the keys are %s", keys)
	}
	if a := answered(s.asked(p.query(), cookie)); a.status != 200 || a.header.Get("Refresh") == "" {
		t.Errorf("the name that was shown is answered %d %s", a.status, a.body)
	}
}

// TestDocumentsOfStrangers: what is no right document of a program leads nobody anywhere.
func TestDocumentsOfStrangers(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	cookie := s.signIn("Boss")
	for n, text := range []string{
		"", "no JSON", "[]", "null", `{"client_id": 7}`,
		strings.Replace(documented, "assistant.test/client.json", "other.test/client.json", 1),
		strings.Replace(documented, callback, "https://assistant.test/another", 1),
		strings.Replace(documented, callback, "javascript:alert(2)", 1),
		strings.Replace(documented, `"none"`, `"private_key_jwt"`, 1),
		strings.Replace(documented, `"none"`, `"none", "client_secret": "x"`, 1),
		strings.Replace(documented, `"authorization_code", `, "", 1),
		strings.Replace(documented, `["code"]`, `["token"]`, 1),
		strings.Replace(documented, "Robin", "Ro\u200bbin", 1),
		strings.Replace(documented, `"javascript:alert(1)"`, strings.Repeat(`"https://a.test/x", `, 20)+`"https://a.test/x"`, 1),
	} {
		p := s.program(callback)
		p.id = fmt.Sprint(documentedAt, n)
		s.documents.say(p.id, strings.Replace(text, documentedAt, p.id, 1))
		s.leadsNowhere(p, cookie, text)
	}
	s.documents.say(documentedAt, documented)
	for _, id := range []string{
		"https://assistant.test", "https://assistant.test/", "https://assistant.test/../client.json", "https://assistant.test/./client.json", "https://a@assistant.test/client.json",
		"https://assistant.test/client.json#x", "https://Assistant.test/client.json", "https:///client.json", "https://assistant.test/<script>",
		"https://assist\u0430nt.test/client.json", "https://assistant.test/%2e%2e/client.json", "https://assistant.test/" + strings.Repeat("x", 500), "http://assistant.test/client.json",
		"https://127.0.0.1/client.json", "https://localhost/client.json", "https://[::1]/client.json", "https://10.0.0.1/client.json", "https://169.254.169.254/latest",
	} {
		p := s.program(callback)
		p.id = id
		s.leadsNowhere(p, cookie, id)
	}
	if n := s.documents.read; n != 14+5 { // those in private networks are refused when they are dialled
		t.Errorf("%d documents were asked for", n)
	}
}

// leadsNowhere checks that nobody can decide about a program.
func (s *site) leadsNowhere(p *program, cookie, what string) {
	s.t.Helper()
	a := s.call("GET", "/console/connect?"+p.query(), "", nil, "Cookie", cookie)
	if a.status != http.StatusBadRequest || a.header.Get("Refresh") != "" || strings.Contains(string(a.body), "<script>alert") || strings.Contains(string(a.body), `name="consent"`) {
		s.t.Errorf("%.200s is answered %d %.1000s", what, a.status, a.body)
	}
}
