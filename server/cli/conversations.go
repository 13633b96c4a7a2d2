package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/relay-chat/relay/server/remote"
)

// conversation and message are what the API answers, as far as it is printed.
type conversation struct {
	ID, Site, Status, Nickname string
	LastActivity, WaitingSince time.Time
	SnoozedUntil               time.Time
	Verified                   bool
	Identity                   struct{ Name, Email string }
	Metadata                   struct{ URL string }
	Tags                       []string
	Assignee                   struct{ Name string }
	LastMessage                *message
}

type message struct {
	ID, Content, Sender, OperatorName, SourceBridge string
	Timestamp, DeletedAt                            time.Time
	Internal                                        bool
	Attachments                                     []struct{ Filename string }
}

func listConversations(ctx context.Context, c *Call, api *remote.API) error {
	var list struct {
		Sessions   []conversation
		NextCursor string
	}
	query := []string{"status", c.option("--status"), "assignee", c.option("--assignee"), "tag", c.option("--tag"), "q", c.option("--search"),
		"site", c.option("--site"), "limit", c.option("--limit"), "cursor", c.option("--cursor")}
	if printed, err := c.read(ctx, api, "sessions", query, &list); printed || err != nil {
		return err
	}
	if len(list.Sessions) == 0 {
		_, err := fmt.Fprintln(c.Out, "There are no such conversations.")
		return err
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CONVERSATION\tSTATUS\tACTIVE\tVISITOR\tLAST MESSAGE")
	for i := range list.Sessions {
		s := &list.Sessions[i]
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", OneLine(s.ID), s.state(time.Now()), at(s.LastActivity), cut(OneLine(s.visitor()), 32), s.last())
	}
	if err := table.Flush(); err != nil || list.NextCursor == "" {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "\nThere are more: --cursor %s\n", OneLine(list.NextCursor))
	return err
}

// visitor is whoever the visitor claims to be.
func (s *conversation) visitor() string {
	switch {
	case s.Identity.Name != "":
		return s.Identity.Name
	case s.Identity.Email != "":
		return s.Identity.Email
	}
	return s.Nickname
}

func (s *conversation) state(now time.Time) string {
	switch {
	case !s.WaitingSince.IsZero():
		return "waits " + lasting(now.Sub(s.WaitingSince))
	case s.SnoozedUntil.After(now):
		return "snoozed"
	}
	return OneLine(s.Status)
}

func (s *conversation) last() string {
	if s.LastMessage == nil {
		return ""
	}
	return cut(s.LastMessage.author()+": "+OneLine(s.LastMessage.text()), 70)
}

func readConversation(ctx context.Context, c *Call, api *remote.API) error {
	id := c.Words[1]
	var s conversation
	var history struct {
		Messages []message
		HasMore  bool
	}
	path, query := remote.Conversation(id, "/messages"), []string{"limit", c.option("--limit"), "before", c.option("--before")}
	if printed, err := c.read(ctx, api, path, query, &history); printed || err != nil {
		return err
	}
	if err := api.Call(ctx, "GET", remote.Conversation(id, ""), nil, nil, &s); err != nil {
		return err
	}
	var b strings.Builder
	s.head(&b)
	for i := range history.Messages {
		history.Messages[i].print(&b)
	}
	if history.HasMore && len(history.Messages) > 0 {
		fmt.Fprintf(&b, "\nThere are earlier ones: --before %s\n", OneLine(history.Messages[0].ID))
	}
	_, err := fmt.Fprint(c.Out, b.String())
	return err
}

// head prints what is known of a conversation.
func (s *conversation) head(b *strings.Builder) {
	verified := "not verified"
	if s.Verified {
		verified = "verified"
	}
	for _, line := range [][2]string{{"visitor", s.visitor() + " (" + verified + ")"}, {"e-mail", s.Identity.Email}, {"status", s.state(time.Now())}, {"website", s.Site},
		{"page", s.Metadata.URL}, {"assignee", s.Assignee.Name}, {"tags", strings.Join(s.Tags, ", ")}} {
		if line[1] != "" {
			fmt.Fprintf(b, "%-9s %s\n", line[0], OneLine(line[1]))
		}
	}
}

func (m *message) print(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s  %s\n%s\n", at(m.Timestamp), m.author(), indented(m.text()))
	for _, f := range m.Attachments {
		fmt.Fprintf(b, "    [file: %s]\n", OneLine(f.Filename))
	}
}

// author names who wrote, in one line.
func (m *message) author() string {
	name, of := m.Sender, ""
	switch {
	case m.SourceBridge == "assistant":
		of = " (assistant)"
	case !m.Internal && m.OperatorName != "":
		of = " (team)"
	}
	switch {
	case m.SourceBridge == "agent":
		name += " through an agent"
	case m.Internal && m.OperatorName != "":
		name = "note by " + m.OperatorName
	case m.Internal:
		name = "note"
	case m.OperatorName != "":
		name = m.OperatorName
	}
	return cut(OneLine(name), 60) + of
}

func (m *message) text() string {
	if !m.DeletedAt.IsZero() {
		return "(deleted)"
	}
	return m.Content
}

// at is a time of this computer's zone.
func at(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// lasting is a duration in its largest unit.
func lasting(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", max(0, d/time.Second))
}
