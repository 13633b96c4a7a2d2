package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
)

// endTwoStep stops asking a person for codes, who has lost the phone.
func endTwoStep(ctx context.Context, a *app, who string) error {
	return a.withTeam(ctx, func(store chat.Store, t *team.Team) error {
		p, err := personCalled(ctx, t.People, who)
		if err != nil {
			return err
		}
		if err := t.TwoSteps.Drop(ctx, p.ID); err != nil {
			return err
		}
		if err := a.audit(ctx, store, chat.AuditTwoStepOff, p.Name); err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "%s signs in with the password alone now.\n", p.Name)
		return nil
	})
}

// withTeam calls use with the team in the database of a relay that may be running: it sees a
// change at once.
func (a *app) withTeam(ctx context.Context, use func(chat.Store, *team.Team) error) error {
	database, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer database.Close()
	return use(database, team.New(database, nil, bridges.Names(), a.log))
}

// personCalled finds a person by e-mail address or name.
func personCalled(ctx context.Context, people *team.People, who string) (chat.Person, error) {
	list, err := people.List(ctx)
	if err != nil {
		return chat.Person{}, err
	}
	i := slices.IndexFunc(list, func(p chat.Person) bool { return p.Email == team.EmailKey(who) || strings.EqualFold(p.Name, who) })
	if i < 0 {
		return chat.Person{}, errors.New("there is no such person; relay people list shows all")
	}
	return list[i], nil
}
