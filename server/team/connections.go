package team

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Bounds of programs that connect by themselves. Refresh tokens that nobody uses end their
// connection; unusedKept is how long a program is known that nobody has let in.
const (
	codeLife     = time.Minute
	accessLife   = 15 * time.Minute
	refreshLife  = 30 * 24 * time.Hour
	tokensKept   = 24 * time.Hour // after their end
	unusedKept   = 24 * time.Hour
	unusedSafely = 10 * time.Minute // somebody may be reading the question
	maxClients   = 1000
)

// Connections are the programs to which people gave access by OAuth. Each is a key, whose tokens
// change: what ends a key, ends it.
type Connections struct {
	store store
}

// ErrTooManyClients is returned for one more program than there may be.
var ErrTooManyClients = chat.Errorf(chat.Conflict, "Too many programs have registered. Try again in ten minutes, or use a key")

// NameClient gives a program the name that it has wherever it is shown, or says why it cannot have it.
func NameClient(c *chat.OAuthClient) error {
	c.Name = chat.Clip(chat.OneLine(c.Name), maxKeyName)
	return checkName(c.Name, maxKeyName)
}

// Register stores a new program. Where there are too many, the oldest goes that nobody has let in.
func (t *Connections) Register(ctx context.Context, c *chat.OAuthClient) error {
	if err := NameClient(c); err != nil {
		return err
	}
	c.ID = chat.NewID()
	return t.Keep(ctx, c)
}

// Keep stores a program that has an id of its own: one that registers, or that somebody lets in who
// has read what it says of itself at its address.
func (t *Connections) Keep(ctx context.Context, c *chat.OAuthClient) error {
	c.CreatedAt = chat.Now()
	return t.store.Apply(ctx, func(tx Tx) error {
		if err := lockTeam(tx); err != nil {
			return err
		}
		_, err := tx.OAuthClient(c.ID)
		if errors.Is(err, chat.ErrOAuthUnknown) {
			err = roomForClient(tx, c.CreatedAt)
		}
		if err != nil {
			return err
		}
		return tx.PutOAuthClient(c)
	})
}

func roomForClient(tx Tx, now chat.Time) error {
	n, err := tx.CountOAuthClients()
	if err == nil && n >= maxClients {
		err = tx.DropUnusedClient(now.Add(-unusedSafely))
	}
	if errors.Is(err, chat.ErrOAuthUnknown) {
		err = ErrTooManyClients
	}
	return err
}

// Client returns a program, or chat.ErrOAuthUnknown.
func (t *Connections) Client(ctx context.Context, id string) (c chat.OAuthClient, err error) {
	err = t.store.ReadOne(ctx, func(rd Reader) error {
		c, err = rd.OAuthClient(id)
		return err
	})
	return c, err
}

// Allow stores what somebody allows a program, and returns the code that it redeems within a
// minute. What is more than by may do is refused.
func (t *Connections) Allow(ctx context.Context, by chat.Author, c chat.OAuthCode) (code string, err error) {
	code = chat.NewToken()
	c.Hash, c.Person, c.SignIn, c.MadeBy, c.Until = chat.Hash(code), by.Person, by.SignIn, chat.AuditName(by), chat.Now().Add(codeLife)
	return code, t.store.Apply(ctx, func(tx Tx) error {
		if err := lockTeam(tx); err != nil {
			return err
		}
		k := keyOf(&c, &chat.OAuthClient{})
		if err := cmp.Or(stillMakes(tx, by, &k), roomForKey(tx, k.Person), tx.GrantedOAuthClient(c.Client, chat.Now())); err != nil {
			return err
		}
		return tx.PutOAuthCode(&c)
	})
}

// keyOf is the connection that a code becomes.
func keyOf(c *chat.OAuthCode, client *chat.OAuthClient) chat.APIKey {
	now := chat.Now()
	return chat.APIKey{ID: chat.NewID(), Hash: chat.Hash(chat.NewToken()), Name: client.Name, Scopes: c.Scopes, Sites: c.Sites, Person: c.Person,
		Maker: c.Person, MadeBy: c.MadeBy, CreatedAt: now, ExpiresAt: now.Add(refreshLife), Client: c.Client, Host: chat.RedirectHost(c.Redirect), Resource: c.Resource}
}

// Tokens are those that a program gets, which are stored nowhere.
type Tokens struct {
	Access, Refresh string
	Scopes          chat.KeyScopes
	Life            time.Duration // of the access token
	Key             chat.APIKey
}

// ErrGrant refuses a code or a refresh token, without saying what is wrong with it.
var ErrGrant = chat.Errorf(chat.Invalid, "This code or token is not valid any more, or not for this program")

// Redemption is how a program redeems a code; it may leave Redirect out. Proves reports whether it has what the code's
// challenge was made of.
type Redemption struct {
	Code, Client, Redirect, Resource string
	Proves                           func(challenge string) bool
}

// Redeem makes a connection of a code, once. A code that comes a second time ends the connection
// that it became, which is returned with ErrGrant; one that comes with wrong proofs is gone.
func (t *Connections) Redeem(ctx context.Context, r Redemption) (out Tokens, err error) {
	var refused error
	err = t.store.Apply(ctx, func(tx Tx) error {
		out, refused = Tokens{}, nil // a transaction may run again
		if err := lockTeam(tx); err != nil {
			return err
		}
		c, err := tx.OAuthCode(chat.Hash(r.Code))
		switch {
		case errors.Is(err, chat.ErrOAuthUnknown):
			refused = ErrGrant
			return nil
		case err != nil:
			return err
		case c.Key != "":
			out.Key, refused = endFamily(tx, c.Key)
			return unlessGrant(refused)
		case c.Until <= chat.Now() || c.Client != r.Client || r.Redirect != "" && c.Redirect != r.Redirect || c.Resource != r.Resource || !r.Proves(c.Challenge):
			refused = ErrGrant
			return tx.DeleteOAuthCode(c.Hash)
		}
		out, refused = connect(tx, &c)
		return unlessGrant(refused)
	})
	return out, cmp.Or(err, refused)
}

// unlessGrant lets a transaction stand that refuses.
func unlessGrant(err error) error {
	if errors.Is(err, ErrGrant) {
		return nil
	}
	return err
}

// endFamily ends a connection of which somebody has used a code or token twice: one of the two was
// not its program. One that has ended already is returned as none.
func endFamily(tx Tx, key string) (chat.APIKey, error) {
	k, err := tx.APIKeyByID(key)
	switch {
	case errors.Is(err, chat.ErrAPIKeyNotFound), err == nil && k.EndedAt != 0:
		return chat.APIKey{}, ErrGrant
	case err != nil:
		return k, err
	}
	return k, cmp.Or(tx.EndAPIKey(key, chat.KeyEnd{At: chat.Now(), For: chat.KeyReused}), ErrGrant)
}

// connect makes the connection, if who allowed it may do so still.
func connect(tx Tx, c *chat.OAuthCode) (out Tokens, err error) {
	client, err := tx.OAuthClient(c.Client)
	if err != nil {
		return out, err
	}
	by := chat.Author{Person: c.Person, SignIn: c.SignIn, Role: chat.RoleAdministrator}
	k := keyOf(c, &client)
	err = cmp.Or(stillMakes(tx, by, &k), roomForKey(tx, k.Person))
	var said *chat.Error
	if errors.As(err, &said) {
		return out, ErrGrant
	}
	if err == nil {
		err = cmp.Or(tx.PutAPIKey(&k), tx.RedeemedOAuthCode(c.Hash, k.ID))
	}
	if err != nil {
		return out, err
	}
	return issue(tx, k, k.Scopes)
}

// issue gives a connection new tokens.
func issue(tx Tx, k chat.APIKey, scopes chat.KeyScopes) (Tokens, error) {
	out := Tokens{chat.AccessTokenPrefix + chat.NewToken(), chat.RefreshTokenPrefix + chat.NewToken(), scopes, accessLife, k}
	now := chat.Now()
	return out, cmp.Or(tx.PutOAuthToken(&chat.OAuthToken{Hash: chat.Hash(out.Access), Key: k.ID, Kind: chat.TokenAccess, Scopes: scopes, Until: now.Add(accessLife)}),
		tx.PutOAuthToken(&chat.OAuthToken{Hash: chat.Hash(out.Refresh), Key: k.ID, Kind: chat.TokenRefresh, Scopes: k.Scopes, Until: now.Add(refreshLife)}),
		tx.ExtendAPIKey(k.ID, now.Add(refreshLife)))
}

// Refresh gives new tokens for a refresh token, which is used up. One that comes a second time ends
// the connection, which is returned with ErrGrant. Without scopes it is for all of the connection's.
func (t *Connections) Refresh(ctx context.Context, token, client, resource string, scopes chat.KeyScopes) (out Tokens, err error) {
	var refused error
	err = t.store.Apply(ctx, func(tx Tx) error {
		out, refused = Tokens{}, nil
		if err := lockTeam(tx); err != nil {
			return err
		}
		old, k, err := tokenOf(tx, token)
		switch {
		case errors.Is(err, chat.ErrOAuthUnknown):
			refused = ErrGrant
			return nil
		case err != nil:
			return err
		case old.Kind != chat.TokenRefresh || k.Client != client || resource != "" && resource != k.Resource || !scopes.Within(k.Scopes):
			refused = ErrGrant
			return nil
		case old.SpentAt != 0:
			out.Key, refused = endFamily(tx, k.ID)
			return unlessGrant(refused)
		case !old.Works(chat.Now()) || !k.Works(chat.Now()):
			refused = ErrGrant
			return nil
		}
		if err := tx.SpendOAuthToken(old.Hash, chat.Now()); err != nil {
			return err
		}
		if scopes == nil {
			scopes = k.Scopes
		}
		out, err = issue(tx, k, scopes)
		return err
	})
	return out, cmp.Or(err, refused)
}

// tokenOf finds a token with its connection.
func tokenOf(rd Reader, token string) (o chat.OAuthToken, k chat.APIKey, err error) {
	if o, err = rd.OAuthToken(chat.Hash(token)); err == nil {
		k, err = rd.APIKeyByID(o.Key)
	}
	if errors.Is(err, chat.ErrAPIKeyNotFound) {
		err = chat.ErrOAuthUnknown
	}
	return o, k, err
}

// Revoke ends the connection of a token and returns it. Nothing is returned, and nothing is wrong,
// where there is none (RFC 7009, 2.2); a token of another program is ErrGrant.
func (t *Connections) Revoke(ctx context.Context, token, client string) (ended chat.APIKey, err error) {
	err = t.store.Apply(ctx, func(tx Tx) error {
		ended = chat.APIKey{}
		if err := lockTeam(tx); err != nil {
			return err
		}
		_, k, err := tokenOf(tx, token)
		switch {
		case errors.Is(err, chat.ErrOAuthUnknown), err == nil && k.EndedAt != 0:
			return nil
		case err != nil:
			return err
		case k.Client != client:
			return ErrGrant
		}
		ended = k
		return tx.EndAPIKey(k.ID, chat.KeyEnd{At: chat.Now(), By: k.Name, For: chat.KeyGaveUp})
	})
	return ended, err
}

// ErrTokenOver is returned for a token that was right, but is too old.
var ErrTokenOver = errors.New("the access token is over")

// OpenAccess is [Keys.Open] for the access token of a connection, with the scopes of the token.
func (t *Keys) OpenAccess(ctx context.Context, token string) (k chat.APIKey, p chat.Person, err error) {
	if !strings.HasPrefix(token, chat.AccessTokenPrefix) {
		return k, p, chat.ErrAPIKeyNotFound
	}
	k, p, err = t.working(ctx, func(rd Reader) (chat.APIKey, error) {
		o, k, err := tokenOf(rd, token)
		switch {
		case errors.Is(err, chat.ErrOAuthUnknown), err == nil && o.Kind != chat.TokenAccess:
			return k, chat.ErrAPIKeyNotFound
		case err == nil && (!o.Works(chat.Now()) || !k.Works(chat.Now())):
			return k, ErrTokenOver
		}
		k.Scopes = o.Scopes
		return k, err
	})
	if err == nil {
		t.note(&k)
	}
	return k, p, err
}
