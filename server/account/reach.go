package account

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// Manages refuses to administrators of some sites what concerns people of others.
func Manages(by chat.Author, p *chat.Person) error {
	switch {
	case by.Manages(p.Sites):
		return nil
	case !p.Sites.Meets(by.Sites):
		return chat.ErrPersonNotFound
	}
	return chat.Errorf(chat.Forbidden, "“%s” also answers sites that you do not administer. Ask an administrator of all sites", p.Name)
}

// overPerson refuses to act for somebody else to whoever does not administer all of that
// person's sites.
func overPerson(ctx context.Context, people *team.People, by chat.Author, person string) error {
	switch {
	case person == by.Person && person != "", by.OfRelay():
		return nil
	case by.Role != chat.RoleAdministrator:
		return web.ErrAdministrators
	case person == "": // whoever used the secret key
		return web.ErrAllSites
	}
	p, err := people.Find(ctx, person)
	if err == nil {
		err = Manages(by, &p)
	}
	return err
}
