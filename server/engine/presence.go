package engine

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/hub"
	"github.com/relay-chat/relay/server/engine/nodes"
)

const (
	// operatorStays is how long an operator counts as online after acting.
	operatorStays = 5 * time.Minute
	// statusHolds is how long an operator's switch of the presence holds.
	statusHolds = 12 * time.Hour
	// actedEvery is how often the time of the last act is stored.
	actedEvery = time.Minute
)

// The store's names for a status set by a program, one held by an operator, and the
// time of the last act.
const (
	metaPresence = "operator_status"
	metaHold     = "operator_hold"
	metaHolds    = "operator_holds" // of some sites alone
	metaActed    = "operator_acted"
)

// The positions of the presence switch.
const (
	PresenceAutomatic = "automatic"
	PresenceOnline    = "online"
	PresenceAway      = "away"
)

// presence decides whether operators are online. An operator's switch holds for
// some hours, else a program's value, else it is automatic: online during business
// hours, and while an operator is active at the console or acted elsewhere within the
// last minutes. In bridge mode only the backend sets it.
type presence struct {
	mu        sync.Mutex
	hold      hold
	holds     map[string]hold // of some sites alone, which come first
	set       string          // "online", "offline" or "": automatic
	acted     chat.Time       // last act on a bridge or through the API
	people    map[string]*person
	hours     siteHours
	published Presence                  // at the first site
	sites     []string                  // all of them
	shown     map[string]operatorStatus // at sites where it may differ from the first's
	peers     map[string][]peerPerson   // at other nodes
	rung      []peerPerson              // what those were sent last
	actedRung chat.Time
}

// operators are those who answer: whether they are online, and who is at the console.
type operators struct {
	presence presence
	hub      *hub.Hub
	nodes    *nodes.Nodes
	backend  bool // which decides alone whether they are online
}

// hold is a status that holds until a time.
type hold struct {
	Online bool      `json:"online"`
	Until  chat.Time `json:"until"`
	// By is the operator who set it in the console; signing out ends it.
	By string `json:"by,omitempty"`
}

// Presence is what the console shows of the operators' presence.
type Presence struct {
	Online bool   `json:"online"`
	Mode   string `json:"mode"`
	// Until is when the mode ends, if it ends by itself.
	Until chat.Time `json:"until,omitzero"`
	// HoursEnd is when the business hours end that make it online.
	HoursEnd chat.Time `json:"hoursEnd,omitzero"`
	// BackAt is when an operator is expected back, 0 if online or unknown.
	BackAt    chat.Time `json:"backAt,omitzero"`
	Operators []Present `json:"operators"`
}

// now computes the presence at the first site.
func (p *presence) now(at chat.Time) Presence { return p.at("", at) }

// at computes the presence at a site. Times in the future are from a clock that was
// stepped back since.
func (p *presence) at(site string, at chat.Time) Presence { return p.among(p.present(at), site, at) }

// among is at with those who are at the console.
func (p *presence) among(present []Present, site string, at chat.Time) Presence {
	p.acted = min(p.acted, at)
	held := p.hold
	if own, is := p.holds[site]; is && at < own.Until {
		held = own
	}
	held.Until = min(held.Until, at.Add(statusHolds))
	out := Presence{Mode: PresenceAutomatic, Operators: present}
	switch {
	case at < held.Until:
		out.Mode, out.Until = modeOf(held.Online), held.Until
	case p.set != "":
		out.Mode = modeOf(p.set == "online")
	default:
		p.automatic(at, site, &out)
	}
	out.Online = out.Online || out.Mode == PresenceOnline
	if !out.Online {
		out.BackAt = backAt(at, p.hours.of(site), &out)
	}
	return out
}

// automatic computes the presence without a switch or a program's value.
func (p *presence) automatic(at chat.Time, site string, out *Presence) {
	if open, ok := p.hours.of(site).Next(at); ok && open.From <= at {
		out.HoursEnd = open.To
	}
	out.Online = out.HoursEnd != 0 || p.acted != 0 && at.Sub(p.acted) < operatorStays
	for _, o := range out.Operators {
		out.Online = out.Online || o.Active && o.sites.Has(site)
	}
}

// backAt is when business hours begin, once the switch allows it; 0
// when that is unknown.
func backAt(at chat.Time, hours *chat.Timetable, out *Presence) chat.Time {
	if out.Mode == PresenceAway && out.Until == 0 {
		return 0
	}
	open, ok := hours.Next(max(at, out.Until))
	if !ok {
		return 0
	}
	return max(open.From, out.Until)
}

func modeOf(online bool) string {
	if online {
		return PresenceOnline
	}
	return PresenceAway
}

// Presence reports whether operators are there, why, and who is at the console.
func (o *operators) Presence() Presence { return o.PresenceAt("") }

// PresenceAt is Presence for a site, which may have business hours of its own.
func (o *operators) PresenceAt(site string) Presence {
	o.presence.mu.Lock()
	defer o.presence.mu.Unlock()
	return o.presence.at(site, chat.Now())
}

// To is what somebody who answers these sites sees: not who is there for others.
func (p Presence) To(sites chat.SiteSet) Presence {
	p.Operators = slices.DeleteFunc(slices.Clone(p.Operators), func(o Present) bool { return !o.sites.Meets(sites) })
	return p
}

// openingDays is how far ahead visitors see business hours.
const openingDays = 7

// Openings returns a site's business hours of the coming days, none if there are none.
func (o *operators) Openings(site string) []chat.OpenTime {
	o.presence.mu.Lock()
	hours := o.presence.hours.of(site).Schedule
	o.presence.mu.Unlock()
	return hours.Coming(chat.Now(), openingDays)
}

// OperatorOnline reports whether an operator is there.
func (o *operators) OperatorOnline() bool { return o.Presence().Online }

// presenceSwitch sets the operators' status, for all nodes and beyond a restart.
type presenceSwitch struct{ *Relay }

// SetOperatorStatus sets the status until it is set again.
func (r *presenceSwitch) SetOperatorStatus(ctx context.Context, online bool) error {
	if online {
		return r.setPresence(ctx, func(p *presence) { p.set, p.hold, p.holds = "online", hold{}, nil })
	}
	return r.setPresence(ctx, func(p *presence) { p.set, p.hold, p.holds = "offline", hold{}, nil })
}

// ResetOperatorStatus makes the status automatic, at the operator's sites.
func (r *presenceSwitch) ResetOperatorStatus(ctx context.Context, by chat.Author) error {
	return r.setPresence(ctx, func(p *presence) {
		if by.Sites == nil {
			p.set, p.hold, p.holds = "", hold{}, nil
		}
		for _, site := range by.Sites {
			delete(p.holds, site)
		}
	})
}

// HoldOperatorStatus holds an operator's choice for 12 hours, or until the status is set
// again, at the operator's sites.
func (r *presenceSwitch) HoldOperatorStatus(ctx context.Context, by chat.Author, online bool) error {
	h := hold{Online: online, Until: chat.Now().Add(statusHolds)}
	if by.Source == chat.SourceConsole {
		h.By = by.Name
	}
	return r.setPresence(ctx, func(p *presence) {
		if by.Sites == nil {
			p.hold, p.holds = h, nil
			return
		}
		if p.holds == nil {
			p.holds = map[string]hold{}
		}
		for _, site := range by.Sites {
			p.holds[site] = h
		}
	})
}

// setPresence stores and publishes the change made by set.
func (r *presenceSwitch) setPresence(ctx context.Context, set func(*presence)) error {
	err := r.transact(ctx, chat.Author{Source: chat.SourceAPI}, lockSystemSession, func(c *change) error {
		p, err := storedPresence(c)
		if err != nil {
			return err
		}
		before := p.now(c.at).Mode
		set(p)
		if err := c.PutMeta(metaPresence, p.set); err != nil {
			return err
		}
		if err := c.PutMeta(metaHold, string(chat.MustJSON(p.hold))); err != nil {
			return err
		}
		if err := c.PutMeta(metaHolds, string(chat.MustJSON(p.holds))); err != nil {
			return err
		}
		if p.now(c.at).Mode == before {
			return nil
		}
		return c.emitFact(chat.EventStatusSet, statusSet{r.wouldBe(set), c.at})
	})
	if err != nil {
		return err
	}
	r.updatePresence(set)
	r.nodes.Ring(notePresence)
	return nil
}

// wouldBe reports whether operators would be online after set.
func (o *operators) wouldBe(set func(*presence)) bool {
	o.presence.mu.Lock()
	defer o.presence.mu.Unlock()
	p := presence{hold: o.presence.hold, holds: maps.Clone(o.presence.holds), set: o.presence.set, acted: o.presence.acted, people: o.presence.people, peers: o.presence.peers, hours: o.presence.hours}
	set(&p)
	return p.now(chat.Now()).Online
}

// statusSet is the payload of [chat.EventStatusSet].
type statusSet struct {
	Online bool      `json:"online"`
	At     chat.Time `json:"at"`
}

// SystemSession is the id of the session for events that concern no single session:
// every delivery needs a session's lane. It is never listed or swept.
const SystemSession = ""

// lockSystemSession locks the system session, creating it if it is missing.
func lockSystemSession(tx chat.Tx) (chat.Session, error) {
	s, err := tx.Lock(SystemSession)
	if errors.Is(err, chat.ErrSessionNotFound) {
		s = chat.Session{ID: SystemSession, Status: chat.StatusOpen, CreatedAt: chat.Now(), LastActivity: chat.Now()}
		err = tx.CreateSession(&s)
	}
	return s, err
}

// Notice notifies operators of something that concerns no session, in the system
// thread of every platform but the one that it is about.
func (r *Relay) Notice(ctx context.Context, about, text string) error {
	return r.transact(ctx, chat.Author{Source: about}, lockSystemSession, func(c *change) error {
		return c.emitFact(chat.EventNotice, map[string]string{"text": text})
	})
}

func (o *operators) loadPresence(ctx context.Context, store chat.Store, hours siteHours, sites []string) error {
	return store.Read(ctx, func(rd chat.Reader) error {
		p, err := storedPresence(rd)
		if err != nil {
			return err
		}
		o.presence.hold, o.presence.holds, o.presence.set, o.presence.acted = p.hold, p.holds, p.set, p.acted
		o.presence.hours, o.presence.sites = hours, sites
		o.presence.published, o.presence.shown = o.presence.now(chat.Now()), o.presence.statuses(chat.Now())
		return nil
	})
}

// storedPresence reads what survives a restart.
func storedPresence(rd chat.MetaReader) (*presence, error) {
	p := &presence{}
	var err error
	if p.set, err = rd.Meta(metaPresence); err != nil {
		return p, err
	}
	for name, to := range map[string]any{metaHold: &p.hold, metaHolds: &p.holds, metaActed: &p.acted} {
		stored, err := rd.Meta(name)
		if err == nil && stored != "" {
			err = json.Unmarshal([]byte(stored), to)
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// isAct reports whether a change proves that its operator is there. An API key is nobody's.
func (c *change) isAct() bool {
	nobody := (c.by.Key != nil || c.by.Hook != nil) && c.by.Person == ""
	return c.by.Sender == chat.SenderOperator && !nobody && !c.backend && !c.readOnly
}

// storeAct stores from time to time that operators act outside the console: the console
// reports again after a restart, the other places do not.
func (o *operators) storeAct(c *change) error {
	if !c.isAct() || c.by.Source == chat.SourceConsole {
		return nil
	}
	o.presence.mu.Lock()
	last := o.presence.acted
	o.presence.mu.Unlock()
	if last <= c.at && c.at.Sub(last) < actedEvery {
		return nil
	}
	return c.PutMeta(metaActed, string(chat.MustJSON(c.at)))
}

func (o *operators) operatorActed(by chat.Author, at chat.Time) {
	o.updatePresence(func(p *presence) {
		if by.Source != chat.SourceConsole {
			p.acted = max(p.acted, at)
			if p.acted.Sub(p.actedRung) >= actedRings {
				p.actedRung = p.acted
				o.nodes.Ring(noteActed, p.acted)
			}
		} else if o := p.people[by.Name]; o != nil {
			o.active = max(o.active, at)
		}
	})
}

// operatorStatus is the payload of [chat.StateOperatorStatus].
type operatorStatus struct {
	Online bool      `json:"online"`
	BackAt chat.Time `json:"backAt,omitzero"`
}

// updatePresence changes the presence. Visitors are notified of a new status, the
// console also of the operators who are there.
func (o *operators) updatePresence(change func(*presence)) {
	o.presence.mu.Lock()
	defer o.presence.mu.Unlock()
	change(&o.presence)
	before, now := o.presence.published, o.presence.now(chat.Now())
	o.presence.published = now
	elsewhere := o.publishStatus(operatorStatus{before.Online, before.BackAt}, operatorStatus{now.Online, now.BackAt})
	before.Online, before.BackAt = now.Online, now.BackAt
	if !o.backend && (elsewhere || !reflect.DeepEqual(now, before)) {
		o.hub.Report(chat.StatePresence, now)
	}
	o.ringPeople()
}

// keepPresence updates the status of operators and visitors as time passes, until
// ctx ends.
func (r *Relay) keepPresence(ctx context.Context) {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.updatePresence(func(*presence) {})
			r.visitorsGone()
			r.keepLive()
		}
	}
}
