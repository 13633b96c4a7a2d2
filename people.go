package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
)

// withPeople calls use with the engine on the database of a relay that may be running: it
// sees a change at once.
func (a *app) withPeople(ctx context.Context, use func(*chat.Engine) error) error {
	database, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer database.Close()
	engine, err := peopleEngine(ctx, database, a)
	if err != nil {
		return err
	}
	return use(engine)
}

func peopleEngine(ctx context.Context, database *db.DB, a *app) (*chat.Engine, error) {
	return chat.Open(ctx, chat.Config{Store: database, Log: a.log, Settings: a.cfg.Settings})
}

// listPeople prints the team.
func (a *app) listPeople(ctx context.Context, _ string) error {
	return a.withPeople(ctx, func(e *chat.Engine) error {
		people, err := e.People(ctx)
		if err != nil {
			return err
		}
		if a.line.flags.JSON {
			return a.json(map[string]any{"people": append([]chat.Person{}, people...)})
		}
		if len(people) == 0 {
			fmt.Fprintln(a.stdout, "Nobody has an account yet. relay people add EMAIL makes an invitation for an administrator.")
		}
		for _, p := range people {
			fmt.Fprintf(a.stdout, "%-30s %-30s %s\n", p.Email, p.Name, p.Role)
		}
		return nil
	})
}

// addPerson prints an invitation for an administrator.
func (a *app) addPerson(ctx context.Context, email string) error {
	return a.withPeople(ctx, func(e *chat.Engine) error {
		return a.printLink(ctx, e, chat.Invitation{Email: email, Role: chat.RoleAdministrator, InvitedBy: "relay"}, chat.AuditInvited, email)
	})
}

// resetPerson prints a link to a new password.
func (a *app) resetPerson(ctx context.Context, who string) error {
	return a.withPeople(ctx, func(e *chat.Engine) error {
		people, err := e.People(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(people, func(p chat.Person) bool { return p.Email == chat.EmailKey(who) || strings.EqualFold(p.Name, who) })
		if i < 0 {
			return errors.New("there is no such person; relay people list shows all")
		}
		return a.printLink(ctx, e, chat.Invitation{Person: people[i].ID, Role: people[i].Role, InvitedBy: "relay"}, chat.AuditPasswordReset, people[i].Name)
	})
}

// printLink makes a link and prints it.
func (a *app) printLink(ctx context.Context, e *chat.Engine, i chat.Invitation, action, about string) error {
	secret, made, err := e.Invite(ctx, i)
	if err != nil {
		return err
	}
	e.Audit(ctx, chat.Author{}, chat.AuditEntry{Action: action, Target: about, Detail: "on the command line"})
	base := cmp.Or(a.cfg.PublicURL, fmt.Sprintf("http://localhost:%d", a.cfg.Port))
	fmt.Fprintf(a.stdout, "%s\nThe link works once, until %s.\n", server.InvitationURL(base, secret), made.ExpiresAt)
	return nil
}
