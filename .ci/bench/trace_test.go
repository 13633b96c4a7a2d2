package bench

import (
	"context"
	"encoding/json"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// task is one of a page's main thread, in milliseconds.
type task struct {
	wall float64 // by the clock
	used float64 // of the processor
}

// traced is an event of the browser's trace.
type traced struct {
	Name, Ph  string
	PID, TID  int
	Dur, Tdur float64 // µs
	Args      struct{ Name string }
}

// trace returns the task of a page that used the processor longest while do ran.
func trace(ctx context.Context, do func()) (task, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var events []traced
	done := make(chan struct{})
	err := chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *tracing.EventDataCollected:
			for _, value := range ev.Value {
				var e traced
				if json.Unmarshal(value, &e) == nil {
					events = append(events, e)
				}
			}
		case *tracing.EventTracingComplete:
			close(done)
		}
	})
	if err != nil {
		return task{}, err
	}
	if _, err := chromedp.Call(ctx, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{
		IncludedCategories: []string{"disabled-by-default-devtools.timeline"}, ExcludedCategories: []string{"*"}}}); err != nil {
		return task{}, err
	}
	do()
	if _, err := chromedp.Call(ctx, tracing.End, cdp.Empty{}); err != nil {
		return task{}, err
	}
	select {
	case <-done:
	case <-ctx.Done():
		return task{}, ctx.Err()
	}
	return longest(events), nil
}

func longest(events []traced) (most task) {
	mains := map[[2]int]bool{}
	for _, e := range events {
		if e.Ph == "M" && e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			mains[[2]int{e.PID, e.TID}] = true
		}
	}
	for _, e := range events {
		if e.Name == "RunTask" && mains[[2]int{e.PID, e.TID}] && e.Tdur/1000 > most.used {
			most = task{wall: e.Dur / 1000, used: e.Tdur / 1000}
		}
	}
	return most
}
