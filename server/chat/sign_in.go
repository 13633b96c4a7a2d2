package chat

import (
	"context"
	"errors"
	"time"
)

// signInLasts is how long a browser stays signed in after it was last seen, seenEvery how
// often that is stored.
const (
	signInLasts = 30 * 24 * time.Hour
	seenEvery   = 10 * time.Minute
	maxAgent    = 60
)

// SignIn signs a person in and returns the secret for the cookie. agent and address
// describe the browser.
func (r *Relay) SignIn(ctx context.Context, person, agent, address string) (secret string, s SignIn, err error) {
	secret, s = newSignIn(person, agent, address)
	err = r.store.Apply(ctx, func(tx Tx) error {
		if _, err := tx.Person(person); err != nil {
			return err
		}
		return tx.PutSignIn(&s)
	})
	return secret, s, err
}

// SignInByKey signs somebody in who has the secret key. valid is asked in the transaction
// that signs in: the key may be replaced meanwhile.
func (r *Relay) SignInByKey(ctx context.Context, name, agent, address string, valid func(Reader) error) (secret string, s SignIn, err error) {
	secret, s = newSignIn("", agent, address)
	s.Name = name
	err = r.store.Apply(ctx, func(tx Tx) error {
		if err := valid(tx); err != nil {
			return err
		}
		return tx.PutSignIn(&s)
	})
	return secret, s, err
}

func newSignIn(person, agent, address string) (string, SignIn) {
	secret, at := NewToken(), Now()
	return secret, SignIn{ID: NewID(), Hash: Hash(secret), Person: person, CreatedAt: at, SeenAt: at, Agent: Clip(agent, maxAgent), Address: address}
}

// SignedIn returns the person whom a cookie's secret signs in, or ErrSignInNotFound. With
// the secret key it is an administrator without an id.
func (r *Relay) SignedIn(ctx context.Context, secret, address string) (p Person, s SignIn, err error) {
	err = r.store.Read(ctx, func(rd Reader) error {
		if s, err = rd.SignIn(Hash(secret)); err != nil {
			return err
		}
		p, err = s.person(rd)
		return err
	})
	now := Now()
	switch {
	case errors.Is(err, ErrPersonNotFound), err == nil && now.Sub(s.SeenAt) > signInLasts:
		return p, s, ErrSignInNotFound
	case err == nil && now.Sub(s.SeenAt) > seenEvery:
		err = r.store.Apply(ctx, func(tx Tx) error { return tx.SeenSignIn(s.ID, now, address) })
	}
	return p, s, err
}

// person is who is signed in.
func (s *SignIn) person(rd Reader) (Person, error) {
	if s.Person == "" {
		return Person{Name: s.Name, Role: RoleAdministrator}, nil
	}
	return rd.Person(s.Person)
}

// SignInEnded reports whether a sign-in was ended, also by another process. An unreadable
// store ends nothing.
func (r *Relay) SignInEnded(ctx context.Context, id string) bool {
	err := r.store.ReadOne(ctx, func(rd Reader) error {
		_, err := rd.SignInByID(id)
		return err
	})
	return errors.Is(err, ErrSignInNotFound)
}

// SignIns lists the sign-ins of a person, or of everybody with "".
func (r *Relay) SignIns(ctx context.Context, person string) (list []SignIn, err error) {
	err = r.store.ReadOne(ctx, func(rd Reader) error {
		list, err = rd.SignIns(person)
		return err
	})
	return list, err
}

// FindSignIn returns a sign-in by its id.
func (r *Relay) FindSignIn(ctx context.Context, id string) (s SignIn, err error) {
	err = r.store.ReadOne(ctx, func(rd Reader) error {
		s, err = rd.SignInByID(id)
		return err
	})
	return s, err
}

// EndSignIn ends a sign-in with its streams.
func (r *Relay) EndSignIn(ctx context.Context, id string) error {
	var p Person
	err := r.store.Apply(ctx, func(tx Tx) error {
		s, err := tx.SignInByID(id)
		if err != nil {
			return err
		}
		if p, err = s.person(tx); err != nil {
			return err
		}
		return tx.DeleteSignIn(id)
	})
	if err != nil {
		return err
	}
	return r.SignOut(ctx, p.Name, id)
}

// EndSignIns ends a person's sign-ins except one, "" for none. The person "" means those
// with the secret key.
func (r *Relay) EndSignIns(ctx context.Context, person, except string) error {
	list, err := r.SignIns(ctx, person)
	for i := range list {
		if err == nil && list[i].ID != except && list[i].Person == person {
			if err = r.EndSignIn(ctx, list[i].ID); errors.Is(err, ErrSignInNotFound) {
				err = nil
			}
		}
	}
	return err
}

// endSeats ends the streams of sign-ins that are gone already. Their consoles notice
// within a second anyway.
func (r *Relay) endSeats(ctx context.Context, name string, ended []SignIn) {
	for i := range ended {
		if err := r.SignOut(ctx, name, ended[i].ID); err != nil {
			r.log.Error("cannot end an operator's presence", "err", err)
		}
	}
}
