package mirror

import (
	"context"
	"errors"
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// listed deletes the operators' messages that were deleted while nothing was received: they
// are missing where the thread was read, and the platform confirms each.
func (ev *inboundEvent) listed(ctx context.Context) error {
	bridge, can := ev.mirror.bridge.(chat.Stander)
	if !can {
		return nil
	}
	missing, err := ev.missing(ctx)
	if err != nil {
		return err
	}
	for _, l := range missing {
		stands, err := bridge.Stands(ctx, ev.thread, l.Remote)
		if err != nil {
			return err
		}
		m, err := ev.loadMessage(ctx, l.MessageID)
		if errors.Is(err, chat.ErrMessageNotFound) || err == nil && (stands || m.DeletedAt != 0) {
			continue
		}
		if err != nil {
			return err
		}
		gone := *ev
		gone.Kind, gone.Remote = chat.InboundDeleted, l.Remote
		if err := gone.deleted(ctx); err != nil {
			return err
		}
	}
	return nil
}

// missing are the origins of operators' messages that should stand in what was read.
func (ev *inboundEvent) missing(ctx context.Context) (list []chat.Link, err error) {
	err = ev.mirror.store.ReadOne(ctx, func(rd chat.Reader) error {
		list = nil
		links, err := rd.LinksOf(ev.thread.SessionID, ev.thread.Bridge, ev.thread.Channel)
		for _, l := range links {
			read := older(ev.Since, l.Remote) && older(ev.thread.Ref, l.Remote) // in this thread
			if l.Origin && l.State == chat.LinkLive && read && !engine.IsPlaceholder(l.MessageID) && !slices.Contains(ev.Standing, l.Remote) {
				list = append(list, l)
			}
		}
		return err
	})
	return list, err
}

// older reports whether an id of a platform is older than another: rising numbers, ""
// being the oldest.
func older(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }
