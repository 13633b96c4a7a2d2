package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/relay-chat/relay/server/remote"
)

// again is how long the changes wait before they are followed again.
const again = 5 * time.Second

// watcher tells a client on standard input and output that conversations which it follows have
// changed. Over HTTP there is nobody to tell: no request outlasts its answer.
type watcher struct {
	api    *remote.API
	server *mcp.Server

	mu       sync.Mutex
	followed map[string]int // how often, by the conversation's address
	begin    sync.Once
	begun    chan struct{} // closed when somebody follows one
}

func newWatcher(api *remote.API) *watcher {
	return &watcher{api: api, followed: map[string]int{}, begun: make(chan struct{})}
}

func (c *watcher) subscribe(ctx context.Context, r *mcp.SubscribeRequest) error {
	id, is := strings.CutPrefix(r.Params.URI, conversationURI)
	if !is {
		return mcp.ResourceNotFoundError(r.Params.URI)
	}
	var session apiSession
	if err := c.api.Call(ctx, "GET", remote.Conversation(id, ""), nil, nil, &session); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.followed[r.Params.URI]++
	c.begin.Do(func() { close(c.begun) })
	return nil
}

func (c *watcher) unsubscribe(_ context.Context, r *mcp.UnsubscribeRequest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.followed[r.Params.URI]--; c.followed[r.Params.URI] <= 0 {
		delete(c.followed, r.Params.URI)
	}
	return nil
}

// run follows relay's events from the first subscription on, until ctx ends. What changed while
// the stream was away is unknown: all that is followed may have.
func (c *watcher) run(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-c.begun:
	}
	for first := true; ctx.Err() == nil; first = false {
		if !first {
			c.all(ctx)
		}
		_ = c.api.Stream(ctx, "stream", func(data []byte) { c.receive(ctx, data) }) // it is followed again
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

// receive tells of the conversation of an event.
func (c *watcher) receive(ctx context.Context, data []byte) {
	var e struct{ Type, SessionID string }
	switch {
	case json.Unmarshal(data, &e) != nil:
	case e.Type == "resync":
		c.all(ctx)
	case e.SessionID != "" && e.Type != "typing":
		c.tell(ctx, conversationURI+e.SessionID)
	}
}

func (c *watcher) all(ctx context.Context) {
	c.mu.Lock()
	var list []string
	for uri := range c.followed {
		list = append(list, uri)
	}
	c.mu.Unlock()
	for _, uri := range list {
		c.tell(ctx, uri)
	}
}

func (c *watcher) tell(ctx context.Context, uri string) {
	c.mu.Lock()
	followed := c.followed[uri] > 0
	c.mu.Unlock()
	if followed {
		_ = c.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}) // a client that is gone needs none
	}
}
