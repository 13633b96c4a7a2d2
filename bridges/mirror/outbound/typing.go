package outbound

import (
	"context"
	"encoding/json"
	"time"

	"github.com/relay-chat/relay/bridges/cache"
	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
)

// typingEvery is how often a thread shows that its visitor is typing.
const typingEvery = 5 * time.Second

// ShowTyping shows operators when visitors write, until ctx ends or the hub
// closes. It is skipped while the bridge has a problem or the platform wants a
// pause.
func (s *Sink) ShowTyping(ctx context.Context) error {
	live := s.hub.Subscribe("")
	defer live.Close()
	shown := cache.New[chat.Time](maxRemembered)
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-live.C:
			if !open {
				return nil
			}
			last, _ := shown.Get(e.SessionID)
			if now := chat.Now(); s.isVisitorTyping(e) && now.Sub(last) >= typingEvery {
				shown.Put(e.SessionID, now)
				s.showTyping(ctx, e.SessionID)
			}
		}
	}
}

// isVisitorTyping reports whether a visitor is typing.
func (s *Sink) isVisitorTyping(e *chat.Event) bool {
	if e.Type != chat.StateTyping {
		return false
	}
	var state struct {
		Active bool
		Sender chat.Sender
	}
	return json.Unmarshal(e.Payload, &state) == nil && state.Active && state.Sender == chat.SenderVisitor
}

// showTyping shows it in the session's thread, if there is one that is open.
func (s *Sink) showTyping(ctx context.Context, sessionID string) {
	th, err := access.ReadOne(ctx, s.store, func(rd chat.Reader) (chat.Thread, error) {
		about, err := s.reading(rd, sessionID)
		if err != nil {
			return chat.Thread{}, err
		}
		return rd.ThreadOf(sessionID, about.bridge, about.channel)
	})
	if err != nil || th.State != chat.ThreadLive {
		return
	}
	s.platform.Try(ctx, th, chat.Op{Kind: chat.OpTyping})
}
