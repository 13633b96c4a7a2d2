package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressEvery is how often a client is told that its tool still works: most give up what says
// nothing for a minute.
const progressEvery = 5 * time.Second

// reportProgress tells a client that asks for it how many seconds its tool has worked, until the
// returned function is called. Nobody knows how long the API will take.
func reportProgress(ctx context.Context, r *mcp.CallToolRequest) (stop func()) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	telling.Go(func() {
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for began := time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, // a client that is gone needs none
					Progress: time.Since(began).Seconds(), Message: r.Params.Name + " is still at work"})
			}
		}
	})
	return func() {
		cancel()
		telling.Wait()
	}
}
