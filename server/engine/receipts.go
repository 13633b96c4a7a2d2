package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// receiptsEvery is how often delivery receipts are stored: all of a session
// at once, so that a busy one costs one more change, not one per message.
const receiptsEvery = time.Second

// receiptsAtOnce is for how many sessions that happens in parallel: they share a
// commit.
const receiptsAtOnce = 64

// receipts are the messages delivered to the other side since receipts were stored
// last, by session. Receipts lost with the process are noted again when the message
// is read again.
type receipts struct {
	relay   *Relay
	mu      sync.Mutex
	arrived map[string]map[string]struct{}
}

func (p *receipts) add(sessionID string, ids ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.arrived == nil {
		p.arrived = map[string]map[string]struct{}{}
	}
	if p.arrived[sessionID] == nil {
		p.arrived[sessionID] = map[string]struct{}{}
	}
	for _, id := range ids {
		p.arrived[sessionID][id] = struct{}{}
	}
}

func (p *receipts) take() map[string]map[string]struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	arrived := p.arrived
	p.arrived = nil
	return arrived
}

// EventsArrived notes which of the other side's messages a stream has written.
func (p *receipts) EventsArrived(reader chat.Sender, events []chat.Event) {
	if p.relay.backend {
		return
	}
	for i := range events {
		e := &events[i]
		if e.Type == chat.EventMessage && (e.Source == chat.SourceWidget) != (reader == chat.SenderVisitor) {
			p.add(e.SessionID, e.MessageID)
		}
	}
}

// MessagesArrived notes which of the other side's messages were read from the
// history.
func (p *receipts) MessagesArrived(reader chat.Sender, list []chat.Message) {
	if p.relay.backend {
		return
	}
	for i := range list {
		m := &list[i]
		own := (m.Sender == chat.SenderVisitor) == (reader == chat.SenderVisitor)
		if !own && m.DeliveredAt == 0 && m.ReadAt == 0 && m.DeletedAt == 0 {
			p.add(m.SessionID, m.ID)
		}
	}
}

// keepReceipts stores receipts until ctx ends, and once more then.
func (p *receipts) keepReceipts(ctx context.Context) {
	tick := time.NewTicker(receiptsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), receiptsEvery)
			p.StoreReceipts(last)
			cancel()
			return
		case <-tick.C:
			p.StoreReceipts(ctx)
		}
	}
}

// StoreReceipts marks delivered messages and publishes that to both sides.
func (p *receipts) StoreReceipts(ctx context.Context) {
	var running sync.WaitGroup
	free := make(chan struct{}, receiptsAtOnce)
	for sessionID, ids := range p.take() {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			for part := range slices.Chunk(slices.Sorted(maps.Keys(ids)), maxReadIDs) {
				if err := p.markDelivered(ctx, sessionID, part); errors.Is(err, chat.ErrAway) {
					p.add(sessionID, part...)
				} else if err != nil && !errors.Is(err, chat.ErrSessionNotFound) && ctx.Err() == nil {
					p.relay.log.Warn("cannot store which messages were delivered", "err", err)
				}
			}
		})
	}
	running.Wait()
}

func (p *receipts) markDelivered(ctx context.Context, sessionID string, ids []string) error {
	return p.relay.change(ctx, chat.Author{Source: chat.SourceRelay}, sessionID, func(c *change) error {
		receipt := chat.Receipt{Status: "delivered", At: c.at}
		for _, id := range ids {
			m, err := c.Message(sessionID, id)
			if errors.Is(err, chat.ErrMessageNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if m.DeliveredAt != 0 || m.ReadAt != 0 || m.DeletedAt != 0 {
				continue
			}
			m.DeliveredAt = c.at
			if err := c.SaveMessage(&m); err != nil {
				return err
			}
			receipt.MessageIDs = append(receipt.MessageIDs, m.ID)
		}
		if len(receipt.MessageIDs) == 0 {
			return nil
		}
		return c.emitFact(chat.EventMessageRead, receipt)
	})
}
