package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/relay-chat/relay/server/remote"
)

// rehearsal is what the API says of a question.
type rehearsal struct {
	Question, Answered, Said, Verdict, Reason, BeforeVerdict, Judged string
	Waiting                                                          bool
}

// rehearsals is how far a rehearsal is.
type rehearsals struct {
	Waiting, Right, Worse, Better int
	Rehearsals                    []rehearsal
	Changed                       []struct {
		Page         string
		Asked, Worse int
	}
}

// printChanged names the pages whose change made answers worse.
func (at *rehearsals) printChanged(out io.Writer) {
	for _, page := range at.Changed {
		if page.Worse > 0 {
			fmt.Fprintf(out, "The page “%s” changed: %d of %d answers that rested on it became worse.\n", cut(OneLine(page.Page), 100), page.Worse, page.Asked)
		}
	}
}

// rehearsalPoll is how often a rehearsal is looked at.
const rehearsalPoll = 2 * time.Second

// rehearse has the AI answer what people answered, and prints what came of it. Without --yes it says
// what that costs.
func rehearse(ctx context.Context, c *Call, api *remote.API) error {
	var known rehearsals // asked again, questions are asked because of no page
	if err := api.Call(ctx, "GET", "ai/rehearsal", nil, nil, &known); err != nil {
		return err
	}
	known.printChanged(c.Err)
	body := map[string]any{"dryRun": !c.Yes}
	if given := c.option("--last"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil {
			return &UsageError{fmt.Errorf("--last must be a number of questions from 1 to 200, not %q", given)}
		}
		body["count"] = n
	}
	var plan struct {
		Questions, Tokens int
		Cost              string
	}
	if err := api.Call(ctx, "POST", "ai/rehearsal", nil, body, &plan); err != nil {
		return err
	}
	if plan.Questions == 0 {
		_, err := fmt.Fprintln(c.Out, "No person has answered a question yet.")
		return err
	}
	cost := fmt.Sprintf("%d questions, about %s tokens", plan.Questions, grouped(int64(plan.Tokens)))
	if plan.Cost != "" {
		cost += ", about " + OneLine(plan.Cost)
	}
	if !c.Yes {
		_, err := fmt.Fprintf(c.Out, "The AI would answer %s. Nothing is shown to visitors. Add --yes to begin.\n", cost)
		return err
	}
	fmt.Fprintf(c.Err, "The AI answers %s.\n", cost)
	return c.awaitRehearsal(ctx, api)
}

// awaitRehearsal prints how far the rehearsal is, and at its end what came of it.
func (c *Call) awaitRehearsal(ctx context.Context, api *remote.API) error {
	for last := -1; ; {
		var at rehearsals
		if err := api.Call(ctx, "GET", "ai/rehearsal", nil, nil, &at); err != nil {
			return err
		}
		if at.Waiting == 0 {
			return c.printRehearsal(ctx, api)
		}
		if at.Waiting != last {
			fmt.Fprintf(c.Err, "%d questions are left\n", at.Waiting)
			last = at.Waiting
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("relay goes on with the rehearsal; the console shows it: %w", ctx.Err())
		case <-time.After(rehearsalPoll):
		}
	}
}

func (c *Call) printRehearsal(ctx context.Context, api *remote.API) error {
	var at rehearsals
	if printed, err := c.read(ctx, api, "ai/rehearsal", nil, &at); printed || err != nil {
		return err
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RESULT\tBEFORE\tQUESTION\tA PERSON\tTHE AI")
	for _, r := range at.Rehearsals {
		verdict := r.Verdict
		if r.Judged != "" {
			verdict = r.Judged
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", OneLine(verdict), OneLine(r.BeforeVerdict), cut(OneLine(r.Question), 40), cut(OneLine(r.Answered), 40), cut(OneLine(r.Said), 40))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	at.printChanged(c.Out)
	_, err := fmt.Fprintf(c.Out, "\n%d of %d answers are right; %d became better and %d worse since the time before.\n", at.Right, len(at.Rehearsals), at.Better, at.Worse)
	return err
}
