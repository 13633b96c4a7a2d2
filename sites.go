package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/moving"
)

var errNoSites = errors.New("in bridge mode SITES_FILE declares the sites, and your backend keeps the conversations")

// withSites calls use with an engine and the keys. A relay that runs on the same database
// notices a change within two seconds.
func (a *app) withSites(ctx context.Context, use func(*engine.Engine, *server.Keyring) error) error {
	if a.cfg.Mode == chat.ModeBridge {
		return errNoSites
	}
	return a.withEngine(ctx, func(e *engine.Engine) error {
		keys, err := server.JoinKeyring(ctx, e.Store, a.cfg, a.log)
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
func (a *app) askedSite(ctx context.Context, store chat.Store) (*string, error) {
	named := a.option("--site")
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
func (a *app) invitedTo(ctx context.Context, store chat.Store) (chat.SiteSet, error) {
	names := a.line.flags.Options["--site"]
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

func listSites(ctx context.Context, a *app, _ string) error {
	return a.withSites(ctx, func(e *engine.Engine, keys *server.Keyring) error {
		views := []server.SiteView{}
		for _, site := range e.Sites().All() {
			views = append(views, server.ViewSite(&site, e.Sites(), keys, a.cfg))
		}
		if a.line.flags.JSON {
			return a.json(views)
		}
		table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
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

func showSite(ctx context.Context, a *app, word string) error {
	return a.withSites(ctx, func(e *engine.Engine, keys *server.Keyring) error {
		site, err := siteNamed(e, word)
		if err != nil {
			return err
		}
		return a.printSite(ctx, e, keys, site)
	})
}

// printSite prints a site with its snippet.
func (a *app) printSite(ctx context.Context, e *engine.Engine, keys *server.Keyring, site *chat.Site) error {
	v, err := server.WholeSite(ctx, e, keys, a.cfg, server.BaseURL(a.cfg, nil), site)
	if err != nil || a.line.flags.JSON {
		return errors.Join(err, a.json(v))
	}
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	if v.DeclaredIn != "" {
		defer fmt.Fprintf(a.stdout, "\n%s declares it: what stands there is changed there.\n", v.DeclaredIn)
	}
	fmt.Fprintf(table, "id\t%s\nname\t%s\naddress\t%s\nstate\t%s\norigins\t%s\nconversations\t%d\n", v.ID, v.Name, v.Address, stateOf(&v), strings.Join(v.Origins, ", "), *v.Conversations)
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\nPut this on its pages:\n%s\n", v.Snippet)
	return nil
}

func addSite(ctx context.Context, a *app, _ string) error {
	return a.withSites(ctx, func(e *engine.Engine, keys *server.Keyring) error {
		words := a.line.words[2:]
		in := engine.SiteChange{ID: a.option("--id"), Name: &words[0], Wanted: server.SiteIDOf(words...), Color: a.option("--color"), Key: a.option("--key")}
		if len(words) > 1 {
			in.Address = &words[1]
		}
		if origins := a.line.flags.Options["--origin"]; origins != nil {
			in.Origins = &origins
		}
		if in.Key != nil && keys.IsPublic(*in.Key) {
			return errors.New("the first site has this public key; choose another")
		}
		site, err := e.AddSite(ctx, in)
		if err == nil {
			err = a.audit(ctx, e.Store, chat.AuditSiteAdded, site.ID)
		}
		if err != nil {
			return err
		}
		return a.printSite(ctx, e, keys, &site)
	})
}

// changeSite changes the site that a command names and prints what was done.
func (a *app) changeSite(ctx context.Context, word string, in engine.SiteChange, done string) error {
	return a.withSites(ctx, func(e *engine.Engine, _ *server.Keyring) error {
		site, err := siteNamed(e, word)
		if err != nil {
			return err
		}
		if _, err := e.ChangeSite(ctx, site.ID, in); err != nil {
			return err
		}
		fmt.Fprintln(a.stdout, done)
		return a.audit(ctx, e.Store, chat.AuditSiteChanged, site.PublicID())
	})
}

func archiveSite(ctx context.Context, a *app, word string) error {
	return a.changeSite(ctx, word, engine.SiteChange{Archived: new(true)}, "Its chat is closed. Its conversations can still be read; open it again with: relay sites reopen "+word)
}

func reopenSite(ctx context.Context, a *app, word string) error {
	return a.changeSite(ctx, word, engine.SiteChange{Archived: new(false)}, "Its chat is open.")
}

func rotateSiteKey(ctx context.Context, a *app, word string) error {
	return a.withSites(ctx, func(e *engine.Engine, keys *server.Keyring) error {
		site, err := siteNamed(e, word)
		if err != nil {
			return err
		}
		key, err := server.RotateSiteKey(ctx, e, keys, site)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "%s\nThis is the new key of %s. The old one is no longer valid.\n", key, site.Label())
		return a.audit(ctx, e.Store, chat.AuditKeyRotated, site.PublicID()+" public key")
	})
}

// withMoves calls use with what exporting and importing a site needs.
func (a *app) withMoves(ctx context.Context, use func(*engine.Engine, *server.Keyring, *db.DB, *knowledge.Knowledge) error) error {
	if a.cfg.Mode == chat.ModeBridge {
		return errNoSites
	}
	return a.withDatabase(ctx, func(e *engine.Engine, database *db.DB) error {
		keys, err := server.JoinKeyring(ctx, e.Store, a.cfg, a.log)
		if err != nil {
			return err
		}
		return use(e, keys, database, a.knowledge(database, e.Settings))
	})
}

// exportSite writes a site to a file, which must be new.
func exportSite(ctx context.Context, a *app, _ string) error {
	word, file := a.line.words[2], a.line.words[3]
	return a.withMoves(ctx, func(e *engine.Engine, keys *server.Keyring, _ *db.DB, base *knowledge.Knowledge) error {
		site, err := siteNamed(e, word)
		if err != nil {
			return err
		}
		var done moving.Done
		err = writeNew(file, func(out io.Writer) (err error) {
			done, err = moving.Export(ctx, e, base, site, server.ViewSite(site, e.Sites(), keys, a.cfg).PublicKey, out)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "Wrote %s with %s, %s and %s to %s.\n", site.Label(), chat.Count(done.Conversations, "conversation"), chat.Count(done.Messages, "message"),
			chat.Count(done.Files, "file"), file)
		return a.audit(ctx, e.Store, chat.AuditSiteExported, site.PublicID())
	})
}

// importSite adds the site that exportSite wrote.
func importSite(ctx context.Context, a *app, file string) error {
	in, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	defer in.Close()
	about, err := in.Stat()
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	return a.withMoves(ctx, func(e *engine.Engine, keys *server.Keyring, database *db.DB, base *knowledge.Knowledge) error {
		search := db.NewSearch(database, a.log)
		options := moving.Options{ID: *cmp.Or(a.option("--id"), new(string)), Name: *cmp.Or(a.option("--name"), new(string)), KeyTaken: keys.IsPublic,
			Imported: func(id string) { search.Notice(&chat.Event{Type: chat.EventMessage, SessionID: id}) }}
		site, done, err := moving.Import(ctx, e, base, in, about.Size(), options)
		if err != nil {
			return fmt.Errorf("import %s: %w", file, err)
		}
		for more := true; more && err == nil; {
			more, err = search.Step(ctx)
		}
		fmt.Fprintf(a.stdout, "Added %s (%s) with %s, %s and %s.\n", site.Name, site.ID, chat.Count(done.Conversations, "conversation"), chat.Count(done.Messages, "message"),
			chat.Count(done.Files, "file"))
		if done.Known > 0 {
			fmt.Fprintf(a.stdout, "%s had been imported before.\n", chat.Count(done.Known, "conversation"))
		}
		for _, note := range done.Notes {
			fmt.Fprintln(a.stdout, note)
		}
		return errors.Join(err, a.audit(ctx, e.Store, chat.AuditSiteImported, site.ID))
	})
}
