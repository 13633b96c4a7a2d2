package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/account"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
)

// withPeople is [Call.withTeam] for the people.
func (c *Call) withPeople(ctx context.Context, use func(chat.Store, *team.People) error) error {
	return c.withTeam(ctx, func(store chat.Store, t *team.Team) error { return use(store, t.People) })
}

// listPeople prints the team.
func listPeople(ctx context.Context, c *Call, _ string) error {
	return c.withPeople(ctx, func(_ chat.Store, people *team.People) error {
		list, err := people.List(ctx)
		if err != nil {
			return err
		}
		if c.Flags.JSON {
			return JSON(c.Out, map[string]any{"people": append([]chat.Person{}, list...)})
		}
		if len(list) == 0 {
			fmt.Fprintln(c.Out, "Nobody has an account yet. relay people add EMAIL makes an invitation for an administrator.")
		}
		for _, p := range list {
			fmt.Fprintf(c.Out, "%-30s %-30s %s%s\n", p.Email, p.Name, p.Role, ofSites(p.Sites))
		}
		return nil
	})
}

// ofSites says which sites a person answers, if not all.
func ofSites(sites chat.SiteSet) string {
	if sites == nil {
		return ""
	}
	return " of " + strings.Join(sites.Names(), ", ")
}

// addPerson prints an invitation for an administrator.
func addPerson(ctx context.Context, c *Call, email string) error {
	return c.withPeople(ctx, func(store chat.Store, people *team.People) error {
		sites, err := c.invitedTo(ctx, store)
		if err != nil {
			return err
		}
		return c.printLink(ctx, store, people, chat.Invitation{Email: email, Role: chat.RoleAdministrator, Sites: sites, InvitedBy: "relay"}, chat.AuditInvited, email)
	})
}

// resetPerson prints a link to a new password.
func resetPerson(ctx context.Context, c *Call, who string) error {
	return c.withPeople(ctx, func(store chat.Store, people *team.People) error {
		p, err := personCalled(ctx, people, who)
		if err != nil {
			return err
		}
		return c.printLink(ctx, store, people, chat.Invitation{Person: p.ID, Role: p.Role, Sites: p.Sites, InvitedBy: "relay"}, chat.AuditPasswordReset, p.Name)
	})
}

// audit records what a command did.
func (c *Call) audit(ctx context.Context, store chat.Store, action, target string) error {
	e := chat.AuditBy(chat.Author{}, chat.AuditEntry{Action: action, Target: target, Detail: "on the command line"})
	if err := store.Apply(context.WithoutCancel(ctx), func(tx chat.Tx) error { return tx.PutAudit(&e) }); err != nil {
		return fmt.Errorf("it is done, but the audit list misses it: %w", err)
	}
	return nil
}

// printLink makes a link and prints it.
func (c *Call) printLink(ctx context.Context, store chat.Store, people *team.People, i chat.Invitation, action, about string) error {
	secret, made, err := people.Invite(ctx, i)
	if err != nil {
		return err
	}
	if err := c.audit(ctx, store, action, about); err != nil {
		return err
	}
	base := cmp.Or(c.Config.PagesURL(), fmt.Sprintf("http://localhost:%d", c.Config.Port))
	fmt.Fprintf(c.Out, "%s\nThe link works once, until %s.\n", account.InvitationURL(base, secret), made.ExpiresAt)
	if c.Config.PagesURL() == "" {
		fmt.Fprintln(c.Out, "It opens on this machine only: set PUBLIC_URL for a link that others can open.")
	}
	return nil
}

// endTwoStep stops asking a person for codes, who has lost the phone.
func endTwoStep(ctx context.Context, c *Call, who string) error {
	return c.withTeam(ctx, func(store chat.Store, t *team.Team) error {
		p, err := personCalled(ctx, t.People, who)
		if err != nil {
			return err
		}
		if err := t.TwoSteps.Drop(ctx, p.ID); err != nil {
			return err
		}
		if err := c.audit(ctx, store, chat.AuditTwoStepOff, p.Name); err != nil {
			return err
		}
		fmt.Fprintf(c.Out, "%s signs in with the password alone now.\n", p.Name)
		return nil
	})
}

// withTeam calls use with the team in the database of a relay that may be running: it sees a
// change at once.
func (c *Call) withTeam(ctx context.Context, use func(chat.Store, *team.Team) error) error {
	return c.WithStore(ctx, func(store chat.Store) error { return use(store, team.New(store, nil, c.Platforms, c.Log)) })
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
