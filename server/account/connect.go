package account

import (
	"cmp"
	"errors"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/oauth"
	"github.com/relay-chat/relay/server/web"
)

// connectPath is where somebody decides about a program.
const connectPath = "/console/connect"

// What a program asks for waits in a cookie while somebody signs in, and for the answer on the
// page, for connectLife.
const (
	connectCookie = "relay_connect"
	connectLife   = 10 * time.Minute
)

func waitingPrograms(k *keyring.Ring) keyring.Cookies {
	return k.Cookies("waiting program", connectLife)
}

func consents(k *keyring.Ring) keyring.Cookies {
	return k.Cookies("consent to a program", connectLife)
}

// consentTo is what a page's answer is for: this question, asked of this sign-in, about a program of
// this name.
func consentTo(by chat.Author, query, name string) string {
	return consentToAny(by, query) + chat.Hash(name)
}

func consentToAny(by chat.Author, query string) string {
	return by.SignIn + " " + chat.Hash(query) + " "
}

// authorize answers GET /oauth/authorize, where a program leads a browser to. It does nothing but
// lead on: browsers send the console's cookie only where relay itself leads.
func (s *oauthAPI) authorize(w http.ResponseWriter, r *http.Request) {
	if _, query := s.askedFor(w, r, r.URL.RawQuery, false); query != "" {
		s.lead(w, r, connectPath+"?"+query, s.Say(r, "One moment…"), s.Say(r, "relay asks you now whether the program may connect."))
	}
}

// lead leads the browser to another address. Content-Security-Policy lets no form do that.
func (s *oauthAPI) lead(w http.ResponseWriter, r *http.Request, to, title, text string) {
	w.Header().Set("Refresh", "0; url="+to)
	s.showWay(w, r, http.StatusOK, to, title, text, s.Say(r, "Go on"))
}

func (s *oauthAPI) showWay(w http.ResponseWriter, r *http.Request, status int, to, title, text, button string) {
	s.ShowWith(w, r, status, "connected.html", web.Slots{"Title": title, "Text": text, "Name": button}, web.Parts{"Href": []byte(`href="` + html.EscapeString(to) + `"`)})
}

// askedFor reads what a program asks for, and returns it with its query in one form. What nobody
// can decide about is answered, and "" returned. A document of a program is fetched only if somebody
// has signed in who decides; before, nothing is returned but the query.
func (s *oauthAPI) askedFor(w http.ResponseWriter, r *http.Request, raw string, signedIn bool) (q *oauth.Request, query string) {
	wrong := func(text string) (*oauth.Request, string) {
		s.ShowError(w, r, http.StatusBadRequest, text)
		return nil, ""
	}
	mistaken := func(refused *oauth.Refusal) (*oauth.Request, string) {
		return wrong(s.Say(r, "The program that led you here made a mistake: {what}.", "what", refused.Text))
	}
	values, err := readQuery(raw)
	if query = values.Encode(); err != nil || len(query) > oauth.MaxQuery {
		return wrong("The program that led you here has sent what relay cannot read.")
	}
	id, refused := oauth.ClientOf(values)
	if refused != nil {
		return mistaken(refused)
	}
	if oauth.IsDocument(id) && !signedIn {
		return nil, query
	}
	client, err := s.program(r, id)
	switch {
	case errors.Is(err, chat.ErrOAuthUnknown):
		return wrong("relay does not know this program, or not any more. Remove relay from it and connect it again.")
	case errors.As(err, &refused):
		return mistaken(refused)
	case err != nil:
		s.showAway(w, r, "read a program", err)
		return nil, ""
	}
	if q, refused = oauth.Begin(values, &client); refused != nil {
		return mistaken(refused)
	}
	if refused = q.Read(values, s.resource(r)); refused != nil { // who registers could lead anybody anywhere if relay went on by itself
		s.showWay(w, r, http.StatusBadRequest, q.Refuse(s.PagesURL(r), refused), s.Say(r, "It cannot connect"),
			s.Say(r, "The program “{name}” made a mistake: {what}.", "name", client.Name, "what", refused.Text), s.Say(r, "Back to {host}", "host", chat.RedirectHost(q.Redirect)))
		return nil, ""
	}
	return q, query
}

// program returns a program by its client_id.
func (s *oauthAPI) program(r *http.Request, id string) (chat.OAuthClient, error) {
	if oauth.IsDocument(id) {
		return s.described.client(r.Context(), id)
	}
	return s.team.Connections.Client(r.Context(), id)
}

// connectPage answers GET /console/connect: it asks, or has somebody sign in before.
func (s *oauthAPI) connectPage(w http.ResponseWriter, r *http.Request) {
	by, err := s.SignedIn(r)
	q, query := s.askedFor(w, r, r.URL.RawQuery, err == nil)
	switch {
	case query == "":
	case errors.Is(err, web.ErrUnauthorized):
		s.setCookie(w, r, connectCookie, waitingPrograms(s.Keys).Sign(s.hostCookie(r, connectCookie), query), int(connectLife/time.Second))
		http.Redirect(w, r, "/console", http.StatusSeeOther)
	case err != nil:
		s.showAway(w, r, "read who is signed in", err)
	default:
		s.ask(w, r, http.StatusOK, by, q, query, "")
	}
}

// waitingProgram is what a program asks for that waits in this browser for somebody to sign in.
func (s *consolePages) waitingProgram(r *http.Request) (query string, waits bool) {
	return waitingPrograms(s.Keys).Of(r, s.hostCookie(r, connectCookie))
}

// goOnConnecting leads whoever has signed in to the program that waits.
func (s *consolePages) goOnConnecting(w http.ResponseWriter, r *http.Request) bool {
	query, waits := s.waitingProgram(r)
	if waits {
		s.setCookie(w, r, connectCookie, "", -1)
		http.Redirect(w, r, connectPath+"?"+query, http.StatusSeeOther)
	}
	return waits
}

// loginHint says on the sign-in page what it is for.
func (s *consolePages) loginHint(r *http.Request) string {
	if _, waits := s.waitingProgram(r); waits {
		return "A program wants to connect to relay. Sign in to decide whether it may."
	}
	return "Answer your visitors from relay’s console."
}

// scopeWords say what a scope lets a program do, for whoever decides.
var scopeWords = map[chat.KeyScope]string{
	chat.ScopeRead:     "Read and search conversations, see statistics",
	chat.ScopeWrite:    "Answer visitors; assign, tag, snooze and close conversations",
	chat.ScopeNote:     "Write notes that only the team sees",
	chat.ScopeSettings: "Change settings, websites, channels, knowledge and the AI",
	chat.ScopePeople:   "Manage people, invitations and keys, and so become an administrator",
	chat.ScopeErase:    "Delete and export conversations, block visitors",
}

// offered are the scopes that somebody can give a program: of those it asks for.
func offered(by chat.Author, q *oauth.Request) chat.KeyScopes {
	return slices.DeleteFunc(slices.Clone(q.Scopes), func(s chat.KeyScope) bool { return by.Role != chat.RoleAdministrator && !s.ForOperators() })
}

// ask answers the page on which somebody decides. Nothing is ticked beforehand that visitors notice or
// that needs an administrator.
func (s *oauthAPI) ask(w http.ResponseWriter, r *http.Request, status int, by chat.Author, q *oauth.Request, query, problem string) {
	within, err, language := web.Parts{}, error(nil), s.Language(r)
	add := func(to, field, value, title, words string, ticked bool) {
		checked := map[bool]string{true: "checked"}[ticked]
		box, failed := web.FillIn(language, "connect-box.html", web.Slots{"Field": field, "Value": value, "Title": title, "Words": words, "Checked": checked}, nil)
		within[to], err = append(within[to], box...), cmp.Or(err, failed)
	}
	for _, scope := range offered(by, q) {
		add("Scopes", "scope", string(scope), string(scope), "– "+web.SayIn(language, scopeWords[scope]), scope == chat.ScopeRead || scope == chat.ScopeNote)
	}
	if oauth.IsDocument(q.Client.ID) {
		words, failed := web.FillIn(language, "connect-document.html", web.Slots{"Host": documentHost(q.Client.ID)}, nil)
		within["Document"], err = words, cmp.Or(err, failed)
	}
	own := s.engine.Sites().In(by.Sites)
	for i := range own {
		add("Sites", "site", own[i].PublicID(), s.engine.Sites().ShownName(own[i].ID), "", true)
	}
	if err != nil {
		s.PageFailed(w, "connect.html", err)
		return
	}
	host := chat.RedirectHost(q.Redirect)
	if q.OnThisMachine() {
		host = web.SayIn(language, "a program on the computer that you use ({host})", "host", host)
	}
	s.ShowIn(language, w, r, status, "connect.html", web.Slots{"Name": q.Client.Name, "Host": host, "OperatorName": by.Name, "Problem": web.SayIn(language, problem),
		"Request": query, "Consent": consents(s.Keys).Sign(connectPath, consentTo(by, query, q.Client.Name)), "Several": strconv.FormatBool(len(own) > 1)}, within)
}

// decide answers POST /console/connect, with which somebody lets a program in, or does not.
func (s *oauthAPI) decide(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, web.MaxBody)
	by, err := s.SignedIn(r)
	if s.CrossOrigin.Check(r) != nil || errors.Is(err, web.ErrUnauthorized) {
		s.ShowError(w, r, http.StatusForbidden, "You are not signed in any more. Begin again in the program.")
		return
	}
	if err != nil {
		s.showAway(w, r, "read who is signed in", err)
		return
	}
	asked, valid := consents(s.Keys).Open(connectPath, r.PostFormValue("consent"))
	if !valid || !strings.HasPrefix(asked, consentToAny(by, r.PostFormValue("request"))) {
		s.ShowError(w, r, http.StatusForbidden, "This page was open for longer than ten minutes, or for somebody else. Begin again in the program.")
		return
	}
	q, query := s.askedFor(w, r, r.PostFormValue("request"), true)
	if query == "" {
		return
	}
	if r.PostForm.Get("answer") != "allow" {
		refused := &oauth.Refusal{Code: oauth.AccessDenied, Text: "The person has not allowed it"}
		s.leadBack(w, r, q, q.Refuse(s.PagesURL(r), refused), s.Say(r, "Not connected"))
		return
	}
	if asked != consentTo(by, query, q.Client.Name) { // its document says another one meanwhile
		s.ask(w, r, http.StatusConflict, by, q, query, "The program has another name now. Look again whether you trust it.")
		return
	}
	s.allow(w, r, by, q, query)
}

func (s *oauthAPI) leadBack(w http.ResponseWriter, r *http.Request, q *oauth.Request, to, title string) {
	s.lead(w, r, to, title, s.Say(r, "Back to “{name}” at {host}. You can close this page when the program has gone on.",
		"name", q.Client.Name, "host", chat.RedirectHost(q.Redirect)))
}

// allow gives a program the code that it redeems.
func (s *oauthAPI) allow(w http.ResponseWriter, r *http.Request, by chat.Author, q *oauth.Request, query string) {
	code := chat.OAuthCode{Client: q.Client.ID, Redirect: q.Redirect, Challenge: q.Challenge, Resource: q.Resource}
	var err error
	if code.Scopes, code.Sites, err = s.chosen(by, q, r.PostForm); err == nil && oauth.IsDocument(q.Client.ID) {
		err = s.team.Connections.Keep(r.Context(), q.Client)
	}
	if err == nil {
		var secret string
		if secret, err = s.team.Connections.Allow(r.Context(), by, code); err == nil {
			s.leadBack(w, r, q, q.Answer(s.PagesURL(r), secret), s.Say(r, "Connected"))
			return
		}
	}
	var said *chat.Error
	if !errors.As(err, &said) {
		s.showAway(w, r, "store what a program may do", err)
		return
	}
	s.ask(w, r, cmp.Or(web.Statuses[said.Kind], http.StatusBadRequest), by, q, query, said.Text+".")
}

// chosen reads what somebody has ticked. All websites mean also those that are added later.
func (s *oauthAPI) chosen(by chat.Author, q *oauth.Request, form url.Values) (chat.KeyScopes, chat.SiteSet, error) {
	scopes := slices.DeleteFunc(offered(by, q), func(scope chat.KeyScope) bool { return !slices.Contains(form["scope"], string(scope)) })
	if len(scopes) == 0 {
		return nil, nil, chat.Errorf(chat.Invalid, "Tick what the program may do")
	}
	own := s.engine.Sites().In(by.Sites)
	if len(own) < 2 {
		return scopes, by.Sites, nil
	}
	if len(form["site"]) == 0 {
		return nil, nil, chat.Errorf(chat.Invalid, "Tick the websites for which it may")
	}
	sites, err := s.engine.Sites().SetOf(form["site"], by.Sites)
	if len(sites) == len(own) {
		sites = nil
	}
	return scopes, sites, err
}
