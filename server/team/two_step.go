package team

import (
	"cmp"
	"context"
	"errors"

	"github.com/relay-chat/relay/server/chat"
)

// TwoSteps are the authenticator apps whose codes people are asked for after their passwords.
type TwoSteps struct{ store store }

// Proof is a code that was found right: of a period, or the hash of a recovery code. Secret is that
// of the app and Password the hash with which the sign-in began: with either replaced, it proves
// nothing.
type Proof struct {
	Secret, Password string
	Step             int64
	Recovery         string
}

// Find returns a person's app, also one that waits to be confirmed, or ErrTwoStepOff.
func (t *TwoSteps) Find(ctx context.Context, person string) (s chat.TwoStep, err error) {
	err = t.store.Read(ctx, func(rd Reader) error {
		s, err = rd.TwoStep(person)
		return err
	})
	return s, err
}

// Begin stores the secret of a person's app, which asks for nothing before it is confirmed.
func (t *TwoSteps) Begin(ctx context.Context, person, secret string) error {
	return t.store.Apply(ctx, func(tx Tx) error {
		if _, err := tx.LockPerson(person); err != nil {
			return err
		}
		return tx.BeginTwoStep(&chat.TwoStep{Person: person, Secret: secret, CreatedAt: chat.Now()})
	})
}

// Confirm turns an app on by the code of a period, with recovery codes by their hashes. signIn is
// where the code was given, "" for none: more than the password was proved there.
func (t *TwoSteps) Confirm(ctx context.Context, s *chat.TwoStep, step int64, hashes []string, signIn string) error {
	return t.store.Apply(ctx, func(tx Tx) error {
		return cmp.Or(tx.ConfirmTwoStep(s.Person, s.Secret, step, chat.Now()), tx.PutRecoveryCodes(s.Person, hashes), tx.ProvedSignIn(signIn))
	})
}

// Renew replaces the recovery codes.
func (t *TwoSteps) Renew(ctx context.Context, person string, hashes []string) error {
	return t.store.Apply(ctx, func(tx Tx) error {
		if _, err := tx.LockPerson(person); err != nil {
			return err
		}
		if s, err := tx.TwoStep(person); err != nil || !s.On() {
			return firstOf(err, chat.ErrTwoStepOff)
		}
		return tx.PutRecoveryCodes(person, hashes)
	})
}

// Drop turns it off, with the recovery codes.
func (t *TwoSteps) Drop(ctx context.Context, person string) error {
	return t.store.Apply(ctx, func(tx Tx) error { return dropTwoStep(tx, person, true) })
}

// dropTwoStep drops a person's app. wanted has it fail where none is on.
func dropTwoStep(tx Tx, person string, wanted bool) error {
	s, err := tx.TwoStep(person)
	switch {
	case errors.Is(err, chat.ErrTwoStepOff) && !wanted:
		return nil
	case err != nil:
		return err
	case wanted && !s.On():
		return chat.ErrTwoStepOff
	}
	return firstOf(tx.DropTwoStep(person), tx.UnprovedSignIns(person))
}

// SignInByCode signs a person in and uses the code up, both or neither, on whichever node.
func (t *SignIns) SignInByCode(ctx context.Context, person string, proof Proof, agent, address string) (secret string, s chat.SignIn, err error) {
	secret, s = newSignIn(person, agent, address)
	err = t.store.Apply(ctx, func(tx Tx) error {
		p, err := tx.LockPerson(person)
		if err != nil {
			return err
		}
		if p.Password != proof.Password {
			return chat.ErrWrongCode
		}
		if proof.Recovery != "" {
			err = tx.UseRecoveryCode(person, proof.Recovery)
		} else {
			err = tx.UseStep(person, proof.Secret, proof.Step)
		}
		if err != nil {
			return err
		}
		return tx.PutSignIn(&s)
	})
	return secret, s, err
}

// SignInByNewApp turns an app on by its first code and signs the person in, both or neither. password
// is the hash with which the sign-in began: with another one it is ErrWrongCode, and ErrTwoStepOn when
// the person has an app by now.
func (t *SignIns) SignInByNewApp(ctx context.Context, app chat.TwoStep, password string, hashes []string, agent, address string) (secret string, s chat.SignIn, err error) {
	secret, s = newSignIn(app.Person, agent, address)
	app.CreatedAt = s.CreatedAt
	err = t.store.Apply(ctx, func(tx Tx) error {
		p, err := tx.LockPerson(app.Person)
		if err != nil {
			return err
		}
		if p.Password != password {
			return chat.ErrWrongCode
		}
		if err := tx.BeginTwoStep(&app); err != nil {
			return err
		}
		if err := tx.ConfirmTwoStep(app.Person, app.Secret, app.Used, s.CreatedAt); err != nil {
			return err
		}
		return firstOf(tx.PutRecoveryCodes(app.Person, hashes), tx.PutSignIn(&s))
	})
	return secret, s, err
}
