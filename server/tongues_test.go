package server_test

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/relay-chat/relay/assets"
	catalogs "github.com/relay-chat/relay/assets/build/texts"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// english are the texts of a page, and what relay fills into any, which have another form in German.
func english(t *testing.T, page string) []string {
	t.Helper()
	source, err := assets.File(page)
	if err != nil {
		t.Fatal(err)
	}
	texts := catalogs.PageTexts(string(source))
	filled, err := catalogs.Pages("../assets/console/lang")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range filled {
		if assets.Say("de", text) != text {
			texts = append(texts, text)
		}
	}
	return texts
}

// isGerman checks that an answer is a page in German without a text in English, and says something.
func (s *site) isGerman(a answer, page, says string) {
	s.t.Helper()
	body := string(a.body)
	if !strings.Contains(body, `<html lang="de">`) || !strings.Contains(html.UnescapeString(body), says) {
		s.t.Errorf("%s answers %d without %q: %s", page, a.status, says, body)
	}
	shown := strings.Join(catalogs.PageTexts(body), "\n")
	for _, text := range english(s.t, page) {
		for line := range strings.SplitSeq(shown, "\n") {
			if line == text && len(text) > 5 {
				s.t.Errorf("%s says %q", page, text)
			}
		}
	}
}

// TestPagesInGerman: relay's own pages speak the browser's language, with what relay fills in.
func TestPagesInGerman(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), unset, func(c *config.Config) { c.Setup = config.SetupCode })
	german := []string{"Accept", "text/html", "Accept-Language", "de-DE,de;q=0.9", "Content-Type", "application/x-www-form-urlencoded"}
	get := func(path string) answer { return s.call("GET", path, "", nil, german...) }
	s.isGerman(get("/"), "locked.html", "relay hat beim Start einen Einrichtungscode")
	s.isGerman(get("/?setup=AAAA-BBBB-CCCC"), "locked.html", "Das ist nicht der Einrichtungscode.")
	s.isGerman(get("/?setup="+s.code()), "setup.html", "Schreiben Sie die erste Nachricht.")
	s.isGerman(s.call("POST", "/setup/done", "", nil, append(german, "Sec-Fetch-Site", "cross-site")...), "error.html", "von einer anderen Website gesendet")
	s.ring.CloseSetup("the test has seen it")
	s.isGerman(get("/"), "status.html", "relay läuft")
	s.isGerman(get("/nowhere"), "error.html", "Diese Seite gibt es nicht.")
	s.isGerman(get("/console/consent?state=x&code=y"), "consent.html", "Die Konsole öffnet sich jetzt.")
	s.isGerman(get("/console/consent"), "error.html", "Ungültige Anfrage")
	s.isGerman(get("/console/sign-on"), "login.html", "Single Sign-on ist hier nicht eingerichtet.")
	for form, says := range map[string]string{
		"name=Olga&key=wrong":                "Das ist nicht der geheime Schlüssel.",
		"email=a@example.com&password=wrong": "gehören nicht zusammen",
		"name=&key=wrong":                    "höchstens 60 Zeichen",
	} {
		s.isGerman(s.call("POST", "/console/login", "", form, german...), "login.html", says)
	}
}

// TestPagesFollowThePerson: who is signed in gets the language that they chose, whatever the browser prefers.
func TestPagesFollowThePerson(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	cookie := s.cookieOf("Mia", chat.RoleOperator)
	if a := s.call("PATCH", "/api/admin/me", "", object{"preferences": object{"language": "de"}}, "Cookie", cookie); a.status != http.StatusOK {
		t.Fatal(a)
	}
	a := s.call("GET", "/nowhere", "", nil, "Accept", "text/html", "Accept-Language", "fr", "Cookie", cookie)
	s.isGerman(a, "error.html", "Diese Seite gibt es nicht.")
}

// TestConnectingInGerman: whoever lets a program in reads what they allow.
func TestConnectingInGerman(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	s.documents.say(documentedAt, documented)
	p := s.program(callback)
	p.id = documentedAt
	cookie := s.signIn("Boss")
	german := []string{"Accept-Language", "de", "Cookie", cookie}
	s.isGerman(s.call("GET", "/oauth/authorize?"+p.query(), "", nil, german...), "connected.html", "relay fragt Sie jetzt")
	page := s.call("GET", "/console/connect?"+p.query(), "", nil, german...)
	for _, says := range []string{"erlauben, relay zu nutzen?", "Konversationen lesen und durchsuchen, Statistik sehen", "Das sagt es unter", "auf dem Computer, den Sie benutzen"} {
		s.isGerman(page, "connect.html", says)
	}
	form := url.Values{"answer": {"allow"}}
	for _, field := range hidden.FindAllStringSubmatch(string(page.body), -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	s.isGerman(s.form("/console/connect", form, german...), "connect.html", "Kreuzen Sie an, was das Programm darf.")
	s.isGerman(s.form("/console/connect", url.Values{"consent": {"x"}}, german...), "error.html", "Beginnen Sie im Programm von vorn.")
	form["scope"], form["site"] = []string{"read"}, []string{s.Engine.Sites().In(nil)[0].PublicID()}
	s.isGerman(s.form("/console/connect", form, german...), "connected.html", "Sie können diese Seite schließen")
	s.isGerman(s.call("GET", "/console/connect?client_id="+url.QueryEscape(p.id)+"&redirect_uri=x", "", nil, german...), "error.html", "hat einen Fehler gemacht")
}

// TestSignOnFailsInGerman: what a provider did not do is said with its name.
func TestSignOnFailsInGerman(t *testing.T) {
	s := newSignOn(t, dbtest.Memory(t), object{"oidcName": "Example"})
	german := []string{"Accept-Language", "de"}
	s.isGerman(s.call("GET", "/console/sign-on/return?state=x&code=y", "", nil, german...), "login.html", "in einem anderen Browser oder Tab begonnen")
	cookie, back := s.begin()
	at, err := url.Parse(back)
	if err != nil {
		t.Fatal(err)
	}
	query := url.Values{"state": at.Query()["state"], "error": {"access_denied"}}
	denied := s.call("GET", at.Path+"?"+query.Encode(), "", nil, append(german, "Cookie", cookie)...)
	s.isGerman(denied, "login.html", "Example hat Sie nicht angemeldet. Bitte klicken Sie noch einmal auf die Schaltfläche.")
	s.must("PATCH", "/api/admin/settings", secretKey, object{"oidcName": "", "oidcIssuer": "http://127.0.0.1:1"})
	s.isGerman(s.call("GET", "/console/sign-on", "", nil, german...), "login.html", "Single Sign-on ist im Moment nicht erreichbar.")
}
