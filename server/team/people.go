package team

import (
	"context"
	"errors"
	"log/slog"
	"net/mail"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
)

// Bounds of people.
const (
	maxPeople        = 1000
	maxPersonName    = 60
	maxEmail         = 254
	maxPlatformName  = 100
	maxPlatformNames = 20
	// minPassword and MaxPassword count characters and bytes.
	minPassword = 10
	MaxPassword = 1000
)

// Errors of people.
var (
	ErrNameTaken  = chat.ErrorAt(chat.Conflict, "name", "Somebody in the team has this name already. Add a letter of the last name")
	ErrEmailTaken = chat.ErrorAt(chat.Conflict, "email", "Somebody in the team has this e-mail address already")
	ErrLastAdmin  = &chat.Error{Kind: chat.Conflict, Text: "This is the last administrator. Make somebody else an administrator first"}
)

// People are those who answer visitors, or administer relay.
type People struct {
	store   store
	signIns *SignIns
	log     *slog.Logger
	names   platformNames
	// platforms are those on which people have names.
	platforms []string
}

// EmailKey is how e-mail addresses are stored and compared.
func EmailKey(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// checkEmail rejects what is no e-mail address.
func checkEmail(email string) error {
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || len(email) > maxEmail || !strings.Contains(email, "@") {
		return chat.Errorf(chat.Invalid, "email must be an e-mail address, like ada@example.com")
	}
	return nil
}

// CheckPassword rejects short passwords, and those that are the person's own name or address.
func CheckPassword(password string, own ...string) error {
	switch {
	case utf8.RuneCountInString(password) < minPassword:
		return chat.Errorf(chat.Invalid, "password must be at least %d characters", minPassword)
	case len(password) > MaxPassword:
		return chat.Errorf(chat.Invalid, "password must be at most %d bytes", MaxPassword)
	case strings.Trim(password, password[:1]) == "":
		return chat.Errorf(chat.Invalid, "password must not repeat one character")
	}
	for _, name := range own {
		if name != "" && strings.EqualFold(password, name) {
			return chat.Errorf(chat.Invalid, "password must not be the name or the e-mail address")
		}
	}
	return nil
}

// check rejects a person with invalid fields.
func (t *People) check(p *chat.Person) error {
	p.Name, p.Email = strings.Join(strings.Fields(p.Name), " "), EmailKey(p.Email)
	if err := checkEmail(p.Email); err != nil {
		return err
	}
	if !p.Role.Valid() {
		return chat.Errorf(chat.Invalid, "role must be administrator or operator")
	}
	if err := checkPreferences(&p.Preferences.V); err != nil {
		return err
	}
	return t.checkPlatformNames(p.PlatformNames)
}

func (t *People) checkPlatformNames(names []chat.PlatformName) error {
	if len(names) > maxPlatformNames {
		return chat.Errorf(chat.Invalid, "platformNames must be at most %d", maxPlatformNames)
	}
	for i := range names {
		n := &names[i]
		n.Name = PlatformKey(n.Name)
		if n.Name == "" || utf8.RuneCountInString(n.Name) > maxPlatformName {
			return chat.Errorf(chat.Invalid, "platformNames.name must be 1 to %d characters", maxPlatformName)
		}
		if !slices.Contains(t.platforms, n.Bridge) {
			return chat.Errorf(chat.Invalid, "platformNames.bridge must be %s", oneOf(t.platforms))
		}
	}
	return nil
}

// oneOf lists what is allowed.
func oneOf(names []string) string {
	text := strings.Join(names, ", ")
	if i := strings.LastIndex(text, ", "); i >= 0 {
		text = text[:i] + " or" + text[i+1:]
	}
	return text
}

// PlatformKey is how names on platforms are compared: without @ and case.
func PlatformKey(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "@"))
}

// List lists everybody by name.
func (t *People) List(ctx context.Context) (list []chat.Person, err error) {
	err = t.store.Read(ctx, func(rd Reader) error {
		list, err = rd.People()
		return err
	})
	return list, err
}

// Find returns ErrPersonNotFound when there is none.
func (t *People) Find(ctx context.Context, id string) (p chat.Person, err error) {
	err = t.store.Read(ctx, func(rd Reader) error {
		p, err = rd.Person(id)
		return err
	})
	return p, err
}

// ByEmail returns ErrPersonNotFound when nobody has the address.
func (t *People) ByEmail(ctx context.Context, email string) (p chat.Person, err error) {
	err = t.store.Read(ctx, func(rd Reader) error {
		p, err = rd.PersonByEmail(EmailKey(email))
		return err
	})
	return p, err
}

// Add stores a new person. Without an id it gets one.
func (t *People) Add(ctx context.Context, p chat.Person) (chat.Person, error) {
	prepare(&p)
	if err := t.check(&p); err != nil {
		return p, err
	}
	err := t.store.Apply(ctx, func(tx Tx) error { return addPerson(tx, &p) })
	t.forgetNames()
	return p, err
}

// prepare fills in what every new person has.
func prepare(p *chat.Person) {
	if p.ID == "" {
		p.ID = chat.NewID()
	}
	p.CreatedAt = chat.Now()
	if p.Preferences.V.Notify == "" {
		p.Preferences.V = defaultPreferences
	}
}

func addPerson(tx Tx, p *chat.Person) error {
	n, _, err := tx.CountPeople()
	switch {
	case err != nil:
		return err
	case n >= maxPeople:
		return chat.Errorf(chat.Conflict, "There are %d people, which is the most", n)
	}
	if err := named(tx, p); err != nil {
		return err
	}
	if err := taken(tx, p); err != nil {
		return err
	}
	return tx.PutPerson(p)
}

// taken reports whether somebody else has the person's name or address.
func taken(tx Tx, p *chat.Person) error {
	for _, other := range []struct {
		find func(string) (chat.Person, error)
		key  string
		err  error
	}{{tx.PersonByEmail, p.Email, ErrEmailTaken}, {tx.PersonByName, chat.NameKey(p.Name), ErrNameTaken}} {
		had, err := other.find(other.key)
		switch {
		case errors.Is(err, chat.ErrPersonNotFound):
		case err != nil:
			return err
		case had.ID != p.ID:
			return other.err
		}
	}
	return nil
}

// named checks a person's new name, which must not look like somebody else's.
func named(tx Tx, p *chat.Person) error {
	if err := CheckName(p.Name); err != nil {
		return err
	}
	people, err := tx.People()
	if err != nil {
		return err
	}
	key := looks(p.Name)
	if slices.ContainsFunc(people, func(other chat.Person) bool { return other.ID != p.ID && looks(other.Name) == key }) {
		return ErrNameTaken
	}
	return nil
}

// Change stores what change does to a person, and returns the person as stored.
func (t *People) Change(ctx context.Context, id string, change func(*chat.Person) error) (p chat.Person, err error) {
	var moved []chat.SignIn
	elsewhere, wishes := false, false
	err = t.store.Apply(ctx, func(tx Tx) error {
		if err := lockTeam(tx); err != nil {
			return err
		}
		if p, err = tx.Person(id); err != nil {
			return err
		}
		before := p
		if err := change(&p); err != nil {
			return err
		}
		if err := t.check(&p); err != nil {
			return err
		}
		if p.Name != before.Name { // names of earlier versions stay
			if err := named(tx, &p); err != nil {
				return err
			}
		}
		if mayBeLast(&before) && !mayBeLast(&p) {
			if err := notLast(tx); err != nil {
				return err
			}
		}
		if err := taken(tx, &p); err != nil {
			return err
		}
		if p.Password != before.Password { // who has a link to another one may be a thief
			if err := tx.DropLinksOf(id); err != nil {
				return err
			}
		}
		if err := tx.PutPerson(&p); err != nil {
			return err
		}
		if wishes = p.Preferences.V.WantsMails() != before.Preferences.V.WantsMails(); wishes {
			if err := noteWishes(tx); err != nil {
				return err
			}
		}
		if elsewhere = !p.Sites.Equal(before.Sites); !elsewhere {
			return nil
		}
		if moved, err = tx.SignIns(id); err != nil {
			return err
		}
		return tx.UnassignElsewhere(id, p.Sites)
	})
	t.forgetNames()
	if err == nil && elsewhere { // the streams begin again, with what the person sees now
		t.signIns.endSeats(ctx, p.Name, moved)
	}
	if err == nil && wishes {
		err = t.signIns.hooks.SignsChanged(ctx)
	}
	return p, err
}

// Remove removes a person with sign-ins, whose streams end at once. What the person
// wrote stays. by is the name of who removes.
func (t *People) Remove(ctx context.Context, id, by string) (p chat.Person, err error) {
	var ended []chat.SignIn
	err = t.store.Apply(ctx, func(tx Tx) error {
		if err := lockTeam(tx); err != nil {
			return err
		}
		if p, err = tx.Person(id); err != nil {
			return err
		}
		if mayBeLast(&p) {
			if err := notLast(tx); err != nil {
				return err
			}
		}
		if ended, err = tx.SignIns(id); err != nil {
			return err
		}
		how := chat.KeyEnd{At: chat.Now(), By: by, For: chat.KeyRemoved}
		if err := firstOf(tx.EndTokensOf(id, how), tx.KeepTokensOf(&p)); err != nil { // with what was made with them
			return err
		}
		if err := forgetIdentity(tx, &p); err != nil {
			return err
		}
		if err := tx.DeletePerson(id); err != nil {
			return err
		}
		if !p.Preferences.V.WantsMails() {
			return nil
		}
		return noteWishes(tx)
	})
	if err != nil {
		return p, err
	}
	t.forgetNames()
	t.signIns.endSeats(ctx, p.Name, ended)
	if p.Preferences.V.WantsMails() {
		err = t.signIns.hooks.SignsChanged(ctx)
	}
	return p, err
}

// metaTeam is locked by changes that depend on who else is in the team.
const metaTeam = "team"

// lockTeam has changes of the team made one after the other, on all nodes.
func lockTeam(tx Tx) error {
	_, err := tx.LockMeta(metaTeam)
	return err
}

// mayBeLast reports whether a person administers relay, and may be the last who does.
func mayBeLast(p *chat.Person) bool { return p.Role == chat.RoleAdministrator && p.Sites == nil }

// notLast rejects what would leave relay without an administrator.
func notLast(tx Tx) error {
	_, administrators, err := tx.CountPeople()
	if err == nil && administrators <= 1 {
		return ErrLastAdmin
	}
	return err
}

// PutFace replaces a person's picture; an empty one removes it.
func (t *People) PutFace(ctx context.Context, id string, f chat.Face) (p chat.Person, err error) {
	err = t.store.Apply(ctx, func(tx Tx) error {
		if p, err = tx.Person(id); err != nil {
			return err
		}
		p.Face = ""
		if len(f.Data) > 0 {
			p.Face = chat.Hash(string(f.Data))[:16]
		}
		if err := tx.PutFace(id, &f); err != nil {
			return err
		}
		return tx.PutPerson(&p)
	})
	return p, err
}

// Face returns a person with the picture, whose Data is empty if there is none.
func (t *People) Face(ctx context.Context, id string) (p chat.Person, f chat.Face, err error) {
	err = t.store.Read(ctx, func(rd Reader) error {
		if p, err = rd.Person(id); err != nil || p.Face == "" {
			return err
		}
		f, err = rd.Face(id)
		return err
	})
	return p, f, err
}
