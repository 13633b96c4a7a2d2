package bridges

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// channels are the bridges of a platform, which share its connection: the common channel's
// and those of sites that have one of their own.
type channels struct {
	common chat.Bridge            // of the common channel; where there is none, of the first that a site has
	own    map[string]chat.Bridge // by site; nil for one that has neither a channel nor the common one
	former []chat.Bridge          // that sites have left, with threads that are open
	homes  homes
	before homes // the last ones, nil if they do not matter
}

// homes say for each site in which channel of a platform its conversations begin, "" for
// none, and under AllSites which is the common one.
type homes map[string]string

// apart reports whether a site's conversations begin in no common channel.
func (h homes) apart(site string) bool { return h[site] != h[chat.AllSites] }

func homesOf(k *Kind, sites *chat.Sites) homes {
	homes := homes{chat.AllSites: sites.Common().Text(k.Card.Channel)}
	for _, site := range sites.All() {
		homes[site.ID] = sites.Settings(site.ID).Text(k.Card.Channel)
	}
	return homes
}

// connected reports whether a platform is set up: for all sites, or for one at least.
func connected(k *Kind, sites *chat.Sites) bool {
	return firstOf(k, sites) != nil
}

// firstOf are the settings of the first bridge: of the common channel or, without one, of the
// first that a site has; nil, when there is none.
func firstOf(k *Kind, sites *chat.Sites) *chat.Settings {
	if s := sites.Common(); k.Configured(s) {
		return s
	}
	for _, site := range sites.All() {
		if s := sites.Settings(site.ID); k.Configured(s) {
			return s
		}
	}
	return nil
}

// fingerprint changes when the platform's bridges have to be made anew.
func fingerprint(k *Kind, sites *chat.Sites) string {
	homes := homesOf(k, sites)
	text := k.Fingerprint(sites.Common())
	for _, site := range slices.Sorted(maps.Keys(homes)) {
		if homes.apart(site) {
			text += "\n" + site + "=" + homes[site]
		}
	}
	return text
}

// all are the bridges, the common one first and each once.
func (c *channels) all() (list []chat.Bridge) {
	if c.common == nil {
		return nil
	}
	list = append(list, c.common)
	for _, site := range slices.Sorted(maps.Keys(c.own)) {
		if c.own[site] != nil && !slices.Contains(list, c.own[site]) {
			list = append(list, c.own[site])
		}
	}
	return append(list, c.former...)
}

// of is the bridge in whose channel a site's conversations begin, that of the common one for
// AllSites.
func (c *channels) of(site string) chat.Bridge {
	if own := c.own[site]; own != nil {
		return own
	}
	return c.common
}

// at is the bridge of a channel, nil when it is not connected.
func (c *channels) at(channel string) chat.Bridge {
	for _, b := range c.all() {
		if b.Channel() == channel {
			return b
		}
	}
	return nil
}

// makeChannels makes the bridges of a platform.
func (r *runner) makeChannels(ctx context.Context, sites *chat.Sites) (*channels, error) {
	common, err := r.kind.New(firstOf(&r.kind, sites))
	if err != nil {
		return nil, err
	}
	c := &channels{common: common, own: map[string]chat.Bridge{}, homes: homesOf(&r.kind, sites)}
	if !sites.Several() {
		return c, nil
	}
	for _, site := range sites.All() {
		switch home := c.homes[site.ID]; {
		case home == "":
			c.own[site.ID] = nil
		case c.homes.apart(site.ID):
			if c.own[site.ID], err = c.beside(home); err != nil {
				return nil, fmt.Errorf("the channel of the site %s: %w", site.Label(), err)
			}
		}
	}
	r.addFormer(ctx, c)
	return c, nil
}

// beside is the bridge of a channel, made unless there is one.
func (c *channels) beside(channel string) (chat.Bridge, error) {
	if known := c.at(channel); known != nil {
		return known, nil
	}
	first, can := c.common.(chat.Besides)
	if !can {
		return nil, errors.New("the platform has one channel only")
	}
	return first.Beside(channel)
}

// addFormer adds the channels that sites have left while conversations are open there. It
// waits for a database that is away: without it nothing could be delivered either.
func (r *runner) addFormer(ctx context.Context, c *channels) {
	var used []string
	for {
		err := r.set.engine.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
			used, err = rd.ChannelsInUse(r.kind.Name)
			return err
		})
		if err == nil || chat.Rest(ctx, chat.StorePause) != nil {
			break
		}
	}
	for _, channel := range used {
		if c.at(channel) != nil {
			continue
		}
		b, err := c.beside(channel)
		if err != nil {
			r.log.Warn("a channel that was left is not followed", "channel", channel, "err", err)
			continue
		}
		c.former = append(c.former, b)
	}
}

// siteStates are the states of the channels that sites have of their own.
func (r *runner) siteStates() (list []chat.SiteChannel) {
	for _, site := range slices.Sorted(maps.Keys(r.channels.own)) {
		b := r.channels.own[site]
		if b == nil {
			continue
		}
		st := chat.BridgeState{State: "running"}
		setError(&st, r.kind.Card.Title, r.problemAt(b, nil))
		list = append(list, chat.SiteChannel{Site: r.set.engine.Sites().Shown(site), Channel: b.Channel(), State: st.State, LastError: st.LastError, Fix: st.Fix, Details: st.Details})
	}
	return list
}

// problemAt is what is wrong in a channel, nil for nothing; received is why nothing comes in
// any more. The caller holds the lock.
func (r *runner) problemAt(b chat.Bridge, received error) error {
	err := cmp.Or(r.mirror.TroubleAt(b.Channel()), received)
	if receiving, ok := b.(Receiving); ok {
		_, problem := receiving.Receiving()
		if human := (*chat.Misconfigured)(nil); errors.As(problem, &human) { // more precise than a delivery's error
			return problem
		}
		err = cmp.Or(err, problem)
	}
	return err
}

// Sentences for the channels between which sites move.
const (
	toldThere = "New conversations of %s begin in another channel from now on. Those that are open here stay here."
	toldHere  = "New conversations of %s begin here from now on. Those that are open elsewhere stay there."
)

// tellTimeout bounds what is written into one channel.
const tellTimeout = 30 * time.Second

// tellMoves tells the team in both channels that sites' conversations begin elsewhere. It is
// a courtesy: what cannot be written is only logged. With one site nobody speaks of sites.
func (r *runner) tellMoves(ctx context.Context, before homes, now *channels) {
	sites := r.set.engine.Sites()
	if !sites.Several() {
		return
	}
	type way struct{ from, to string }
	moved, ways := map[way][]string{}, []way{}
	for _, site := range sites.All() {
		w := way{before[site.ID], now.homes[site.ID]}
		if w.from == w.to || w.from == "" || w.to == "" || site.ArchivedAt != 0 {
			continue
		}
		if moved[w] == nil {
			ways = append(ways, w)
		}
		moved[w] = append(moved[w], "“"+site.Label()+"”")
	}
	for _, w := range ways {
		r.tell(ctx, now.at(w.from), fmt.Sprintf(toldThere, few(moved[w])))
		r.tell(ctx, now.at(w.to), fmt.Sprintf(toldHere, few(moved[w])))
	}
}

// mostNamed is how many sites a sentence names.
const mostNamed = 5

// few lists names, the rest by their number.
func few(names []string) string {
	if more := len(names) - mostNamed; more > 0 {
		names = append(slices.Clone(names[:mostNamed]), fmt.Sprintf("%d other sites", more))
	}
	if len(names) == 1 {
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func (r *runner) tell(ctx context.Context, b chat.Bridge, text string) {
	teller, can := b.(chat.Besides)
	if !can {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, tellTimeout)
	defer cancel()
	if err := teller.Tell(ctx, text); err != nil {
		r.log.Warn("a channel was not told that a site moved", "channel", b.Channel(), "err", err)
	}
}
