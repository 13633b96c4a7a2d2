package commands

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

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// addKnowledge adds what a site says or a file. Who runs it may reach private networks
// anyway, so relay fetches from there, too.
func addKnowledge(ctx context.Context, c *Call, what string) error {
	return c.WithKnowledge(ctx, func(e *engine.Engine, base Knowledge, _ Search) error {
		site, err := c.askedSite(ctx, e.Store)
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
			fmt.Fprintf(c.Out, "Added %s.\nrelay fetches its pages, one a second, while it runs. See how far it is: relay knowledge list\n", s.URL)
		} else if err := c.addFile(ctx, base, whose, what); err != nil {
			return err
		}
		return c.audit(ctx, e.Store, chat.AuditKnowledgeAdded, what)
	})
}

func (c *Call) addFile(ctx context.Context, base Knowledge, site, file string) error {
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
	fmt.Fprintf(c.Out, "Added %s. Passages: %d\n", s.Title, s.Passages)
	return err
}

// shownErrors is how many errors of a source are listed.
const shownErrors = 10

func listKnowledge(ctx context.Context, c *Call, _ string) error {
	return c.WithKnowledge(ctx, func(_ *engine.Engine, base Knowledge, _ Search) error {
		sources, err := base.Sources(ctx)
		if err != nil {
			return err
		}
		if len(sources) == 0 {
			fmt.Fprintln(c.Out, "The knowledge base is empty. Add a site or a file: relay knowledge add URL|FILE")
			return nil
		}
		table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tKIND\tPAGES\tWAITING\tFAILED\tPASSAGES\tTITLE")
		for _, s := range sources {
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%d\t%s\n", s.ID, s.Kind, s.Pages, s.Waiting, s.Failed, s.Passages, chat.OneLine(s.Title))
		}
		if err := table.Flush(); err != nil {
			return err
		}
		return c.listErrors(ctx, base, sources)
	})
}

// listErrors prints what could not be read.
func (c *Call) listErrors(ctx context.Context, base Knowledge, sources []chat.KnowledgeSource) error {
	for _, s := range sources {
		if s.Note != "" {
			fmt.Fprintf(c.Out, "%s: %s\n", s.Title, s.Note)
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
				fmt.Fprintf(c.Out, "%s: %s\n", cmp.Or(p.URL, p.Title), p.Error)
			}
		}
	}
	return nil
}

// knowledgeSource finds a source by its id, its address or its title.
func knowledgeSource(ctx context.Context, base Knowledge, name string) (chat.KnowledgeSource, error) {
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

func refreshKnowledge(ctx context.Context, c *Call, name string) error {
	return c.onSource(ctx, name, Knowledge.Refresh, chat.AuditKnowledgeRefreshed, "relay fetches %s again while it runs.\n")
}

func removeKnowledge(ctx context.Context, c *Call, name string) error {
	return c.onSource(ctx, name, Knowledge.Remove, chat.AuditKnowledgeRemoved, "Removed %s.\n")
}

// onSource does something with the source of a name and prints that it did.
func (c *Call) onSource(ctx context.Context, name string, do func(Knowledge, context.Context, string) error, action, done string) error {
	return c.WithKnowledge(ctx, func(e *engine.Engine, base Knowledge, _ Search) error {
		s, err := knowledgeSource(ctx, base, name)
		if err != nil {
			return err
		}
		if err := do(base, ctx, s.ID); err != nil {
			return err
		}
		fmt.Fprintf(c.Out, done, s.Title)
		return c.audit(ctx, e.Store, action, s.ID)
	})
}

// askKnowledge prints the passages that the AI would get for a question, and its
// answer if one is set up.
func askKnowledge(ctx context.Context, c *Call, question string) error {
	return c.WithKnowledge(ctx, func(e *engine.Engine, base Knowledge, _ Search) error {
		site, err := c.askedSite(ctx, e.Store)
		if err != nil {
			return err
		}
		passages, err := base.Passages(ctx, site, question, 6)
		if err != nil {
			return err
		}
		for i, p := range passages {
			fmt.Fprintf(c.Out, "[%d] %s\n", i+1, p.Title)
			if p.URL != "" {
				fmt.Fprintf(c.Out, "    %s\n", p.URL)
			}
			fmt.Fprintf(c.Out, "    %s\n\n", chat.Clip(chat.OneLine(p.Text), 300))
		}
		if len(passages) == 0 {
			fmt.Fprint(c.Out, "No passage has any of these words.\n\n")
		}
		answer, ok, err := base.Ask(ctx, site, question)
		switch {
		case err != nil:
			return fmt.Errorf("ask the AI: %w", err)
		case !ok:
			fmt.Fprintln(c.Out, "No AI is set up; set AI_BASE_URL and AI_MODEL to see its answer, too.")
		case answer.Answer == "":
			fmt.Fprintln(c.Out, "The AI has no answer and would hand over to a person.")
		default:
			fmt.Fprintln(c.Out, "Answer: "+answer.Answer)
		}
		for _, s := range answer.Sentences {
			if s.Reason != "" {
				fmt.Fprintf(c.Out, "Not said: %s (%s)\n", chat.OneLine(s.Text), s.Reason)
			}
		}
		return nil
	})
}
