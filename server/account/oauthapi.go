package account

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/oauth"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// maxOAuthBody bounds what programs send to register and to get tokens.
const maxOAuthBody = 16 << 10

// oauthAPI gives programs access to the address of assistants, as people let them (OAuth 2.1).
type oauthAPI struct {
	*consolePages
	described *described
}

// resource is what programs ask to reach.
func (s *consolePages) resource(r *http.Request) string { return s.PagesURL(r) + oauth.ResourcePath }

// Challenging tells a program without a valid token where it finds out how to get one: also one in
// a page elsewhere, whose reader may have signed in here.
func (s *Admission) Challenging(admits web.Access) web.Access {
	return func(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error) {
		by, err := admits(w, r, key)
		if errors.Is(err, web.ErrUnauthorized) || key == "" && errors.Is(err, web.ErrForbidden) {
			err = &web.Error{Status: http.StatusUnauthorized, Text: web.ErrUnauthorized.Text,
				Header: http.Header{"Www-Authenticate": {oauth.Challenge(s.PagesURL(r), key != "")}}}
		}
		return by, err
	}
}

// resourceMetadata answers GET /.well-known/oauth-protected-resource/mcp.
func (s *oauthAPI) resourceMetadata(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	return oauth.Resource(s.PagesURL(r)), nil
}

// serverMetadata answers GET /.well-known/oauth-authorization-server.
func (s *oauthAPI) serverMetadata(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	return oauth.Server(s.PagesURL(r)), nil
}

// answerRefusal answers an error in the protocol's form; others stay as they are.
func answerRefusal(w http.ResponseWriter, err error) (any, error) {
	var refused *oauth.Refusal
	var said *chat.Error
	status := http.StatusBadRequest
	switch {
	case errors.As(err, &refused):
	case errors.Is(err, team.ErrGrant):
		refused = &oauth.Refusal{Code: oauth.InvalidGrant, Text: team.ErrGrant.Error()}
	case errors.Is(err, team.ErrTooManyClients):
		w.Header().Set("Retry-After", "600")
		status, refused = http.StatusServiceUnavailable, &oauth.Refusal{Code: oauth.Unavailable, Text: team.ErrTooManyClients.Error()}
	case errors.As(err, &said) && said.Kind == chat.Invalid:
		refused = &oauth.Refusal{Code: oauth.InvalidMetadata, Text: "client_name: " + said.Text}
	default:
		return nil, err
	}
	web.WriteJSON(w, status, refused)
	return web.Written{}, nil
}

// register answers POST /oauth/register (RFC 7591).
func (s *oauthAPI) register(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	if err := s.Limited(w, r, s.Rates.Registrations, s.Address(r)); err != nil {
		return nil, err
	}
	in, err := web.Decode[oauth.Registration](r)
	var wrong *web.Error
	if errors.As(err, &wrong) && wrong.Status == http.StatusBadRequest {
		err = &oauth.Refusal{Code: oauth.InvalidMetadata, Text: wrong.Text}
	}
	if err != nil {
		return answerRefusal(w, err)
	}
	c, err := in.Client()
	if err == nil {
		err = s.team.Connections.Register(r.Context(), c)
	}
	if err != nil {
		return answerRefusal(w, err)
	}
	web.WriteJSON(w, http.StatusCreated, oauth.Registered(c))
	return web.Written{}, nil
}

// token answers POST /oauth/token (RFC 6749, 5).
func (s *oauthAPI) token(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	form, err := readForm(r)
	if err != nil {
		return answerRefusal(w, err)
	}
	in, refused := oauth.ReadToken(form, s.resource(r))
	if refused != nil {
		return answerRefusal(w, refused)
	}
	if in.Refreshes {
		out, err := s.team.Connections.Refresh(r.Context(), in.Refresh, in.Client, in.Resource, in.Scopes)
		return s.answerTokens(w, r, &out, err)
	}
	out, err := s.team.Connections.Redeem(r.Context(), team.Redemption{Code: in.Code, Client: in.Client, Redirect: in.Redirect, Resource: in.Resource,
		Proves: func(challenge string) bool { return oauth.Proves(in.Verifier, challenge) }})
	if err == nil {
		s.Audit(r, allowedBy(&out.Key), chat.AuditKeyMade, out.Key.Name, describeKey(&out.Key))
	}
	return s.answerTokens(w, r, &out, err)
}

// answerTokens answers the tokens, or reports that somebody has used a code or token twice.
func (s *oauthAPI) answerTokens(w http.ResponseWriter, r *http.Request, out *team.Tokens, err error) (any, error) {
	if err == nil {
		return oauth.Answer(out.Access, out.Refresh, out.Scopes, out.Life), nil
	}
	if out.Key.ID != "" {
		s.log.Warn("a program's connection was ended: one of its codes or tokens was used twice, so somebody else may have it",
			"request", w.Header().Get(web.RequestIDHeader), "connection", out.Key.ID, "peer", s.Peer(r).Addr)
		s.Audit(r, allowedBy(&out.Key), chat.AuditKeyEnded, out.Key.Name, "one of its codes or tokens was used twice; "+describeKey(&out.Key))
	}
	return answerRefusal(w, err)
}

// allowedBy is whoever has let a program in.
func allowedBy(k *chat.APIKey) chat.Author {
	return chat.Author{Sender: chat.SenderOperator, Source: chat.SourceAPI, Name: k.MadeBy, Person: k.Person}
}

// revoke answers POST /oauth/revoke (RFC 7009): the connection of the token ends.
func (s *oauthAPI) revoke(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	form, err := readForm(r)
	if err != nil {
		return answerRefusal(w, err)
	}
	client, refused := oauth.ClientOf(form)
	if refused == nil && len(form["token"]) != 1 {
		refused = &oauth.Refusal{Code: oauth.InvalidRequest, Text: "token is missing, or there more than once"}
	}
	if refused != nil {
		return answerRefusal(w, refused)
	}
	ended, err := s.team.Connections.Revoke(r.Context(), form.Get("token"), client)
	if err != nil {
		return answerRefusal(w, err)
	}
	if ended.ID != "" {
		s.Audit(r, allowedBy(&ended), chat.AuditKeyEnded, ended.Name, "by the program itself; "+describeKey(&ended))
	}
	return web.OK, nil
}

// readForm reads a form, whose parameters are text.
func readForm(r *http.Request) (url.Values, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/x-www-form-urlencoded" {
		return nil, &oauth.Refusal{Code: oauth.InvalidRequest, Text: "Content-Type must be application/x-www-form-urlencoded"}
	}
	body, err := web.ReadBody(r)
	if err != nil {
		return nil, err
	}
	return readQuery(string(body))
}

// readQuery reads parameters that are text.
func readQuery(text string) (url.Values, error) {
	values, err := url.ParseQuery(text)
	for name, list := range values {
		if !web.IsText(name + strings.Join(list, "")) {
			err = errors.New("not text")
		}
	}
	if err != nil {
		return nil, &oauth.Refusal{Code: oauth.InvalidRequest, Text: "The parameters must be UTF-8 text without NUL characters"}
	}
	return values, nil
}
