package account

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// KeyAuthor is whoever uses a key: of a token its person, who may do as much as now.
func KeyAuthor(k *chat.APIKey, p *chat.Person) chat.Author {
	by := chat.Author{Sender: chat.SenderOperator, Source: chat.SourceAPI, Name: k.Name, Role: chat.RoleAdministrator, Sites: k.Sites, Key: k}
	if k.Person != "" {
		by.Name, by.Person, by.Role, by.Sites = p.Name, p.ID, p.Role, k.Sites.And(p.Sites)
	}
	return by
}

// keyView is a key in the list; Secret is its text, which only the answer of its making has.
type keyView struct {
	chat.APIKey
	Secret string `json:"key,omitempty"`
}

// endsKeys is how tokens end because of what somebody does now.
func endsKeys(by chat.Author, reason chat.KeyReason) chat.KeyEnd {
	return chat.KeyEnd{At: chat.Now(), By: chat.AuditName(by), For: reason}
}

// expiredShown is how long keys that have expired are listed among those that were not ended.
const expiredShown = 30 * 24 * time.Hour

// keysOf lists the keys that were not ended, or else those that ended or expired.
func (s *teamAPI) keysOf(r *http.Request) ([]chat.APIKey, error) {
	switch ended := r.URL.Query().Get("ended"); ended {
	case "1", "true":
		return s.team.Keys.Ended(r.Context())
	case "", "0", "false":
		list, err := s.team.Keys.List(r.Context())
		return slices.DeleteFunc(list, func(k chat.APIKey) bool { return !k.Works(chat.Now().Add(-expiredShown)) }), err
	}
	return nil, chat.ErrorAt(chat.Invalid, "ended", "ended must be 1 for the keys that work no more, or left out")
}

// listKeys answers GET /api/admin/api-keys: one's own tokens, and for administrators the API keys
// and tokens of their sites, or those of one person.
func (s *teamAPI) listKeys(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	list, err := s.keysOf(r)
	if err != nil {
		return nil, err
	}
	people, err := s.team.People.List(r.Context())
	of := r.URL.Query().Get("person")
	views := []keyView{}
	for i := range list {
		k := &list[i]
		if (of == "" || k.Person == of) && sees(by, k, personIn(people, k.Person)) {
			views = append(views, keyView{APIKey: *k})
		}
	}
	return map[string]any{"keys": views}, err
}

// personIn finds a person in a list, nil for nobody.
func personIn(people []chat.Person, id string) *chat.Person {
	if i := slices.IndexFunc(people, func(p chat.Person) bool { return p.ID == id }); i >= 0 {
		return &people[i]
	}
	return nil
}

// sees reports whether a key exists for somebody, who may then end it.
func sees(by chat.Author, k *chat.APIKey, p *chat.Person) bool {
	switch {
	case k.Person == "":
		return by.Manages(k.Sites)
	case p == nil:
		return false
	}
	return k.Person == by.Person || by.Manages(p.Sites)
}

// keyRequest asks for a new key. A personal one is a token of who asks.
type keyRequest struct {
	Name      string     `json:"name"`
	Scopes    []string   `json:"scopes"`
	Sites     []string   `json:"sites"`
	ExpiresAt *chat.Time `json:"expiresAt"`
	Personal  bool       `json:"personal"`
}

// addKey answers POST /api/admin/api-keys with a new key, whose text is shown this once.
func (s *teamAPI) addKey(_ http.ResponseWriter, r *http.Request, by chat.Author, in keyRequest) (any, error) {
	k := chat.APIKey{Name: in.Name}
	if in.ExpiresAt != nil {
		k.ExpiresAt = max(*in.ExpiresAt, 1) // 1970 is past, not never
	}
	var err error
	if k.Scopes, err = chat.KeyScopesOf(in.Scopes); err != nil {
		return nil, err
	}
	if in.Sites != nil && len(in.Sites) == 0 { // all are meant by leaving it out, not by naming none
		return nil, chat.ErrorAt(chat.Invalid, "sites", "sites must name one or more websites. Leave it out for all of them")
	}
	if len(in.Sites) > 0 {
		if k.Sites, err = s.sites().SetOf(in.Sites, by.Sites); err != nil {
			return nil, err
		}
	}
	if in.Personal {
		if k.Person = by.Person; k.Person == "" {
			return nil, errNoAccount
		}
	}
	secret, k, err := s.team.Keys.Add(r.Context(), by, k, StillSent(s.Keys, r, by))
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditKeyMade, k.Name, describeKey(&k))
	return keyView{k, secret}, nil
}

// StillSent asks, in a transaction, whether the secret key is still the one that a request was sent
// with; people and API keys have none.
func StillSent(k *keyring.Ring, r *http.Request, by chat.Author) func(team.Reader) error {
	if by.Source != chat.SourceAPI || by.Key != nil {
		return func(team.Reader) error { return nil }
	}
	still := k.Still(web.RequestKey(r, false))
	return func(rd team.Reader) error {
		err := still(rd)
		if errors.Is(err, keyring.ErrReplaced) {
			err = web.ErrUnauthorized
		}
		return err
	}
}

// describeKey says in the audit list what a key may do.
func describeKey(k *chat.APIKey) string {
	text := k.Scopes.String()
	if k.Sites != nil {
		text += "; only " + strings.Join(k.Sites.Names(), ", ")
	}
	if k.ExpiresAt != 0 {
		text += "; until " + k.ExpiresAt.String()
	}
	switch {
	case k.Host != "":
		text = "connection of a program at " + k.Host + ": " + text
	case k.Person != "":
		text = "personal token: " + text
	}
	return text
}

// endKey answers DELETE /api/admin/api-keys/{key}: it opens nothing from now on, at any node.
func (s *teamAPI) endKey(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	k, err := s.team.Keys.Find(r.Context(), web.PathVar(r, "key"))
	if err != nil {
		return nil, err
	}
	people, err := s.team.People.List(r.Context())
	if err == nil && !sees(by, &k, personIn(people, k.Person)) {
		err = chat.ErrAPIKeyNotFound
	}
	if err == nil {
		err = s.team.Keys.End(r.Context(), k.ID, chat.AuditName(by))
	}
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditKeyEnded, k.Name, describeKey(&k))
	return web.OK, nil
}
