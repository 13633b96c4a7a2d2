package queue

import (
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// unstored are outcomes of deliveries that a sink's last Serve could not store: the
// database was away when it ended. They are still right if no other node served the
// sink since.
type unstored struct {
	epoch int64 // of the lease, 0 without one
	lanes map[string][]chat.Delivery
}

// keep keeps what a sender could not store. The caller holds the lock.
func (o *Outbox) keep(s *sender) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) > 0 {
		o.kept[s.sink.Name()] = unstored{s.lease.Epoch(), s.kept}
	}
}

// takeKept returns what the last Serve of a sink could not store, nil if another node may
// have served it since. The caller holds the lock.
func (o *Outbox) takeKept(dest string, l *nodes.Lease) map[string][]chat.Delivery {
	kept := o.kept[dest]
	delete(o.kept, dest)
	if now := l.Epoch(); now == kept.epoch || now == kept.epoch+1 {
		return kept.lanes
	}
	return nil
}

func (s *sender) keepOutcomes(sessionID string, settled []chat.Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string][]chat.Delivery{}
	}
	s.kept[sessionID] = settled
}

func (s *sender) takeKept(sessionID string) []chat.Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	settled := s.kept[sessionID]
	delete(s.kept, sessionID)
	return settled
}
