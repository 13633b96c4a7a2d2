package engine

import (
	"context"
	"errors"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// Times of the visitors who are on a website now.
const (
	// liveLasts is how long a page counts as open after it said so, which it does every ten seconds.
	liveLasts = 22 * time.Second
	// liveLeaves bridges the change from one page to the next.
	liveLeaves = 4 * time.Second
	// liveAsked is how long the others report after a node asked: the console asks every few seconds.
	liveAsked = 15 * time.Second
	// inviteLasts is how long a conversation waits for the page of a visitor to whom somebody wrote first.
	inviteLasts = 30 * time.Minute
)

const (
	maxLive    = 20_000
	maxInvited = 1_000
)

// ErrLiveLeft: the visitor is not on the website any more.
var ErrLiveLeft = &chat.Error{Kind: chat.NotFound, Text: "This visitor has left the website"}

// LivePage is what an open page says of itself.
type LivePage struct {
	chat.LiveVisitor
	// Own is the number that only the page knows; Left says that it is being closed.
	Own  string
	Left bool
	// Author has the token of the visitor's conversation, if the page says that there is one.
	Author chat.Author
}

// live are the visitors who are on a website now. Nothing of it is stored: the nodes tell each
// other while somebody looks.
type live struct {
	relay *Relay

	mu      sync.Mutex
	here    map[string]*liveEntry
	invited map[string]invitation // by the visitor's id
	renewed map[string]bool       // what the others do not know yet
	asked   time.Time             // by another node
	rang    time.Time             // that this one asked
}

type liveEntry struct {
	chat.LiveVisitor
	until time.Time
	// proof is the hash of the token with which SessionID was proved, own is a session in which
	// nothing was said yet.
	proof, own string
}

// invitation is a conversation that an operator began with somebody on the website.
type invitation struct {
	session string
	until   time.Time
}

// PageOpen notes an open page, and returns the conversation that it is to go on with, nil for none.
func (l *live) PageOpen(ctx context.Context, p *LivePage) (*Conversation, error) {
	now := time.Now()
	v := &p.LiveVisitor
	v.ID = chat.LiveID(p.Own)
	v.Clip()
	if p.Left {
		l.leaves(v.ID, now)
		return nil, nil
	}
	entry := &liveEntry{LiveVisitor: *v, until: now.Add(liveLasts)}
	entry.Name = chat.Nickname(v.ID)
	if err := l.prove(ctx, entry, p); err != nil {
		return nil, err
	}
	l.note(entry, now)
	return l.invitedTo(ctx, entry, now)
}

// prove finds out whether the conversation that a page names is its own; if not, it has none.
func (l *live) prove(ctx context.Context, entry *liveEntry, p *LivePage) error {
	id := entry.SessionID
	entry.SessionID = ""
	if id == "" {
		return nil
	}
	proof := chat.Hash(id + "\n" + p.Author.Token)
	l.mu.Lock()
	known := l.here[entry.ID]
	if known != nil && known.proof == proof && known.SessionID != "" {
		entry.SessionID, entry.Name, entry.proof = known.SessionID, known.Name, proof
		l.mu.Unlock()
		return nil
	}
	l.mu.Unlock()
	var s chat.Session
	err := l.relay.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		if s, err = rd.Session(id); err == nil {
			err = p.Author.Authorise(&s)
		}
		return err
	})
	switch {
	case errors.Is(err, chat.ErrSessionNotFound), errors.Is(err, chat.ErrBlocked):
		return nil
	case err != nil:
		return err
	case s.Started():
		entry.SessionID, entry.Name, entry.proof = id, s.Named(), proof
	default:
		entry.own = id
	}
	return nil
}

// note stores what a page said, and rings it if it is new.
func (l *live) note(entry *liveEntry, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.here[entry.ID]
	if known != nil {
		entry.Since = min(known.Since, entry.Since)
	}
	if known == nil && len(l.here) >= maxLive {
		return
	}
	if l.here == nil {
		l.here = map[string]*liveEntry{}
	}
	l.here[entry.ID] = entry
	if !l.isAsked(now) {
		return
	}
	if known == nil || known.own != entry.own || !known.Same(&entry.LiveVisitor) {
		l.relay.nodes.Ring(noteLive, "is", entry.LiveVisitor, entry.own)
		return
	}
	if l.renewed == nil {
		l.renewed = map[string]bool{}
	}
	l.renewed[entry.ID] = true
}

// isAsked reports whether another node wants to know. The caller holds the lock.
func (l *live) isAsked(now time.Time) bool {
	return now.Before(l.asked.Add(liveAsked)) && l.relay.nodes.Shared()
}

// leaves notes that a page is being closed; the next one may be about to open.
func (l *live) leaves(id string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shorten(id, now)
	if l.isAsked(now) {
		l.relay.nodes.Ring(noteLive, "left", id)
	}
}

// shorten lets an entry end soon. The caller holds the lock.
func (l *live) shorten(id string, now time.Time) {
	if known := l.here[id]; known != nil {
		known.until = now.Add(liveLeaves)
	}
	delete(l.renewed, id)
}

// LiveVisitors lists at most that many visitors who are on the sites now, the last one to come first,
// and counts all of them.
func (l *live) LiveVisitors(sites chat.SiteSet, most int) (list []chat.LiveVisitor, total int) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.rang) > liveAsked/3 {
		l.rang = now
		l.relay.nodes.Ring(noteLive, "asks")
	}
	for _, one := range l.here {
		if now.Before(one.until) && sites.Has(one.Site) {
			list = append(list, one.LiveVisitor)
		}
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].Since > list[j].Since || list[i].Since == list[j].Since && list[i].ID < list[j].ID
	})
	return slices.Clip(list[:min(len(list), most)]), len(list)
}

// keepLive removes who has left, and tells the others who is still there.
func (l *live) keepLive() {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, one := range l.here {
		if !now.Before(one.until) {
			delete(l.here, id)
		}
	}
	for id, one := range l.invited {
		if !now.Before(one.until) {
			delete(l.invited, id)
		}
	}
	l.ringRenewed()
}

// ringRenewed tells the others which visitors are still there. The caller holds the lock.
func (l *live) ringRenewed() {
	args := []any{"stay"}
	for id := range l.renewed {
		if args = append(args, id); len(args) > visitorsAtOnce {
			l.relay.nodes.Ring(noteLive, args...)
			args = args[:1:1]
		}
	}
	clear(l.renewed)
	if len(args) > 1 {
		l.relay.nodes.Ring(noteLive, args...)
	}
}

// receive handles the notes of other nodes.
func (l *live) receive(got *nodes.Note) {
	now := time.Now()
	var what string
	got.Arg(0, &what)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch what {
	case "asks":
		fresh := !l.isAsked(now)
		if l.asked = now; fresh {
			for _, one := range l.here {
				l.relay.nodes.Ring(noteLive, "is", one.LiveVisitor, one.own)
			}
		}
	case "is":
		var v chat.LiveVisitor
		var own string
		if got.Arg(1, &v) && got.Arg(2, &own) {
			l.learn(&v, own, now)
		}
	case "stay":
		for i := 1; i < len(got.Args); i++ {
			var id string
			if got.Arg(i, &id) && l.here[id] != nil {
				l.here[id].until = now.Add(liveLasts)
			}
		}
	case "left":
		var id string
		got.Arg(1, &id)
		l.shorten(id, now)
	case "invited":
		var id, session string
		if got.Arg(1, &id) && got.Arg(2, &session) {
			l.invite(id, session, now)
		}
	}
}

// learn notes a visitor whose page another node has heard. The caller holds the lock.
func (l *live) learn(v *chat.LiveVisitor, own string, now time.Time) {
	if l.here == nil {
		l.here = map[string]*liveEntry{}
	}
	known := l.here[v.ID]
	if known == nil {
		if len(l.here) >= maxLive {
			return
		}
		known = &liveEntry{}
		l.here[v.ID] = known
	}
	if known.SessionID != v.SessionID {
		known.proof = ""
	}
	known.LiveVisitor, known.own, known.until = *v, own, now.Add(liveLasts)
}
