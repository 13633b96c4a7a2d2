package team

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// signInLasts is how long a browser stays signed in after it was last seen, seenEvery how
// often that is stored.
const (
	signInLasts = 30 * 24 * time.Hour
	seenEvery   = 10 * time.Minute
	maxAgent    = 60
)

// SignIns are the browsers in which somebody is signed in.
type SignIns struct {
	store store
	hooks Hooks
	log   *slog.Logger
}

// SignIn signs a person in and returns the secret for the cookie. agent and address
// describe the browser.
func (t *SignIns) SignIn(ctx context.Context, person string, passwordOnly bool, agent, address string) (secret string, s chat.SignIn, err error) {
	secret, s = newSignIn(person, agent, address)
	s.PasswordOnly = passwordOnly
	err = t.store.Apply(ctx, func(tx Tx) error {
		if _, err := tx.Person(person); err != nil {
			return err
		}
		return tx.PutSignIn(&s)
	})
	return secret, s, err
}

// SignInByKey signs somebody in who has the secret key. valid is asked in the transaction
// that signs in: the key may be replaced meanwhile.
func (t *SignIns) SignInByKey(ctx context.Context, name, agent, address string, valid func(Reader) error) (secret string, s chat.SignIn, err error) {
	secret, s = newSignIn("", agent, address)
	s.Name = name
	err = t.store.Apply(ctx, func(tx Tx) error {
		if err := valid(tx); err != nil {
			return err
		}
		return tx.PutSignIn(&s)
	})
	return secret, s, err
}

func newSignIn(person, agent, address string) (string, chat.SignIn) {
	secret, at := chat.NewToken(), chat.Now()
	return secret, chat.SignIn{ID: chat.NewID(), Hash: chat.Hash(secret), Person: person, CreatedAt: at, SeenAt: at, Agent: chat.Clip(agent, maxAgent), Address: address}
}

// SignedIn returns the person whom a cookie's secret signs in, or ErrSignInNotFound. With
// the secret key it is an administrator without an id.
func (t *SignIns) SignedIn(ctx context.Context, secret, address string) (p chat.Person, s chat.SignIn, err error) {
	err = t.store.Read(ctx, func(rd Reader) error {
		if s, err = rd.SignIn(chat.Hash(secret)); err != nil {
			return err
		}
		p, err = personOf(rd, &s)
		return err
	})
	now := chat.Now()
	switch {
	case errors.Is(err, chat.ErrPersonNotFound), err == nil && (now.Sub(s.SeenAt) > signInLasts || isOver(&s, now)):
		return p, s, chat.ErrSignInNotFound
	case err == nil && now.Sub(s.SeenAt) > seenEvery:
		err = t.store.Apply(ctx, func(tx Tx) error { return tx.SeenSignIn(s.ID, now, address) })
	}
	return p, s, err
}

// isOver reports whether the provider vouches for a sign-in no longer.
func isOver(s *chat.SignIn, now chat.Time) bool { return s.Until != 0 && s.Until <= now }

// personOf returns who is signed in.
func personOf(rd Reader, s *chat.SignIn) (chat.Person, error) {
	if s.Person == "" {
		return chat.Person{Name: s.Name, Role: chat.RoleAdministrator}, nil
	}
	return rd.Person(s.Person)
}

// Ended reports whether a sign-in was ended, also by another process, or is refused by now. An
// unreadable store ends nothing.
func (t *SignIns) Ended(ctx context.Context, id string, refused func(*chat.SignIn) bool) bool {
	err := t.store.ReadOne(ctx, func(rd Reader) error {
		s, err := rd.SignInByID(id)
		if err == nil && (isOver(&s, chat.Now()) || refused(&s)) {
			err = chat.ErrSignInNotFound
		}
		return err
	})
	return errors.Is(err, chat.ErrSignInNotFound)
}

// List lists the sign-ins of a person, or of everybody with "".
func (t *SignIns) List(ctx context.Context, person string) (list []chat.SignIn, err error) {
	err = t.store.ReadOne(ctx, func(rd Reader) error {
		list, err = rd.SignIns(person)
		return err
	})
	return list, err
}

// Find returns a sign-in by its id.
func (t *SignIns) Find(ctx context.Context, id string) (s chat.SignIn, err error) {
	err = t.store.ReadOne(ctx, func(rd Reader) error {
		s, err = rd.SignInByID(id)
		return err
	})
	return s, err
}

// End ends a sign-in with its streams.
func (t *SignIns) End(ctx context.Context, id string) error {
	var p chat.Person
	err := t.store.Apply(ctx, func(tx Tx) error {
		s, err := tx.SignInByID(id)
		if err != nil {
			return err
		}
		if p, err = personOf(tx, &s); err != nil {
			return err
		}
		return tx.DeleteSignIn(id)
	})
	if err != nil {
		return err
	}
	return t.hooks.SignOut(ctx, p.Name, id)
}

// EndAll ends a person's sign-ins except one, "" for none, and the tokens, which note how. The person
// "" means those with the secret key.
func (t *SignIns) EndAll(ctx context.Context, person, except string, how chat.KeyEnd) error {
	list, err := t.List(ctx, person)
	if err == nil && person != "" {
		err = t.endTokens(ctx, person, how)
	}
	for i := range list {
		if err == nil && list[i].ID != except && list[i].Person == person {
			if err = t.End(ctx, list[i].ID); errors.Is(err, chat.ErrSignInNotFound) {
				err = nil
			}
		}
	}
	return err
}

func (t *SignIns) endTokens(ctx context.Context, person string, how chat.KeyEnd) error {
	return t.store.Apply(ctx, func(tx Tx) error {
		if err := lockTeam(tx); err != nil {
			return err
		}
		return tx.EndTokensOf(person, how)
	})
}

// endSeats ends the streams of sign-ins that are gone already. Their consoles notice
// within a second anyway.
func (t *SignIns) endSeats(ctx context.Context, name string, ended []chat.SignIn) {
	for i := range ended {
		if err := t.hooks.SignOut(ctx, name, ended[i].ID); err != nil {
			t.log.Error("cannot end an operator's presence", "err", err)
		}
	}
}
