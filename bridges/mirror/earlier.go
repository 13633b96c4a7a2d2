package mirror

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// A thread that continues an older conversation begins with notes that show the earlier
// messages. Each note is linked to its messages and follows their edits and deletions.

// earlierPrefix begins the placeholder that links such a note to a message.
const earlierPrefix = "earlier "

// writeEarlier posts notes for the earlier messages that a new thread does not show yet.
func (run *deliveryRun) writeEarlier(ctx context.Context, th chat.Thread, earlier []chat.Message) error {
	var missing []chat.Message
	for _, m := range earlier {
		shown, err := run.liveParts(ctx, th, engine.Placeholder(earlierPrefix+m.ID))
		if err != nil {
			return err
		}
		if len(shown) == 0 {
			missing = append(missing, m)
		}
	}
	for len(missing) > 0 {
		n := run.fitting(missing)
		s := step{op: chat.Op{Kind: chat.OpNote, Text: earlierText(missing[:n])}, rev: run.head().Rev}
		for _, m := range missing[:n] {
			s.shows = append(s.shows, engine.Placeholder(earlierPrefix+m.ID))
		}
		if err := run.execute(ctx, th, s); err != nil {
			return err
		}
		missing = missing[n:]
	}
	return nil
}

// liveParts returns the links of a placeholder that still exist in a thread.
func (run *deliveryRun) liveParts(ctx context.Context, th chat.Thread, placeholder string) (links []chat.Link, err error) {
	err = run.mirror.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		links, err = rd.Links(run.sessionID, placeholder, th.Bridge, th.Channel)
		return err
	})
	return slices.DeleteFunc(links, func(l chat.Link) bool { return l.State != chat.LinkLive || l.CreatedAt < th.CreatedAt }), err
}

// fitting returns how many messages fit in one note.
func (run *deliveryRun) fitting(messages []chat.Message) int {
	for n := len(messages); n > 1; n-- {
		if len(run.mirror.bridge.Split(chat.Op{Kind: chat.OpNote, Text: earlierText(messages[:n])})) == 1 {
			return n
		}
	}
	return 1
}

func earlierText(messages []chat.Message) string {
	lines := []string{"Earlier:"}
	for i := range messages {
		m := &messages[i]
		if m.DeletedAt != 0 {
			continue
		}
		from := cmp.Or(authorOf(m), "Visitor")
		lines = append(lines, from+": "+chat.Clip(chat.OneLine(contentOf(m)), chat.ShownValue))
	}
	if len(lines) == 1 {
		return "Earlier: (deleted)"
	}
	return strings.Join(lines, "\n")
}

// updateEarlier updates the notes that show an edited or deleted message.
func (run *deliveryRun) updateEarlier(ctx context.Context) error {
	e := &run.head().Event
	name := engine.Placeholder(earlierPrefix + e.MessageID)
	var at []chat.Link
	err := run.mirror.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		at, err = rd.Links(run.sessionID, name, run.mirror.bridge.Name(), run.mirror.bridge.Channel())
		return err
	})
	for _, l := range at {
		if err == nil && l.State == chat.LinkLive && l.Rev < run.head().Rev {
			err = run.updateEarlierNote(ctx, l)
		}
	}
	return err
}

// updateEarlierNote updates one note. A note that was deleted, or whose thread was, is not
// posted again.
func (run *deliveryRun) updateEarlierNote(ctx context.Context, l chat.Link) error {
	th, err := run.thread(ctx, false)
	if errors.Is(err, errNoThread) {
		return nil
	}
	if err != nil {
		return err
	}
	messages, placeholders, err := run.messagesIn(ctx, l)
	if err != nil {
		return err
	}
	s := step{op: chat.Op{Kind: chat.OpEdit, Remote: l.Remote, Text: earlierText(messages)}, shows: placeholders, part: l.Part, rev: run.head().Rev}
	_, err = run.mirror.do(ctx, th, s.op)
	switch {
	case errors.Is(err, chat.ErrMessageGone), errors.Is(err, chat.ErrPermanent):
		run.mirror.log.Warn("a note about earlier messages cannot be changed", "session", run.sessionID, "err", err)
		return run.saveCopy(ctx, th, s, l.Remote, chat.LinkGone)
	case err != nil:
		return err
	}
	return run.saveCopy(ctx, th, s, l.Remote, chat.LinkLive)
}

// messagesIn returns the messages that a note shows, in order, with their placeholders.
func (run *deliveryRun) messagesIn(ctx context.Context, l chat.Link) (messages []chat.Message, placeholders []string, err error) {
	err = run.mirror.store.Read(ctx, func(rd chat.Reader) error {
		messages, placeholders = nil, nil
		links, err := rd.LinksAt(l.Bridge, l.Channel, l.Remote)
		for _, other := range links {
			id, found := strings.CutPrefix(other.MessageID, engine.Placeholder(earlierPrefix))
			if !found || other.SessionID != run.sessionID {
				continue
			}
			m, err := rd.Message(run.sessionID, id)
			if errors.Is(err, chat.ErrMessageNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			messages, placeholders = append(messages, m), append(placeholders, other.MessageID)
		}
		return err
	})
	sort.Slice(messages, func(i, j int) bool { return messages[i].Seq < messages[j].Seq })
	return messages, placeholders, err
}
