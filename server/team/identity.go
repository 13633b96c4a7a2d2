package team

import (
	"context"
	"errors"
	"strconv"

	"github.com/relay-chat/relay/server/chat"
)

// Why a provider's people cannot sign in.
var (
	ErrIdentityRemoved = chat.Errorf(chat.Forbidden, "An administrator has removed you from the team. Ask one for an invitation to your e-mail address")
	ErrIdentityEmail   = chat.Errorf(chat.Forbidden, "Your provider does not say your e-mail address, which an account needs")
	ErrIdentityOther   = chat.Errorf(chat.Forbidden, "There is an account with your e-mail address, which is somebody else's at your provider, or which your provider does not say is verified. Ask an administrator")
)

// Joining is what somebody of a provider gets here.
type Joining struct {
	chat.Identity
	// Mapped: a group decides about the role and the sites, at each sign-in.
	Mapped bool
	Role   chat.Role
	Sites  chat.SiteSet
}

// Joined is what became of it.
type Joined struct {
	Person chat.Person
	Before chat.Person
	Secret string
	SignIn chat.SignIn
	New    bool // the person joined just now
	Linked bool // the account was there before
	Kept   bool // the last administrator stays one
}

// SignInBy signs in whom a provider vouches for, whose answer is used up. The identity is the
// issuer's subject. Who comes first joins, or gets the account with the same e-mail address if
// the provider has verified it: then all that opened the account before ends, since nobody has
// verified that whoever set it up has the address.
func (t *People) SignInBy(ctx context.Context, who Joining, grant chat.SignOnGrant, used []byte, agent, address string) (j Joined, err error) {
	var ended []chat.SignIn
	err = t.store.Apply(ctx, func(tx Tx) error {
		j, ended = Joined{}, nil // a transaction may run again
		if err := lockTeam(tx); err != nil {
			return err
		}
		if err := useChallenge(tx, used); err != nil {
			return err
		}
		if err := t.personBy(tx, &who, &j); err != nil {
			return err
		}
		if j.Linked {
			if j.Person, ended, err = resetPassword(tx, j.Person.ID, ""); err != nil {
				return err
			}
		}
		moved, err := mapped(tx, &who, &j)
		if err != nil {
			return err
		}
		ended = append(ended, moved...)
		j.Secret, j.SignIn = newSignIn(j.Person.ID, agent, address)
		j.SignIn.Until, grant.SignIn = grant.Until, j.SignIn.ID
		if err := tx.PutSignIn(&j.SignIn); err != nil {
			return err
		}
		return tx.PutSignOnGrant(&grant)
	})
	if err != nil {
		return j, err
	}
	t.forgetNames()
	t.signIns.endSeats(ctx, j.Person.Name, ended)
	return j, nil
}

// personBy finds who somebody is here, or lets them join.
func (t *People) personBy(tx Tx, who *Joining, j *Joined) error {
	id, known, err := tx.Identity(who.Issuer, who.Subject)
	if err != nil {
		return err
	}
	if id != "" {
		j.Person, err = tx.Person(id)
		return err
	}
	if checkEmail(who.Email) != nil {
		return ErrIdentityEmail
	}
	j.Person, err = tx.PersonByEmail(EmailKey(who.Email))
	switch {
	case err == nil:
		return link(tx, who, j)
	case !errors.Is(err, chat.ErrPersonNotFound):
		return err
	}
	_, removed, err := tx.Identity("", chat.Hash(EmailKey(who.Email)))
	if err != nil || known || removed {
		return firstOf(err, ErrIdentityRemoved)
	}
	return t.join(tx, who, j)
}

// link gives an account that is here already to who has its verified address at the provider.
func link(tx Tx, who *Joining, j *Joined) error {
	other, err := tx.HasIdentity(who.Issuer, j.Person.ID)
	if err != nil || other || !who.Verified {
		return firstOf(err, ErrIdentityOther)
	}
	j.Linked = true
	return tx.PutIdentity(who.Issuer, who.Subject, j.Person.ID)
}

// join makes an account.
func (t *People) join(tx Tx, who *Joining, j *Joined) error {
	p := chat.Person{Email: who.Email, Role: who.Role, Sites: who.Sites}
	prepare(&p)
	name, err := freeName(tx, who)
	if err != nil {
		return err
	}
	if p.Name = name; p.Role == "" {
		p.Role = chat.RoleOperator
	}
	if err := t.check(&p); err != nil {
		return err
	}
	if err := addPerson(tx, &p); err != nil {
		return err
	}
	j.Person, j.New = p, true
	return tx.PutIdentity(who.Issuer, who.Subject, p.ID)
}

// freeName is the name at the provider, or what of the address comes before the @, with a number
// if somebody has it already.
func freeName(tx Tx, who *Joining) (string, error) {
	local := who.Email
	for i, c := range local {
		if c == '@' {
			local = local[:i]
			break
		}
	}
	for _, name := range []string{chat.Clip(chat.OneLine(who.Name), maxPersonName-4), chat.Clip(local, maxPersonName-4), "Operator"} {
		if name == "" || CheckName(name) != nil {
			continue
		}
		for n := 1; n < 100; n++ {
			p := chat.Person{Name: name}
			if n > 1 {
				p.Name += " " + strconv.Itoa(n)
			}
			if err := named(tx, &p); !errors.Is(err, ErrNameTaken) {
				return p.Name, err
			}
		}
	}
	return "", ErrNameTaken
}

// mapped gives a person what the provider's groups decide. The last administrator stays one.
func mapped(tx Tx, who *Joining, j *Joined) (moved []chat.SignIn, err error) {
	j.Before = j.Person
	if !who.Mapped || j.Person.Role == who.Role && j.Person.Sites.Equal(who.Sites) {
		return nil, nil
	}
	if next := (chat.Person{Role: who.Role, Sites: who.Sites}); mayBeLast(&j.Person) && !mayBeLast(&next) {
		if err := notLast(tx); errors.Is(err, ErrLastAdmin) {
			j.Kept = true
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	elsewhere := !j.Person.Sites.Equal(who.Sites)
	j.Person.Role, j.Person.Sites = who.Role, who.Sites
	if err := tx.PutPerson(&j.Person); err != nil || !elsewhere {
		return nil, err
	}
	if moved, err = tx.SignIns(j.Person.ID); err != nil {
		return nil, err
	}
	return moved, tx.UnassignElsewhere(j.Person.ID, who.Sites)
}

// forgetIdentity remembers a removed person, who does not join again by signing in.
func forgetIdentity(tx Tx, p *chat.Person) error {
	return tx.PutIdentity("", chat.Hash(EmailKey(p.Email)), "")
}

// Grants lists the sign-ins about which a provider is asked again.
func (t *SignIns) Grants(ctx context.Context, limit int) (list []chat.SignOnGrant, err error) {
	err = t.store.Read(ctx, func(rd Reader) error {
		list, err = rd.SignOnGrants(chat.Now(), limit)
		return err
	})
	return list, err
}

// Renew puts the end of a sign-in off, and gives its person what the groups decide.
func (t *People) Renew(ctx context.Context, who Joining, g chat.SignOnGrant) (j Joined, err error) {
	var moved []chat.SignIn
	err = t.store.Apply(ctx, func(tx Tx) error {
		j = Joined{}
		if err := lockTeam(tx); err != nil {
			return err
		}
		id, _, err := tx.Identity(who.Issuer, who.Subject)
		if err != nil {
			return err
		}
		if j.Person, err = tx.Person(id); err != nil {
			return err
		}
		if moved, err = mapped(tx, &who, &j); err != nil {
			return err
		}
		return tx.RenewSignOn(&g)
	})
	if err == nil {
		t.forgetNames()
		t.signIns.endSeats(ctx, j.Person.Name, moved)
	}
	return j, err
}

// Postpone asks about a sign-in again later; its end stays.
func (t *SignIns) Postpone(ctx context.Context, g chat.SignOnGrant) error {
	return t.store.Apply(ctx, func(tx Tx) error { return tx.RenewSignOn(&g) })
}
