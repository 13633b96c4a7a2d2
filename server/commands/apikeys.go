package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
)

var errNoAPIKeys = errors.New("keys with scopes are for community mode; in bridge mode there is one key, API_KEY")

// withAPIKeys calls use with the keys in the database of a relay that may be running: it sees
// a change at once.
func (c *Call) withAPIKeys(ctx context.Context, use func(chat.Store, *team.Keys) error) error {
	if c.Config.Mode == chat.ModeBridge {
		return errNoAPIKeys
	}
	return c.withTeam(ctx, func(store chat.Store, t *team.Team) error { return use(store, t.Keys) })
}

// listAPIKeys prints the keys, without their texts.
func listAPIKeys(ctx context.Context, c *Call, _ string) error {
	return c.withAPIKeys(ctx, func(_ chat.Store, keys *team.Keys) error {
		list, err := keys.List(ctx)
		if err != nil {
			return err
		}
		return c.printKeys(list, "No program has a key. relay keys add NAME --scope read makes one.", "WEBSITES\tMADE BY\tLAST USED\tEXPIRES",
			func(k *chat.APIKey) []string { return []string{keySites(k), k.MadeBy, day(k.UsedAt), expiry(k)} })
	})
}

// endings are the reasons for which keys end, in words.
var endings = map[chat.KeyReason]string{
	chat.KeyEnded: "by hand", chat.KeyExpired: "expired", chat.KeyRemoved: "its person was removed",
	chat.KeyPassword: "its person got a new password", chat.KeySignedOut: "its person was signed out everywhere",
	chat.KeySecretKey: "the secret key that made it was replaced", chat.KeyMaker: "the key that made it ended",
	chat.KeyReused: "one of its tokens was used twice", chat.KeyGaveUp: "the program ended it",
}

// listEndedAPIKeys prints the keys that work no more, with how they ended.
func listEndedAPIKeys(ctx context.Context, c *Call, _ string) error {
	return c.withAPIKeys(ctx, func(_ chat.Store, keys *team.Keys) error {
		list, err := keys.Ended(ctx)
		if err != nil {
			return err
		}
		return c.printKeys(list, "No key has ended within 90 days.", "ENDED\tBY\tWHY",
			func(k *chat.APIKey) []string { return []string{k.EndedAt.String(), k.EndedBy, endings[k.EndedFor]} })
	})
}

// printKeys prints a list of keys, as JSON or as a table whose further columns have a head.
func (c *Call) printKeys(list []chat.APIKey, none, head string, more func(*chat.APIKey) []string) error {
	if c.Flags.JSON {
		return JSON(c.Out, map[string]any{"keys": append([]chat.APIKey{}, list...)})
	}
	if len(list) == 0 {
		fmt.Fprintln(c.Out, none)
		return nil
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tNAME\tSCOPES\t"+head)
	for i := range list {
		k := &list[i]
		fmt.Fprintln(table, strings.Join(append([]string{k.ID, k.Name + ofPerson(k), k.Scopes.String()}, more(k)...), "\t"))
	}
	return table.Flush()
}

func ofPerson(k *chat.APIKey) string {
	switch {
	case k.Host != "":
		return " (connected from " + k.Host + ")"
	case k.Person != "":
		return " (token)"
	}
	return ""
}

func keySites(k *chat.APIKey) string {
	if k.Sites == nil {
		return "all"
	}
	return strings.Join(k.Sites.Names(), ", ")
}

// day is when something was, "never" for no time.
func day(at chat.Time) string {
	if at == 0 {
		return "never"
	}
	return at.String()
}

func expiry(k *chat.APIKey) string {
	if !k.Works(chat.Now()) {
		return "expired"
	}
	return day(k.ExpiresAt)
}

// addAPIKey makes a key and prints it, this once.
func addAPIKey(ctx context.Context, c *Call, name string) error {
	scopes, err := chat.KeyScopesOf(c.Flags.Options["--scope"])
	if err != nil {
		return fmt.Errorf("--scope: %w, such as --scope read; %w", err, ErrUsage)
	}
	k := chat.APIKey{Name: name, Scopes: scopes}
	if text := c.option("--expires"); text != nil {
		if err := k.ExpiresAt.UnmarshalJSON(chat.MustJSON(*text)); err != nil || k.ExpiresAt <= chat.Now() {
			return fmt.Errorf("--expires must be a day or a time in the future, like 2027-01-31; %w", ErrUsage)
		}
	}
	return c.withAPIKeys(ctx, func(store chat.Store, keys *team.Keys) error {
		var err error
		if k.Sites, err = c.invitedTo(ctx, store); err != nil {
			return err
		}
		relay := chat.Author{Sender: chat.SenderOperator, Role: chat.RoleAdministrator}
		secret, made, err := keys.Add(ctx, relay, k, func(team.Reader) error { return nil })
		if err != nil {
			return err
		}
		if err := c.audit(ctx, store, chat.AuditKeyMade, made.Name); err != nil {
			return err
		}
		if c.Flags.JSON {
			return JSON(c.Out, map[string]any{"id": made.ID, "key": secret})
		}
		fmt.Fprintf(c.Out, "%s\nThis is the key. It is not shown again. Programs send it as Authorization: Bearer.\n", secret)
		return nil
	})
}

// endAPIKey ends a key that is named by its id or, if only one has it, by its name.
func endAPIKey(ctx context.Context, c *Call, which string) error {
	return c.withAPIKeys(ctx, func(store chat.Store, keys *team.Keys) error {
		list, err := keys.List(ctx)
		if err != nil {
			return err
		}
		k, err := keyNamed(list, which)
		if err != nil {
			return err
		}
		if err := keys.End(ctx, k.ID, chat.AuditName(chat.Author{})); err != nil {
			return err
		}
		if err := c.audit(ctx, store, chat.AuditKeyEnded, k.Name); err != nil {
			return err
		}
		fmt.Fprintf(c.Out, "%s opens nothing any more, nor does any key that it made.\n", k.Name)
		return nil
	})
}

func keyNamed(list []chat.APIKey, which string) (*chat.APIKey, error) {
	var found []*chat.APIKey
	for i := range list {
		if list[i].ID == which {
			return &list[i], nil
		}
		if chat.NameKey(list[i].Name) == chat.NameKey(which) {
			found = append(found, &list[i])
		}
	}
	switch len(found) {
	case 0:
		return nil, errors.New("there is no such key; relay keys list shows all")
	case 1:
		return found[0], nil
	}
	return nil, errors.New("several keys have this name; give the id that relay keys list shows")
}
