package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Channels are the bridges of a platform: one for each channel, all by one connection.
type Channels struct {
	Common chat.Bridge
	// Own are those of sites whose conversations begin in a channel of their own, by the
	// site's id, nil where they begin in none. Several sites may share one.
	Own map[string]chat.Bridge
	// Former are channels that sites have left; the threads that are open there stay.
	Former []chat.Bridge
}

// channel is a bridge with the id that its threads and links are stored under, and how it
// is doing.
type channel struct {
	chat.Bridge
	shared bool // several sites' conversations begin here
	former bool // no conversation begins here

	mu          sync.Mutex
	id          string
	earlier     []string  // ids that late updates may still name
	problem     error     // the last failure, nil once something worked
	failures    int       // how often something went wrong
	resting     bool      // the bridge was found misconfigured
	silentUntil time.Time // until when the platform wants no calls
}

// channelsOf makes the channels of bridges, the common one first, and where each site with
// one of its own is at home.
func channelsOf(in Channels) (list []*channel, homes map[string]*channel) {
	known := map[chat.Bridge]*channel{}
	add := func(b chat.Bridge) *channel {
		if known[b] == nil {
			known[b] = &channel{Bridge: b, id: b.Channel()}
			list = append(list, known[b])
		}
		return known[b]
	}
	add(in.Common).shared = true
	homes = map[string]*channel{}
	begin := map[*channel]int{}
	for site, b := range in.Own {
		if b == nil {
			homes[site] = nil
			continue
		}
		at := add(b)
		begin[at]++
		homes[site], at.shared = at, at.shared || begin[at] > 1
	}
	for _, b := range in.Former {
		add(b).former = true
	}
	return list, homes
}

// common is the channel of all sites that have none of their own.
func (p *Platform) common() *channel { return p.channels[0] }

// several reports whether there is more than the common channel. A failure then concerns
// one of them and does not hold up the others.
func (p *Platform) several() bool { return len(p.channels) > 1 || len(p.homes) > 0 }

// at is the channel with an id, nil when it is none of the platform's.
func (p *Platform) at(id string) *channel {
	for _, c := range p.channels {
		if c.isCalled(id) {
			return c
		}
	}
	return nil
}

func (c *channel) isCalled(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.id == id || c.Bridge.Channel() == id || slices.Contains(c.earlier, id)
}

// name is the id that the channel's threads are stored under.
func (c *channel) name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.id
}

// At is the bridge of a channel, that of the common one when it is unknown.
func (p *Platform) At(id string) chat.Bridge {
	if c := p.at(id); c != nil {
		return c.Bridge
	}
	return p.common().Bridge
}

// Shared reports whether the conversations of several sites begin in a channel.
func (p *Platform) Shared(id string) bool {
	c := p.at(id)
	return c == nil || c.shared
}

// ChannelOf is where a session is shown: in the channel of its newest thread or, without
// one, in that of its site.
func (p *Platform) ChannelOf(rd chat.Reader, sessionID string) (string, error) {
	if !p.several() || sessionID == engine.SystemSession {
		return p.common().name(), nil
	}
	threads, err := rd.ThreadsOf(sessionID)
	if err != nil {
		return "", err
	}
	slices.SortFunc(threads, func(a, b chat.Thread) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.Ref, a.Ref))
	})
	for _, th := range threads {
		if th.Bridge == p.Name() && p.at(th.Channel) != nil {
			return th.Channel, nil
		}
	}
	session, err := rd.Session(sessionID)
	if err != nil && !errors.Is(err, chat.ErrSessionNotFound) {
		return "", err
	}
	own, apart := p.homes[session.Site]
	switch {
	case !apart:
		return p.common().name(), nil
	case own == nil:
		return "", errNowhere
	}
	return own.name(), nil
}

// errNowhere is about a site that was taken from the platform while something of it waited:
// others must not read it.
var errNowhere = fmt.Errorf("%w: the site has no channel here any more", chat.ErrPermanent)

// Parse decodes a stored update: the channel that it concerns knows what it means.
func (p *Platform) Parse(raw []byte) (list []chat.Inbound, err error) {
	for _, c := range p.channels {
		if list, err = c.Parse(raw); err != nil || len(list) > 0 {
			break
		}
	}
	return list, err
}

// Follow moves threads and links when the platform gave a channel another id, which an
// update reports or the bridge learns when it writes.
func (p *Platform) Follow(ctx context.Context, from, to string) error {
	c := p.at(from)
	if c == nil || to == "" {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if from = c.id; to == from || slices.Contains(c.earlier, to) {
		return nil
	}
	p.Log.Warn("the platform gave the channel another id", "from", from, "to", to)
	if err := p.store.Apply(ctx, func(tx chat.Tx) error { return tx.MoveChannel(p.Name(), from, to) }); err != nil {
		return err
	}
	if p.moved != nil {
		if err := p.moved(ctx, from, to); err != nil {
			return err
		}
	}
	c.id, c.earlier = to, append(c.earlier, from)
	return nil
}

// FollowAll follows the channels whose bridges have learnt of another id.
func (p *Platform) FollowAll(ctx context.Context) error {
	for _, c := range p.channels {
		from, to := c.name(), c.Bridge.Channel()
		if from == to {
			continue
		}
		if err := p.Follow(ctx, from, to); err != nil {
			return err
		}
	}
	return nil
}

// left is the error of an op in a channel that sites have left: when it cannot be reached
// any more, its threads are as good as gone.
func (c *channel) left(err error) error {
	var wrong *chat.Misconfigured
	if c.former && errors.As(err, &wrong) && !wrong.Everywhere {
		return fmt.Errorf("%w: its channel was left: %s", chat.ErrThreadGone, err)
	}
	return err
}
