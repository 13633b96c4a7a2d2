package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/server/chat"
)

// withKnowledge calls use with the knowledge base, beside a running relay or without
// one.
func (a *app) withKnowledge(ctx context.Context, use func(*knowledge.Knowledge, chat.Store, *chat.Settings) error) error {
	sites, err := a.storedSites(ctx)
	if err != nil {
		return err
	}
	database, err := a.open(ctx, true)
	if err != nil {
		return err
	}
	defer database.Close()
	settings := sites.Settings("")
	return use(a.knowledge(database, func() *chat.Settings { return settings }), database, settings)
}

// addKnowledge adds what a site says or a file. Who runs it may reach private networks
// anyway, so relay fetches from there, too.
func addKnowledge(ctx context.Context, a *app, what string) error {
	return a.withKnowledge(ctx, func(base *knowledge.Knowledge, store chat.Store, _ *chat.Settings) error {
		site, err := a.askedSite(ctx, store)
		if err != nil {
			return err
		}
		whose := chat.AllSites
		if site != nil {
			whose = *site
		}
		if strings.HasPrefix(what, "http://") || strings.HasPrefix(what, "https://") {
			s, err := base.AddPages(ctx, whose, what, true, true)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "Added %s.\nrelay fetches its pages, one a second, while it runs. See how far it is: relay knowledge list\n", s.URL)
		} else if err := a.addFile(ctx, base, whose, what); err != nil {
			return err
		}
		return a.audit(ctx, store, chat.AuditKnowledgeAdded, what)
	})
}

func (a *app) addFile(ctx context.Context, base *knowledge.Knowledge, site, file string) error {
	in, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("%w; an address begins with https://", err)
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, chat.MaxKnowledgeFile+1))
	if err != nil {
		return err
	}
	s, err := base.AddFile(ctx, site, filepath.Base(file), data)
	if err == nil {
		err = base.ReadFiles(ctx)
	}
	if err != nil {
		return err
	}
	s, pages, err := base.Source(ctx, s.ID)
	if err == nil && len(pages) > 0 && pages[0].Error != "" {
		return fmt.Errorf("%s: %s", file, pages[0].Error)
	}
	fmt.Fprintf(a.stdout, "Added %s. Passages: %d\n", s.Title, s.Passages)
	return err
}

// shownErrors is how many errors of a source are listed.
const shownErrors = 10

func listKnowledge(ctx context.Context, a *app, _ string) error {
	return a.withKnowledge(ctx, func(base *knowledge.Knowledge, _ chat.Store, _ *chat.Settings) error {
		sources, err := base.Sources(ctx)
		if err != nil {
			return err
		}
		if len(sources) == 0 {
			fmt.Fprintln(a.stdout, "The knowledge base is empty. Add a site or a file: relay knowledge add URL|FILE")
			return nil
		}
		table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tKIND\tPAGES\tWAITING\tFAILED\tPASSAGES\tTITLE")
		for _, s := range sources {
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%d\t%s\n", s.ID, s.Kind, s.Pages, s.Waiting, s.Failed, s.Passages, chat.OneLine(s.Title))
		}
		if err := table.Flush(); err != nil {
			return err
		}
		return a.listErrors(ctx, base, sources)
	})
}

// listErrors prints what could not be read.
func (a *app) listErrors(ctx context.Context, base *knowledge.Knowledge, sources []chat.KnowledgeSource) error {
	for _, s := range sources {
		if s.Note != "" {
			fmt.Fprintf(a.stdout, "%s: %s\n", s.Title, s.Note)
		}
		if s.Failed == 0 {
			continue
		}
		_, pages, err := base.Source(ctx, s.ID)
		if err != nil {
			return err
		}
		for _, p := range pages[:min(len(pages), shownErrors)] {
			if p.Error != "" {
				fmt.Fprintf(a.stdout, "%s: %s\n", cmp.Or(p.URL, p.Title), p.Error)
			}
		}
	}
	return nil
}

// knowledgeSource finds a source by its id, its address or its title.
func knowledgeSource(ctx context.Context, base *knowledge.Knowledge, name string) (chat.KnowledgeSource, error) {
	sources, err := base.Sources(ctx)
	if err != nil {
		return chat.KnowledgeSource{}, err
	}
	for _, s := range sources {
		if s.ID == strings.ToUpper(name) || s.URL != "" && s.URL == name || s.Title == name {
			return s, nil
		}
	}
	return chat.KnowledgeSource{}, errors.New("there is no such source; relay knowledge list shows their ids")
}

func refreshKnowledge(ctx context.Context, a *app, name string) error {
	return a.onSource(ctx, name, (*knowledge.Knowledge).Refresh, chat.AuditKnowledgeRefreshed, "relay fetches %s again while it runs.\n")
}

func removeKnowledge(ctx context.Context, a *app, name string) error {
	return a.onSource(ctx, name, (*knowledge.Knowledge).Remove, chat.AuditKnowledgeRemoved, "Removed %s.\n")
}

// onSource does something with the source of a name and prints that it did.
func (a *app) onSource(ctx context.Context, name string, do func(*knowledge.Knowledge, context.Context, string) error, action, done string) error {
	return a.withKnowledge(ctx, func(base *knowledge.Knowledge, store chat.Store, _ *chat.Settings) error {
		s, err := knowledgeSource(ctx, base, name)
		if err != nil {
			return err
		}
		if err := do(base, ctx, s.ID); err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, done, s.Title)
		return a.audit(ctx, store, action, s.ID)
	})
}

// askKnowledge prints the passages that the AI would get for a question, and its
// answer if one is set up.
func askKnowledge(ctx context.Context, a *app, question string) error {
	return a.withKnowledge(ctx, func(base *knowledge.Knowledge, store chat.Store, settings *chat.Settings) error {
		site, err := a.askedSite(ctx, store)
		if err != nil {
			return err
		}
		passages, err := base.Passages(ctx, site, question, 6)
		if err != nil {
			return err
		}
		for i, p := range passages {
			fmt.Fprintf(a.stdout, "[%d] %s\n", i+1, p.Title)
			if p.URL != "" {
				fmt.Fprintf(a.stdout, "    %s\n", p.URL)
			}
			fmt.Fprintf(a.stdout, "    %s\n\n", chat.Clip(chat.OneLine(p.Text), 300))
		}
		if len(passages) == 0 {
			fmt.Fprint(a.stdout, "No passage has any of these words.\n\n")
		}
		answer, ok, err := bridges.AskAI(ctx, settings, a.cfg.WebhookAllowCIDRs, base, site, question)
		switch {
		case err != nil:
			return fmt.Errorf("ask the AI: %w", err)
		case !ok:
			fmt.Fprintln(a.stdout, "No AI is set up; set AI_BASE_URL and AI_MODEL to see its answer, too.")
		case answer.Answer == "":
			fmt.Fprintln(a.stdout, "The AI has no answer and would hand over to a person.")
		default:
			fmt.Fprintln(a.stdout, "Answer: "+answer.Answer)
		}
		for _, s := range answer.Sentences {
			if s.Reason != "" {
				fmt.Fprintf(a.stdout, "Not said: %s (%s)\n", chat.OneLine(s.Text), s.Reason)
			}
		}
		return nil
	})
}
