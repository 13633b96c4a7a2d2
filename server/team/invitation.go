package team

import (
	"context"
	"errors"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// invitationLasts is how long a link works, maxInvitations how many there may be.
const (
	invitationLasts = 48 * time.Hour
	maxInvitations  = 200
)

// Invite makes a link and returns its secret, which is stored nowhere.
func (t *People) Invite(ctx context.Context, i chat.Invitation) (secret string, _ chat.Invitation, err error) {
	i.Email = EmailKey(i.Email)
	if !i.Role.Valid() {
		return "", i, chat.Errorf(chat.Invalid, "role must be administrator or operator")
	}
	if i.Email != "" {
		if err := checkEmail(i.Email); err != nil {
			return "", i, err
		}
	}
	secret = chat.NewToken()
	i.ID, i.Hash, i.CreatedAt = chat.NewID(), chat.Hash(secret), chat.Now()
	i.ExpiresAt = i.CreatedAt.Add(invitationLasts)
	return secret, i, t.store.Apply(ctx, func(tx Tx) error { return putInvitation(tx, &i) })
}

// putInvitation stores a link in place of the one for the same address or person.
func putInvitation(tx Tx, i *chat.Invitation) error {
	if i.Person == "" && i.Email != "" {
		if _, err := tx.PersonByEmail(i.Email); !errors.Is(err, chat.ErrPersonNotFound) {
			return firstOf(err, ErrEmailTaken)
		}
	}
	if err := tx.DropInvitations(i.CreatedAt); err != nil {
		return err
	}
	list, err := tx.Invitations(i.CreatedAt)
	if err != nil {
		return err
	}
	if len(list) >= maxInvitations {
		return chat.Errorf(chat.Conflict, "There are %d open invitations, which is the most. Withdraw one first", len(list))
	}
	for k := range list {
		if list[k].Person == i.Person && list[k].Email == i.Email && i.Person+i.Email != "" {
			if err := tx.DeleteInvitation(list[k].ID); err != nil {
				return err
			}
		}
	}
	return tx.PutInvitation(i)
}

func firstOf(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// Invitation returns the link with a secret.
func (t *People) Invitation(ctx context.Context, secret string) (i chat.Invitation, p chat.Person, err error) {
	err = t.store.Read(ctx, func(rd Reader) error {
		if i, err = validInvitation(rd, secret); err != nil || i.Person == "" {
			return err
		}
		p, err = rd.Person(i.Person)
		return err
	})
	return i, p, err
}

func validInvitation(rd Reader, secret string) (chat.Invitation, error) {
	i, err := rd.Invitation(chat.Hash(secret))
	if err != nil {
		return i, err
	}
	works, err := isUsable(rd, &i)
	if err == nil && !works {
		err = chat.ErrInvitationNotFound
	}
	return i, err
}

// isUsable reports whether a link can be used: in time, and only as long as who made it may
// make one.
func isUsable(rd Reader, i *chat.Invitation) (bool, error) {
	if i.ExpiresAt <= chat.Now() || i.Inviter == "" {
		return i.ExpiresAt > chat.Now(), nil
	}
	maker, err := makerOf(rd, i.Inviter)
	sites := i.Sites
	if err == nil && i.Person != "" {
		var invited chat.Person
		invited, err = rd.Person(i.Person)
		sites = invited.Sites
	}
	if errors.Is(err, chat.ErrPersonNotFound) || errors.Is(err, chat.ErrAPIKeyNotFound) {
		return false, nil
	}
	return maker.Manages(sites), err
}

// makerOf is what a person may do, or the holder of an API key that still works.
func makerOf(rd Reader, id string) (maker chat.Author, err error) {
	k, err := rd.APIKeyByID(id)
	switch {
	case err == nil && !k.Works(chat.Now()):
		return maker, chat.ErrAPIKeyNotFound
	case err == nil && k.Person == "":
		return chat.Author{Role: chat.RoleAdministrator, Sites: k.Sites}, nil
	case err == nil:
		id = k.Person
	case !errors.Is(err, chat.ErrAPIKeyNotFound):
		return maker, err
	}
	p, err := rd.Person(id)
	return chat.Author{Role: p.Role, Sites: k.Sites.And(p.Sites)}, err
}

// Invitations lists the links that still work.
func (t *People) Invitations(ctx context.Context) (list []chat.Invitation, err error) {
	err = t.store.ReadOne(ctx, func(rd Reader) error {
		all, err := rd.Invitations(chat.Now())
		for k := range all {
			works, failed := isUsable(rd, &all[k])
			if err = errors.Join(err, failed); works {
				list = append(list, all[k])
			}
		}
		return err
	})
	return list, err
}

// Withdraw ends a link.
func (t *People) Withdraw(ctx context.Context, id string) error {
	return t.store.Apply(ctx, func(tx Tx) error { return tx.DeleteInvitation(id) })
}

// Accept uses a link up: p joins with its role or, if the link is somebody's, that person
// gets p's password, is signed out everywhere and loses the passkeys and tokens: they may be
// a thief's.
func (t *People) Accept(ctx context.Context, secret string, p chat.Person) (_ chat.Person, i chat.Invitation, err error) {
	prepare(&p)
	var ended []chat.SignIn
	err = t.store.Apply(ctx, func(tx Tx) error {
		if err := lockTeam(tx); err != nil {
			return err
		}
		if i, err = validInvitation(tx, secret); err != nil {
			return err
		}
		if err := tx.DeleteInvitation(i.ID); err != nil {
			return err
		}
		if i.Person != "" {
			p, ended, err = resetPassword(tx, i.Person, p.Password)
			return err
		}
		p.Role, p.Sites = i.Role, i.Sites
		if err := t.check(&p); err != nil {
			return err
		}
		return addPerson(tx, &p)
	})
	if err != nil {
		return p, i, err
	}
	t.forgetNames()
	t.signIns.endSeats(ctx, p.Name, ended)
	return p, i, nil
}

func resetPassword(tx Tx, id, password string) (p chat.Person, ended []chat.SignIn, err error) {
	if p, err = tx.Person(id); err != nil {
		return p, nil, err
	}
	p.Password = password
	if err := tx.PutPerson(&p); err != nil {
		return p, nil, err
	}
	if err := firstOf(tx.DropLinksOf(id), tx.EndTokensOf(id, chat.KeyEnd{At: chat.Now(), By: p.Name, For: chat.KeyPassword})); err != nil {
		return p, nil, err
	}
	if password == "" { // nobody is asked for codes without one
		if err := dropTwoStep(tx, id, false); err != nil {
			return p, nil, err
		}
	}
	keys, err := tx.Passkeys(id)
	for k := range keys {
		if err == nil {
			err = tx.DeletePasskey(keys[k].ID)
		}
	}
	if err != nil {
		return p, nil, err
	}
	if ended, err = tx.SignIns(id); err != nil {
		return p, nil, err
	}
	for k := range ended {
		if err := tx.DeleteSignIn(ended[k].ID); err != nil {
			return p, nil, err
		}
	}
	return p, ended, nil
}
