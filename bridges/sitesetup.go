package bridges

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Placing is a bridge that knows the places where its bot is, as long as it receives, and
// where asking the platform would disturb that.
type Placing interface {
	Places(ctx context.Context) ([]chat.Place, error)
}

// connectSite takes the next step of giving a site a channel of its own on a platform that
// relay is connected to. The tokens are relay's. Somebody has to choose the place: whoever
// knows a bot's name can add it to a group.
func (r *runner) connectSite(ctx context.Context, site *chat.Site, step chat.BridgeStep) (state chat.BridgeSetup, err error) {
	k, sites := &r.kind, r.set.engine.Sites()
	switch {
	case step.Token != "" || step.AppToken != "":
		return state, chat.ErrorAt(chat.Invalid, "token", "The tokens of "+k.Card.Title+" are relay’s; leave token and appToken out")
	case sites.Common().Text(k.Token()) == "" || !k.Receives(sites.Common()):
		return state, chat.Errorf(chat.Conflict, "%s is not connected yet. Connect it for all sites first; the site can have a channel of its own then", k.Card.Title)
	}
	setup, err := r.setup(sites.Common())
	if err != nil {
		return state, err
	}
	state.Step = chat.StepPlace
	state.Bot, state.Link, state.Findings = setup.Bot(ctx)
	if state.Places, err = r.places(ctx, setup); err != nil {
		state.Findings = append(state.Findings, chat.CallFailed("places", k.Card.Title, err))
		return state, nil
	}
	r.markUsed(sites, state.Places)
	if place := strings.TrimSpace(step.Place); place != "" {
		return r.settleSite(ctx, setup, state, site, place)
	}
	return state, nil
}

// settleSite lets a site's conversations begin in a place, unless that cannot be used.
func (r *runner) settleSite(ctx context.Context, setup Setup, state chat.BridgeSetup, site *chat.Site, place string) (chat.BridgeSetup, error) {
	i := slices.IndexFunc(state.Places, func(p chat.Place) bool { return p.ID == place })
	switch {
	case i < 0:
		return state, chat.ErrorAt(chat.Invalid, "place", "place must be the id of one of the places that the bot can see")
	case state.Places[i].Problem != "":
		return state, nil
	}
	if err := setup.Enter(ctx, place); err != nil {
		state.Places[i] = state.Places[i].WithProblem(r.kind.Card.Title, err)
		return state, nil
	}
	id, err := json.Marshal(place)
	if err != nil {
		return state, err
	}
	state.Step, state.Stored, state.Place = chat.StepDone, true, at(ctx, setup, place)
	return state, r.set.engine.PatchSiteSettings(ctx, site.ID, map[string]json.RawMessage{r.kind.Card.Channel: id})
}

// markUsed says of each place whose conversations begin there.
func (r *runner) markUsed(sites *chat.Sites, places []chat.Place) {
	homes := homesOf(&r.kind, sites)
	for i := range places {
		for _, site := range sites.All() {
			if homes[site.ID] == places[i].ID {
				places[i].Sites = append(places[i].Sites, site.PublicID())
			}
		}
	}
}

// places lists where the bot is: from the bridge that receives, on whichever node that is,
// if only that one knows.
func (r *runner) places(ctx context.Context, setup Setup) ([]chat.Place, error) {
	on := r.current()
	placing, knows := on.common.(Placing)
	switch {
	case !knows:
		return setup.Places(ctx)
	case r.isElsewhere() && r.set.engine.Nodes.Shared():
		return r.placesElsewhere(ctx)
	}
	return placing.Places(ctx)
}

// disconnectSite lets a site's conversations begin in the common channel again.
func (r *runner) disconnectSite(ctx context.Context, site *chat.Site) error {
	return r.set.engine.PatchSiteSettings(ctx, site.ID, map[string]json.RawMessage{r.kind.Card.Channel: json.RawMessage("null")})
}
