package outbound

import (
	"context"

	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// settle stores what the thread shows after a step was carried out, in one transaction,
// and returns the thread as it is then.
func (s *Sink) settle(ctx context.Context, d *chat.Delivery, th chat.Thread, st step, remote string) (chat.Thread, error) {
	after := th
	switch st.op.Kind {
	case chat.OpOpen:
		after = chat.Thread{Bridge: s.platform.Name(), Channel: th.Channel, Ref: remote, SessionID: d.SessionID, CreatedAt: chat.Now()}
	case chat.OpClose:
		after.State = chat.ThreadClosed
	case chat.OpReopen:
		after.State = chat.ThreadLive
	}
	if st.completes {
		after.Anchor = after.Ref
	}
	if err := s.save(ctx, th, after, st, st.link(after, remote)); err != nil {
		return th, err
	}
	return after, nil
}

// link is the link of a message to what a step has made or changed.
func (st *step) link(th chat.Thread, remote string) chat.Link {
	l := chat.Link{Bridge: th.Bridge, Channel: th.Channel, Remote: remote, SessionID: th.SessionID, Part: st.part, Rev: st.rev, CreatedAt: chat.Now()}
	switch st.op.Kind {
	case chat.OpEdit:
		l.Remote = st.op.Remote
	case chat.OpDelete:
		l.Remote, l.State = st.op.Remote, chat.LinkGone
	case opReserve:
		l.Remote, l.State = st.op.Remote, chat.LinkSending
	}
	return l
}

// save stores a thread that changed and a link for each of the messages that a platform
// message carries. A batch has then arrived.
func (s *Sink) save(ctx context.Context, before, after chat.Thread, st step, l chat.Link) error {
	drops := st.drops
	if name := batchName(l.SessionID, st.shows); name != "" {
		drops = append(drops, name)
	}
	if before == after && len(st.shows)+len(drops) == 0 {
		return nil
	}
	return s.platform.Persist(ctx, func(tx chat.Tx) error {
		if before != after {
			if err := tx.SaveThread(&after); err != nil {
				return err
			}
		}
		for _, name := range drops {
			if err := tx.DropLinks(l.Bridge, l.Channel, name); err != nil {
				return err
			}
		}
		for i, id := range st.shows {
			if l.MessageID = id; st.op.Kind == opReserve {
				l.Part = i
			}
			if err := tx.SaveLink(&l); err != nil {
				return err
			}
		}
		return nil
	})
}

// batchName is the placeholder of a batch: several messages that are sent as one
// platform message. It is "" for a message that goes alone.
func batchName(sessionID string, ids []string) string {
	if len(ids) < 2 {
		return ""
	}
	return engine.Placeholder(access.Key(append([]string{"batch", sessionID}, ids...)...))
}

// bury stores that a thread is gone, with its copies of the messages that are being
// delivered.
func (s *Sink) bury(ctx context.Context, th chat.Thread, batch []chat.Delivery) error {
	s.platform.Log.Warn("a thread is gone; a new one continues it", "ref", th.Ref)
	th.State = chat.ThreadGone
	return s.platform.Persist(ctx, func(tx chat.Tx) error {
		if err := tx.SaveThread(&th); err != nil {
			return err
		}
		for i := range batch {
			links, err := tx.Links(th.SessionID, batch[i].Event.MessageID, th.Bridge, th.Channel)
			if err != nil {
				return err
			}
			if err := access.SaveGone(tx, links); err != nil {
				return err
			}
		}
		return nil
	})
}
