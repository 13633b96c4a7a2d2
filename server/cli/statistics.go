package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/relay-chat/relay/server/remote"
)

// totals are the numbers of a range of days.
type totals struct {
	Conversations, Answered, Closed, VisitorMessages, OperatorMessages, AIMessages, Ratings int
	FirstResponseMedianSeconds, FirstResponseP90Seconds, ResolutionMedianSeconds            *float64
	AIShare, AverageScore                                                                   *float64
}

// group is what one person or one channel did.
type group struct {
	Name                       string
	Messages, Conversations    int
	FirstResponseMedianSeconds *float64
}

func statistics(ctx context.Context, c *Call, api *remote.API) error {
	var s struct {
		From, To, Timezone string
		Totals, Previous   totals
		Waiting            struct{ Count int }
		People, Channels   []group
	}
	query := []string{"from", c.option("--from"), "to", c.option("--to"), "site", c.option("--site")}
	if printed, err := c.read(ctx, api, "statistics", query, &s); printed || err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "%s to %s (%s)\n\n", OneLine(s.From), OneLine(s.To), OneLine(s.Timezone))
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tNOW\tBEFORE")
	now, before := s.Totals.lines(), s.Previous.lines()
	for i := range now {
		fmt.Fprintf(table, "%s\t%s\t%s\n", now[i][0], now[i][1], before[i][1])
	}
	fmt.Fprintf(table, "waiting at the moment\t%d\n", s.Waiting.Count)
	if err := table.Flush(); err != nil {
		return err
	}
	if err := c.groups("PERSON", s.People); err != nil {
		return err
	}
	return c.groups("CHANNEL", s.Channels)
}

// groups prints what people or channels did.
func (c *Call) groups(of string, list []group) error {
	if len(list) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(c.Out, "\n")
	fmt.Fprintf(table, "%s\tMESSAGES\tCONVERSATIONS\tFIRST ANSWER\n", of)
	for _, g := range list {
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\n", cut(OneLine(g.Name), 32), g.Messages, g.Conversations, seconds(g.FirstResponseMedianSeconds))
	}
	return table.Flush()
}

func (t *totals) lines() [][2]string {
	count := func(n int) string { return grouped(int64(n)) }
	return [][2]string{{"conversations", count(t.Conversations)}, {"answered by a person", count(t.Answered)}, {"closed", count(t.Closed)},
		{"messages of visitors", count(t.VisitorMessages)}, {"messages of the team", count(t.OperatorMessages)}, {"messages of the AI", count(t.AIMessages)},
		{"first answer, median", seconds(t.FirstResponseMedianSeconds)}, {"first answer, 90 %", seconds(t.FirstResponseP90Seconds)},
		{"resolution, median", seconds(t.ResolutionMedianSeconds)}, {"answered by the AI alone", share(t.AIShare)},
		{"ratings", count(t.Ratings)}, {"average rating", score(t.AverageScore)}}
}

func seconds(n *float64) string {
	if n == nil {
		return "-"
	}
	return lasting(time.Duration(*n * float64(time.Second)))
}

func share(n *float64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", *n*100)
}

func score(n *float64) string {
	if n == nil {
		return "-"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", *n), ".0") + " of 5"
}
