// Package hub shows events to live streams. It is fast and may lose some: a feed reads the
// store where it has a gap.
package hub

import (
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/relay-chat/relay/server/chat"
)

// queueLength is how many events wait for a slow reader before it must read
// the store to catch up.
const queueLength = 16

// Hub sends events to the live streams. It is only a hint: events
// may arrive in any order or be missing, so readers track revisions
// and read gaps from the store (see [Feed]).
type Hub struct {
	mu       sync.RWMutex
	sessions map[string][]*Subscription
	all      []*Subscription
	taps     []func(*chat.Event)
	ring     func(kind string, args ...any)
	closed   bool
}

// Subscription receives the events of one session, or of all.
type Subscription struct {
	// C carries the events. It is closed when the hub closes, or drops the
	// session or is uncertain about it.
	C         chan *chat.Event
	hub       *Hub
	sessionID string
	lost      atomic.Bool
	ended     atomic.Bool
	last      atomic.Int64 // the revision up to which its reader is complete
	by        chat.Author  // who reads a session
}

// The notes between the hubs of nodes.
const (
	noteState     = "t" // type, source, session, body
	noteDrop      = "d" // session: its streams end
	noteUncertain = "u" // something may have happened in a session
)

// New makes a hub without subscribers; ring sends notes to the hubs of other nodes. A
// tap is called with every event of a session, in the order of publishing, and must not
// wait: it loses none.
func New(ring func(kind string, args ...any), taps ...func(*chat.Event)) *Hub {
	return &Hub{sessions: map[string][]*Subscription{}, taps: taps, ring: ring}
}

// Notes returns what receives the notes of other hubs, by their kind.
func (h *Hub) Notes() map[string]func(node string, args []json.RawMessage) {
	return map[string]func(string, []json.RawMessage){
		noteState: func(_ string, args []json.RawMessage) { h.receiveState(args) },
		noteDrop: func(_ string, args []json.RawMessage) {
			if id, ok := textOf(args, 0); ok {
				h.drop(id)
			}
		},
		noteUncertain: func(_ string, args []json.RawMessage) {
			if id, ok := textOf(args, 0); ok {
				h.markUncertain(id)
			}
		},
	}
}

func (h *Hub) receiveState(args []json.RawMessage) {
	t, hasType := textOf(args, 0)
	source, hasSource := textOf(args, 1)
	sessionID, hasSession := textOf(args, 2)
	if !hasType || !hasSource || !hasSession {
		return
	}
	var body any
	if len(args) > 3 && string(args[3]) != "null" {
		body = args[3]
	}
	h.Publish(chat.NewEvent(chat.EventType(t), source, chat.Now(), sessionID, body))
}

func textOf(args []json.RawMessage, i int) (text string, ok bool) {
	return text, i < len(args) && json.Unmarshal(args[i], &text) == nil
}

// Subscribe starts a subscription to one session, or to all with "". The
// caller ends it with Close.
func (h *Hub) Subscribe(sessionID string) *Subscription { return h.subscribe(chat.Author{}, sessionID) }

func (h *Hub) subscribe(by chat.Author, sessionID string) *Subscription {
	s := &Subscription{C: make(chan *chat.Event, queueLength), hub: h, sessionID: sessionID, by: by}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		s.end()
	case sessionID == "":
		h.all = append(h.all, s)
	default:
		h.sessions[sessionID] = append(h.sessions[sessionID], s)
	}
	return s
}

// Publish sends events to their session's subscribers and to those of all. It
// never waits: a subscriber whose queue is full has Lost events.
func (h *Hub) Publish(events ...chat.Event) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for i := range events {
		e := &events[i]
		for _, s := range h.sessions[e.SessionID] {
			s.offer(e)
		}
		for _, s := range h.all {
			s.offer(e)
		}
		for _, tap := range h.taps {
			tap(e)
		}
	}
}

// Broadcast sends a state to all subscribers.
func (h *Hub) Broadcast(t chat.EventType, body any) {
	h.BroadcastBySite(t, func(string) any { return body })
}

// BroadcastBySite sends each visitor the state of the own site, and operators that of the
// first; nil is no news.
func (h *Hub) BroadcastBySite(t chat.EventType, body func(site string) any) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	at := chat.Now()
	for id, list := range h.sessions {
		for _, s := range list {
			if news := body(s.by.Site); news != nil {
				e := chat.NewEvent(t, "", at, id, news)
				s.offer(&e)
			}
		}
	}
	news := body("")
	if news == nil {
		return
	}
	e := chat.NewEvent(t, "", at, "", news)
	for _, s := range h.all {
		s.offer(&e)
	}
}

// Report sends a state only to the subscribers of all sessions.
func (h *Hub) Report(t chat.EventType, body any) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	e := chat.NewEvent(t, "", chat.Now(), "", body)
	for _, s := range h.all {
		s.offer(&e)
	}
}

// Watched reports how many subscriptions a session has.
func (h *Hub) Watched(sessionID string) int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.sessions[sessionID])
}

// Open reports how many subscriptions to sessions there are.
func (h *Hub) Open() (n int) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, list := range h.sessions {
		n += len(list)
	}
	return n
}

// Wants reports whether anybody here reads a session's events.
func (h *Hub) Wants(sessionID string) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.all) > 0 || len(h.taps) > 0 || len(h.sessions[sessionID]) > 0
}

// WatchedIDs lists the sessions that have subscriptions.
func (h *Hub) WatchedIDs() []string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	ids := make([]string, 0, len(h.sessions))
	for id := range h.sessions {
		ids = append(ids, id)
	}
	return ids
}

// Review ends those streams of a session that would not be allowed any more, and makes the
// readers of the others that are not complete read the store.
func (h *Hub) Review(sessionID string, now chat.Standing, exists bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var stay []*Subscription
	for _, s := range h.sessions[sessionID] {
		if !exists || s.by.Authorise(&chat.Session{Site: s.by.Site, Blocked: now.Blocked, TokenHash: now.TokenHash, Devices: now.Devices}) != nil {
			s.end()
			continue
		}
		stay = append(stay, s)
		if s.last.Load() < now.Rev {
			s.lost.Store(true)
			s.offer(&chat.Event{SessionID: sessionID})
		}
	}
	if len(stay) == 0 {
		delete(h.sessions, sessionID)
		return
	}
	h.sessions[sessionID] = stay
}

// LoseAll makes the readers of all sessions read the store: they have Lost events.
func (h *Hub) LoseAll() {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, s := range h.all {
		s.lost.Store(true)
		s.offer(&chat.Event{})
	}
}

// PublishState sends a state of a session to its subscribers and to those of all, at
// every node.
func (h *Hub) PublishState(t chat.EventType, source, sessionID string, body any) {
	h.Publish(chat.NewEvent(t, source, chat.Now(), sessionID, body))
	h.ring(noteState, t, source, sessionID, body)
}

// Drop ends every subscription of a session that was erased or blocked, at every node.
func (h *Hub) Drop(sessionID string) {
	h.drop(sessionID)
	h.ring(noteDrop, sessionID)
}

func (h *Hub) drop(sessionID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions[sessionID] {
		s.end()
	}
	delete(h.sessions, sessionID)
}

// MarkUncertain ends every subscription of a session, at every node, after a commit whose
// outcome is unknown. Those of all sessions have Lost events.
func (h *Hub) MarkUncertain(sessionID string) {
	h.markUncertain(sessionID)
	h.ring(noteUncertain, sessionID)
}

func (h *Hub) markUncertain(sessionID string) {
	h.drop(sessionID)
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, s := range h.all {
		s.lost.Store(true)
	}
}

// Close ends every subscription, also future ones.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.closed = true
	for _, list := range h.sessions {
		for _, s := range list {
			s.end()
		}
	}
	for _, s := range h.all {
		s.end()
	}
	h.sessions, h.all = map[string][]*Subscription{}, nil
}

// Close ends the subscription. Its channel is left open for the garbage
// collector.
func (s *Subscription) Close() {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.sessionID == "" {
		h.all = without(h.all, s)
		return
	}
	if list := without(h.sessions[s.sessionID], s); len(list) > 0 {
		h.sessions[s.sessionID] = list
	} else {
		delete(h.sessions, s.sessionID)
	}
}

// Lost reports, once, whether events were dropped since it was last asked.
// Events are dropped only while C is full, so asking after each receive is
// enough.
func (s *Subscription) Lost() bool { return s.lost.Load() && s.lost.Swap(false) }

// Ended reports whether the hub has ended the subscription; C may still hold
// events.
func (s *Subscription) Ended() bool { return s.ended.Load() }

// end is called by the hub under its lock.
func (s *Subscription) end() {
	s.ended.Store(true)
	close(s.C)
}

func (s *Subscription) offer(e *chat.Event) {
	select {
	case s.C <- e:
	default:
		s.lost.Store(true)
	}
}

func without(list []*Subscription, s *Subscription) []*Subscription {
	i := slices.Index(list, s)
	if i < 0 {
		return list
	}
	return slices.Delete(list, i, i+1)
}
