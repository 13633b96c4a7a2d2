package inbound

import (
	"context"

	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// place is a thread, with its session, as the store knows it.
type place struct {
	chat.Thread
	store chat.Store
}

// linkTo returns an empty link to a platform message of the thread.
func (p *place) linkTo(remote string) chat.Link {
	return chat.Link{Bridge: p.Bridge, Channel: p.Channel, Remote: remote}
}

// origin returns the id of the message made from an operator's platform message, or the
// placeholder of a command.
func (p *place) origin(ctx context.Context, remote string) (id string, err error) {
	at := p.linkTo(remote)
	return access.ReadOne(ctx, p.store, func(rd chat.Reader) (string, error) { return engine.OriginAt(rd, &at, p.SessionID) })
}

// loadMessage reads a message of the session.
func (p *place) loadMessage(ctx context.Context, id string) (chat.Message, error) {
	return access.ReadOne(ctx, p.store, func(rd chat.Reader) (chat.Message, error) { return rd.Message(p.SessionID, id) })
}

// links returns the links of a message of the session.
func (p *place) links(ctx context.Context, id string) ([]chat.Link, error) {
	return access.ReadOne(ctx, p.store, func(rd chat.Reader) ([]chat.Link, error) { return rd.Links(p.SessionID, id, p.Bridge, p.Channel) })
}

// linksAt returns the links of a platform message.
func (p *place) linksAt(ctx context.Context, remote string) ([]chat.Link, error) {
	return access.ReadOne(ctx, p.store, func(rd chat.Reader) ([]chat.Link, error) { return rd.LinksAt(p.Bridge, p.Channel, remote) })
}

// markGone notes that a copy is gone.
func (p *place) markGone(ctx context.Context, remote string) error {
	return p.store.Apply(ctx, func(tx chat.Tx) error {
		links, err := tx.LinksAt(p.Bridge, p.Channel, remote)
		if err != nil {
			return err
		}
		return access.SaveGone(tx, links)
	})
}

// save stores errands and links.
func (p *place) save(ctx context.Context, errands []chat.Update, links []chat.Link) error {
	if len(errands)+len(links) == 0 {
		return nil
	}
	return p.store.Apply(ctx, func(tx chat.Tx) error {
		for i := range errands {
			if _, err := tx.PutUpdate(&errands[i]); err != nil {
				return err
			}
		}
		for i := range links {
			if err := tx.SaveLink(&links[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// repliedTo finds the message that the operator replied to: the newest one that the
// platform message shows, "" for none. Only a note may reply to a note.
func (p *place) repliedTo(ctx context.Context, remote string, notes bool) (id string, err error) {
	if remote == "" {
		return "", nil
	}
	err = p.store.Read(ctx, func(rd chat.Reader) error {
		id = ""
		links, err := rd.LinksAt(p.Bridge, p.Channel, remote)
		if err != nil {
			return err
		}
		newest := int64(-1)
		for _, l := range links {
			if l.SessionID != p.SessionID || engine.IsPlaceholder(l.MessageID) {
				continue
			}
			m, err := rd.Message(l.SessionID, l.MessageID)
			if err == nil && m.Seq > newest && (notes || !m.Internal) {
				id, newest = m.ID, m.Seq
			}
		}
		return nil
	})
	return id, err
}

// fileMessages are the messages besides id that brought files of the operator's
// platform message.
func (p *place) fileMessages(ctx context.Context, remote, id string) (ids []string, err error) {
	links, err := p.linksAt(ctx, remote)
	for _, l := range links {
		if l.Origin && l.SessionID == p.SessionID && l.MessageID != id && !engine.IsPlaceholder(l.MessageID) {
			ids = append(ids, l.MessageID)
		}
	}
	return ids, err
}

// wasDeleted reports whether the operator deleted the platform message.
func (p *place) wasDeleted(ctx context.Context, remote string) (gone bool, err error) {
	err = p.store.Read(ctx, func(rd chat.Reader) error {
		gone = false
		links, err := rd.LinksAt(p.Bridge, p.Channel, remote)
		for _, l := range links {
			if !l.Origin || l.SessionID != p.SessionID {
				continue
			}
			m, err := rd.Message(l.SessionID, l.MessageID)
			gone = gone || l.State == chat.LinkGone || err == nil && m.DeletedAt != 0
		}
		return err
	})
	return gone, err
}
