package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/moving"
)

var errNoSites = errors.New("in bridge mode SITES_FILE declares the sites, and your backend keeps the conversations")

// withSites calls use with an engine and the keys. A relay that runs on the same database
// notices a change within two seconds.
func (c *Call) withSites(ctx context.Context, use func(*engine.Engine, *keyring.Ring) error) error {
	if c.Config.Mode == chat.ModeBridge {
		return errNoSites
	}
	return c.WithEngine(ctx, func(e *engine.Engine) error {
		keys, err := keyring.Join(ctx, e.Store, c.Config, c.Log)
		if err != nil {
			return err
		}
		return use(e, keys)
	})
}

// siteNamed returns the site that a command names by its id, or by its name.
func siteNamed(e *engine.Engine, word string) (*chat.Site, error) {
	if site, err := e.Sites().Named(word); err == nil {
		return site, nil
	}
	ids := []string{}
	for _, site := range e.Sites().All() {
		if chat.NameKey(site.Label()) == chat.NameKey(word) {
			return &site, nil
		}
		ids = append(ids, site.PublicID())
	}
	return nil, fmt.Errorf("there is no site %q; there is %s", word, strings.Join(ids, ", "))
}

// askedSite returns the site that --site names, nil without it.
func (c *Call) askedSite(ctx context.Context, store chat.Store) (*string, error) {
	named := c.option("--site")
	if named == nil {
		return nil, nil
	}
	sites, err := storedSites(ctx, store)
	if err != nil {
		return nil, err
	}
	site, err := sites.Named(*named)
	if err != nil {
		return nil, fmt.Errorf("there is no site %q; relay sites list shows their ids", *named)
	}
	return &site.ID, nil
}

// storedSites returns the sites without their settings.
func storedSites(ctx context.Context, store chat.Store) (*chat.Sites, error) {
	var list []chat.Site
	err := store.ReadOne(ctx, func(rd chat.Reader) (err error) { list, err = rd.Sites(); return err })
	return chat.SitesOf(list, &chat.Settings{}, nil, nil), err
}

// invitedTo returns the sites that each --site names, nil for all without any.
func (c *Call) invitedTo(ctx context.Context, store chat.Store) (chat.SiteSet, error) {
	names := c.Flags.Options["--site"]
	if len(names) == 0 {
		return nil, nil
	}
	sites, err := storedSites(ctx, store)
	if err != nil {
		return nil, err
	}
	set, err := sites.SetOf(names, nil)
	if err != nil {
		return nil, fmt.Errorf("%w; relay sites list shows their ids", err)
	}
	return set, nil
}

func listSites(ctx context.Context, c *Call, _ string) error {
	return c.withSites(ctx, func(e *engine.Engine, keys *keyring.Ring) error {
		views := []server.SiteView{}
		for _, site := range e.Sites().All() {
			views = append(views, server.ViewSite(&site, e.Sites(), keys, c.Config))
		}
		if c.Flags.JSON {
			return JSON(c.Out, views)
		}
		table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tNAME\tADDRESS\tSTATE\tPUBLIC KEY")
		for _, v := range views {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", v.ID, v.Name, v.Address, stateOf(&v), v.PublicKey)
		}
		return table.Flush()
	})
}

func stateOf(v *server.SiteView) string {
	switch {
	case v.ErasedAt != 0:
		return "being erased"
	case v.ArchivedAt != 0:
		return "archived"
	}
	return "open"
}

func showSite(ctx context.Context, c *Call, word string) error {
	return c.withSites(ctx, func(e *engine.Engine, keys *keyring.Ring) error {
		site, err := siteNamed(e, word)
		if err != nil {
			return err
		}
		return c.printSite(ctx, e, keys, site)
	})
}

// printSite prints a site with its snippet.
func (c *Call) printSite(ctx context.Context, e *engine.Engine, keys *keyring.Ring, site *chat.Site) error {
	v, err := server.WholeSite(ctx, e, keys, c.Config, server.BaseURL(c.Config, nil), site)
	if err != nil || c.Flags.JSON {
		return errors.Join(err, JSON(c.Out, v))
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	if v.DeclaredIn != "" {
		defer fmt.Fprintf(c.Out, "\n%s declares it: what stands there is changed there.\n", v.DeclaredIn)
	}
	fmt.Fprintf(table, "id\t%s\nname\t%s\naddress\t%s\nstate\t%s\norigins\t%s\nconversations\t%d\n", v.ID, v.Name, v.Address, stateOf(&v), strings.Join(v.Origins, ", "), *v.Conversations)
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "\nPut this on its pages:\n%s\n", v.Snippet)
	return nil
}

func addSite(ctx context.Context, c *Call, _ string) error {
	return c.withSites(ctx, func(e *engine.Engine, keys *keyring.Ring) error {
		words := c.Words[2:]
		in := engine.SiteChange{ID: c.option("--id"), Name: &words[0], Wanted: server.SiteIDOf(words...), Color: c.option("--color"), Key: c.option("--key")}
		if len(words) > 1 {
			in.Address = &words[1]
		}
		if origins := c.Flags.Options["--origin"]; origins != nil {
			in.Origins = &origins
		}
		if in.Key != nil && keys.IsPublic(*in.Key) {
			return errors.New("the first site has this public key; choose another")
		}
		site, err := e.AddSite(ctx, in)
		if err == nil {
			err = c.audit(ctx, e.Store, chat.AuditSiteAdded, site.ID)
		}
		if err != nil {
			return err
		}
		return c.printSite(ctx, e, keys, &site)
	})
}

// changeSite changes the site that a command names and prints what was done.
func (c *Call) changeSite(ctx context.Context, word string, in engine.SiteChange, done string) error {
	return c.withSites(ctx, func(e *engine.Engine, _ *keyring.Ring) error {
		site, err := siteNamed(e, word)
		if err != nil {
			return err
		}
		if _, err := e.ChangeSite(ctx, site.ID, in); err != nil {
			return err
		}
		fmt.Fprintln(c.Out, done)
		return c.audit(ctx, e.Store, chat.AuditSiteChanged, site.PublicID())
	})
}

func archiveSite(ctx context.Context, c *Call, word string) error {
	return c.changeSite(ctx, word, engine.SiteChange{Archived: new(true)}, "Its chat is closed. Its conversations can still be read; open it again with: relay sites reopen "+word)
}

func reopenSite(ctx context.Context, c *Call, word string) error {
	return c.changeSite(ctx, word, engine.SiteChange{Archived: new(false)}, "Its chat is open.")
}

func rotateSiteKey(ctx context.Context, c *Call, word string) error {
	return c.withSites(ctx, func(e *engine.Engine, keys *keyring.Ring) error {
		site, err := siteNamed(e, word)
		if err != nil {
			return err
		}
		key, err := server.RotateSiteKey(ctx, e, keys, site)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.Out, "%s\nThis is the new key of %s. The old one is no longer valid.\n", key, site.Label())
		return c.audit(ctx, e.Store, chat.AuditKeyRotated, site.PublicID()+" public key")
	})
}

// withMoves calls use with what exporting and importing a site needs.
func (c *Call) withMoves(ctx context.Context, use func(*engine.Engine, *keyring.Ring, Knowledge, Search) error) error {
	if c.Config.Mode == chat.ModeBridge {
		return errNoSites
	}
	return c.WithKnowledge(ctx, func(e *engine.Engine, base Knowledge, search Search) error {
		keys, err := keyring.Join(ctx, e.Store, c.Config, c.Log)
		if err != nil {
			return err
		}
		return use(e, keys, base, search)
	})
}

// exportSite writes a site to a file, which must be new.
func exportSite(ctx context.Context, c *Call, _ string) error {
	word, file := c.Words[2], c.Words[3]
	return c.withMoves(ctx, func(e *engine.Engine, keys *keyring.Ring, base Knowledge, _ Search) error {
		site, err := siteNamed(e, word)
		if err != nil {
			return err
		}
		var done moving.Done
		err = writeNew(file, func(out io.Writer) (err error) {
			done, err = moving.Export(ctx, e, base, site, server.ViewSite(site, e.Sites(), keys, c.Config).PublicKey, out)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(c.Out, "Wrote %s with %s, %s and %s to %s.\n", site.Label(), chat.Count(done.Conversations, "conversation"), chat.Count(done.Messages, "message"),
			chat.Count(done.Files, "file"), file)
		return c.audit(ctx, e.Store, chat.AuditSiteExported, site.PublicID())
	})
}

// importSite adds the site that exportSite wrote.
func importSite(ctx context.Context, c *Call, file string) error {
	in, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	defer in.Close()
	about, err := in.Stat()
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	return c.withMoves(ctx, func(e *engine.Engine, keys *keyring.Ring, base Knowledge, search Search) error {
		options := moving.Options{ID: *cmp.Or(c.option("--id"), new(string)), Name: *cmp.Or(c.option("--name"), new(string)), KeyTaken: keys.IsPublic,
			Imported: func(id string) { search.Notice(&chat.Event{Type: chat.EventMessage, SessionID: id}) }}
		site, done, err := moving.Import(ctx, e, base, in, about.Size(), options)
		if err != nil {
			return fmt.Errorf("import %s: %w", file, err)
		}
		for more := true; more && err == nil; {
			more, err = search.Step(ctx)
		}
		fmt.Fprintf(c.Out, "Added %s (%s) with %s, %s and %s.\n", site.Name, site.ID, chat.Count(done.Conversations, "conversation"), chat.Count(done.Messages, "message"),
			chat.Count(done.Files, "file"))
		if done.Known > 0 {
			fmt.Fprintf(c.Out, "%s had been imported before.\n", chat.Count(done.Known, "conversation"))
		}
		for _, note := range done.Notes {
			fmt.Fprintln(c.Out, note)
		}
		return errors.Join(err, c.audit(ctx, e.Store, chat.AuditSiteImported, site.ID))
	})
}
