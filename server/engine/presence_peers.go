package engine

import (
	"reflect"
	"sort"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// actedRings is how often other nodes are notified that operators act.
const actedRings = 5 * time.Second

// peerPerson is an operator at the consoles of another node.
type peerPerson struct {
	Name   string    `json:"n"`
	Seats  int       `json:"s,omitempty"`
	Active chat.Time `json:"a,omitempty"`
	Left   chat.Time `json:"l,omitempty"`
	Sites  []string  `json:"t,omitzero"`
}

// setPeers notes who is at the consoles of another node.
func (p *presence) setPeers(node string, list []peerPerson) {
	if len(list) == 0 {
		delete(p.peers, node)
		return
	}
	if p.peers == nil {
		p.peers = map[string][]peerPerson{}
	}
	p.peers[node] = list
}

// own lists who is at this node's consoles.
func (p *presence) own() []peerPerson {
	list := []peerPerson{}
	for name, o := range p.people {
		list = append(list, peerPerson{name, len(o.seats), o.active, o.left, o.sites})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// ringPeople notifies the other nodes who is here, if that changed. The caller holds the
// lock of the presence.
func (o *operators) ringPeople() {
	if !o.nodes.Shared() {
		o.presence.rung = nil
		return
	}
	if own := o.presence.own(); !reflect.DeepEqual(own, o.presence.rung) {
		if len(own) > 0 || len(o.presence.rung) > 0 {
			o.nodes.Ring(notePeople, own)
		}
		o.presence.rung = own
	}
}

// peersAt adds the operators at other nodes to those here.
func (p *presence) peersAt(at chat.Time, add func(name string, sites chat.SiteSet, active bool)) {
	for _, list := range p.peers {
		for _, o := range list {
			if o.Seats > 0 || at.Sub(min(o.Left, at)) < seatStays {
				active := min(o.Active, at)
				add(o.Name, o.Sites, active != 0 && at.Sub(active) < operatorStays)
			}
		}
	}
}

// peerSits reports whether an operator has a console open at another node.
func (p *presence) peerSits(name string) (sits bool) {
	for _, list := range p.peers {
		for _, o := range list {
			sits = sits || o.Name == name && o.Seats > 0
		}
	}
	return sits
}
