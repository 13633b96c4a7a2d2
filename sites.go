package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// withSites calls use with an engine and the keys. A relay that runs on the same database
// notices a change within two seconds.
func (a *app) withSites(ctx context.Context, use func(*engine.Engine, *server.Keyring) error) error {
	if a.cfg.Mode == chat.ModeBridge {
		return errors.New("in bridge mode SITES_FILE declares the sites, and your backend keeps the conversations")
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
