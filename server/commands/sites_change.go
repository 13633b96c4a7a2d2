package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/cli"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
)

// pairs reads NAME=VALUE words.
func pairs(words []string) (list [][2]string, err error) {
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%q is not NAME=VALUE, like name=\"Shop Berlin\"; %w", word, ErrUsage)
		}
		list = append(list, [2]string{name, value})
	}
	return list, nil
}

// setSite changes fields of a site.
func setSite(ctx context.Context, c *Call, _ string) error {
	list, err := pairs(c.Words[3:])
	if err != nil {
		return err
	}
	in := engine.SiteChange{}
	for _, pair := range list {
		value := pair[1]
		switch pair[0] {
		case "name":
			in.Name = &value
		case "address":
			in.Address = &value
		case "color":
			in.Color = &value
		case "origins":
			origins := []string{}
			for origin := range strings.SplitSeq(value, ",") {
				if origin = strings.TrimSpace(origin); origin != "" {
					origins = append(origins, origin)
				}
			}
			in.Origins = &origins
		default:
			return fmt.Errorf("a site has no field %q, only name, address, color and origins; its settings are changed by relay sites settings; %w", pair[0], ErrUsage)
		}
	}
	return c.withSites(ctx, func(e *engine.Engine, keys *keyring.Ring) error {
		site, err := siteNamed(e, c.Words[2])
		if err != nil {
			return err
		}
		if site.ID == "" && in.Origins != nil {
			return server.ErrFirstOrigins
		}
		changed, err := e.ChangeSite(ctx, site.ID, in)
		if err == nil {
			err = c.audit(ctx, e.Store, chat.AuditSiteChanged, changed.PublicID())
		}
		if err != nil {
			return err
		}
		return c.printSite(ctx, e, keys, &changed)
	})
}

// settingsOfSite prints a site's settings, or with "all" those that the sites share.
func settingsOfSite(ctx context.Context, c *Call, word string) error {
	return c.withSites(ctx, func(e *engine.Engine, _ *keyring.Ring) error {
		settings, id, err := siteSettings(e, word)
		if err != nil {
			return err
		}
		if c.Flags.JSON {
			return JSON(c.Out, settings.Public())
		}
		table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "NAME\tVALUE\tSOURCE")
		for _, s := range settings.List(id != chat.AllSites) {
			fmt.Fprintf(table, "%s\t%s\t%s\n", s.Name, s.Value, s.Source)
		}
		return table.Flush()
	})
}

// siteSettings returns the settings that a command names, and its id inside relay.
func siteSettings(e *engine.Engine, word string) (*chat.Settings, string, error) {
	if word == chat.AllSites {
		return e.RelaySettings(), chat.AllSites, nil
	}
	site, err := siteNamed(e, word)
	if err != nil {
		return nil, "", err
	}
	return e.SettingsOf(site.ID), site.ID, nil
}

// changeSettingsOfSite sets settings; NAME= takes a value back.
func changeSettingsOfSite(ctx context.Context, c *Call, _ string) error {
	list, err := pairs(c.Words[3:])
	if err != nil {
		return err
	}
	word := c.Words[2]
	return c.withSites(ctx, func(e *engine.Engine, _ *keyring.Ring) error {
		settings, id, err := siteSettings(e, word)
		if err != nil {
			return err
		}
		patch := map[string]json.RawMessage{}
		for _, pair := range list {
			if _, twice := patch[pair[0]]; twice {
				return fmt.Errorf("%s is given twice; %w", pair[0], ErrUsage)
			}
			patch[pair[0]] = settingValue(settings, pair[0], pair[1])
		}
		if err := e.PatchSiteSettings(ctx, id, patch); err != nil {
			return err
		}
		settings, _, err = siteSettings(e, word)
		if err != nil {
			return err
		}
		for _, s := range settings.List(false) {
			if _, changed := patch[s.Name]; changed {
				fmt.Fprintf(c.Out, "%s is now %s (%s)\n", s.Name, s.Value, s.Source)
			}
		}
		about := chat.AllSites
		if id != chat.AllSites {
			about = chat.SiteName(id)
		}
		return c.audit(ctx, e.Store, chat.AuditSettingsChanged, about)
	})
}

// settingValue returns a value as JSON: a text where the setting takes one, or what the
// shell was given as JSON.
func settingValue(settings *chat.Settings, name, given string) json.RawMessage {
	if given == "" {
		return json.RawMessage("null")
	}
	text := json.RawMessage(chat.MustJSON(given))
	if json.Valid([]byte(given)) {
		_, err := settings.Changes(map[string]json.RawMessage{name: text})
		if err != nil || given[0] == '"' {
			return json.RawMessage(given)
		}
	}
	return text
}

// eraseSite erases a site, if that is confirmed, and shows how far the running relay is.
func eraseSite(ctx context.Context, c *Call, word string) error {
	id, n := "", 0
	err := c.withSites(ctx, func(e *engine.Engine, _ *keyring.Ring) error {
		site, err := siteNamed(e, word)
		if err != nil {
			return err
		}
		id = site.ID
		if n, err = sessionsOf(ctx, e, id); err != nil {
			return err
		}
		if site.ID != "" {
			if err := c.confirmErasing(ctx, site, n); err != nil {
				return err
			}
		}
		if err := e.EraseSite(ctx, site.ID); err != nil {
			return err
		}
		fmt.Fprintf(c.Out, "The chat of %s is closed for good. While it runs, relay erases %s, and then the site.\n", site.Label(), chat.Count(n, "conversation"))
		return c.audit(ctx, e.Store, chat.AuditSiteErased, site.ID)
	})
	if err != nil || !c.Runs(ctx) {
		return err
	}
	return c.withSites(ctx, func(e *engine.Engine, _ *keyring.Ring) error { return c.watchErasing(ctx, e, id, n) })
}

func sessionsOf(ctx context.Context, e *engine.Engine, site string) (n int, err error) {
	err = e.Store.ReadOne(ctx, func(rd chat.Reader) (err error) { n, err = rd.CountSessions(site); return err })
	return n, err
}

// confirmErasing asks for the site's name at a terminal; scripts give it with --name, or
// say --yes.
func (c *Call) confirmErasing(ctx context.Context, site *chat.Site, n int) error {
	what := fmt.Sprintf("%s with %s would be erased for good; nothing was erased yet", site.Label(), chat.Count(n, "conversation"))
	given := c.option("--name")
	switch {
	case given != nil:
	case c.Flags.Yes:
		return nil
	case c.Flags.JSON || !cli.Asks():
		return fmt.Errorf("%s. Add --yes, or --name %q", what, site.Label())
	default:
		fmt.Fprintf(c.Err, "%s with %s will be erased for good. Type the site's name to confirm: ", site.Label(), chat.Count(n, "conversation"))
		answer, err := cli.ReadLine(ctx)
		if err != nil {
			return errors.New("nothing was erased")
		}
		given = &answer
	}
	if chat.NameKey(*given) != chat.NameKey(site.Label()) {
		return fmt.Errorf("%s: %q is not the site's name, %q", what, *given, site.Label())
	}
	return nil
}

// How often a command looks how far erasing is, and how often it says so.
const (
	eraseLooks = 250 * time.Millisecond
	eraseTells = 2 * time.Second
)

// watchErasing shows how far the running relay is until the site is gone. Ctrl-C ends the
// watching alone.
func (c *Call) watchErasing(ctx context.Context, e *engine.Engine, id string, all int) error {
	tick := time.NewTicker(eraseLooks)
	defer tick.Stop()
	told := time.Now()
	for {
		left, gone, err := erasing(context.WithoutCancel(ctx), e, id)
		switch {
		case err != nil:
			return err
		case gone:
			fmt.Fprintln(c.Out, "Everything of it is erased.")
			return nil
		case ctx.Err() != nil:
			fmt.Fprintf(c.Out, "%s left: the running relay goes on erasing.\n", chat.Count(left, "conversation"))
			return nil
		case time.Since(told) >= eraseTells:
			told = time.Now()
			fmt.Fprintf(c.Err, "erased %d of %s\n", max(all-left, 0), chat.Count(all, "conversation"))
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// erasing returns how many conversations of a site are left, and whether it is gone.
func erasing(ctx context.Context, e *engine.Engine, id string) (left int, gone bool, err error) {
	gone = true
	err = e.Store.Read(ctx, func(rd chat.Reader) error {
		all, err := rd.Sites()
		if err != nil {
			return err
		}
		for i := range all {
			gone = gone && all[i].ID != id
		}
		left, err = rd.CountSessions(id)
		return err
	})
	return left, gone, err
}
