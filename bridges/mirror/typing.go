package mirror

import (
	"context"
	"encoding/json"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// typingEvery is how often a thread shows that its visitor is typing.
const typingEvery = 5 * time.Second

// ShowTyping shows operators when visitors write, until ctx ends or the hub
// closes. It is skipped while the bridge has a problem or the platform wants a
// pause.
func (m *Mirror) ShowTyping(ctx context.Context) error {
	s := m.engine.Hub.Subscribe("")
	defer s.Close()
	shown := map[string]chat.Time{}
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-s.C:
			if !open {
				return nil
			}
			if now := chat.Now(); m.isVisitorTyping(e) && now.Sub(shown[e.SessionID]) >= typingEvery {
				forgetBefore(shown, now.Add(-typingEvery))
				shown[e.SessionID] = now
				m.showTyping(ctx, e.SessionID)
			}
		}
	}
}

// isVisitorTyping reports whether a visitor is typing.
func (m *Mirror) isVisitorTyping(e *chat.Event) bool {
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
func (m *Mirror) showTyping(ctx context.Context, sessionID string) {
	var th chat.Thread
	err := m.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		th, err = rd.ThreadOf(sessionID, m.bridge.Name(), m.bridge.Channel())
		return err
	})
	if err != nil || th.State != chat.ThreadLive {
		return
	}
	m.tryOnce(ctx, th, chat.Op{Kind: chat.OpTyping})
}

// tryOnce carries out an unimportant op once, if the bridge has no problem and no
// pause.
func (m *Mirror) tryOnce(ctx context.Context, th chat.Thread, op chat.Op) {
	if m.Trouble() != nil || m.pauseLeft() > 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, typingEvery)
	defer cancel()
	if _, err := m.bridge.Do(ctx, th, op); err != nil {
		m.log.Debug("an optional update is not shown", "session", chat.SessionRef(th.SessionID), "err", err)
	}
}

// forgetBefore drops older entries.
func forgetBefore(times map[string]chat.Time, before chat.Time) {
	for id, at := range times {
		if at < before {
			delete(times, id)
		}
	}
}
