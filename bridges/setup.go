package bridges

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Trying is a bridge that can post something and remove it, to prove that it works. Where
// it could not remove it, it returns [chat.ErrNoTrial].
type Trying interface {
	Try(ctx context.Context) error
}

// Connect takes the next step of connecting a platform, or of giving a site a channel of its
// own there, and returns how far it is. Tokens that do not work and places that cannot be
// used are not stored.
func (s *Set) Connect(ctx context.Context, name, site string, step chat.BridgeStep) (chat.BridgeSetup, error) {
	r, err := s.runner(name)
	if err != nil {
		return chat.BridgeSetup{}, err
	}
	r.setting.Lock() // one step after the other
	defer r.setting.Unlock()
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	connect := r.connect
	if site := s.ofOne(site); site != nil {
		connect = func(ctx context.Context, step chat.BridgeStep) (chat.BridgeSetup, error) {
			return r.connectSite(ctx, site, step)
		}
	}
	state, err := connect(ctx, step)
	state.Places, state.Findings = append([]chat.Place{}, state.Places...), append([]chat.Finding{}, state.Findings...)
	return state, err
}

func (r *runner) connect(ctx context.Context, step chat.BridgeStep) (state chat.BridgeSetup, err error) {
	k, engine := &r.kind, r.set.engine
	entered := map[string]json.RawMessage{}
	for setting, value := range map[string]string{k.Token(): step.Token, k.AppToken(): step.AppToken} {
		if value = strings.TrimSpace(value); setting != "" && value != "" {
			entered[setting], _ = json.Marshal(value)
		}
	}
	if err := engine.CheckSettings(entered); err != nil {
		return state, err
	}
	settings := engine.Sites().Common().With(entered)
	state = chat.BridgeSetup{Step: chat.StepToken}
	if k.Link != nil {
		state.Link = k.Link(settings)
	}
	if settings.Text(k.Token()) == "" || !k.Receives(settings) {
		return state, nil
	}
	setup, err := r.setup(settings)
	if err != nil {
		state.Findings = []chat.Finding{chat.CallFailed("bot token", k.Card.Title, err)}
		return state, nil
	}
	bot, link, found := setup.Bot(ctx)
	state.Bot, state.Link, state.Findings = bot, cmp.Or(link, state.Link), found
	if chat.Failed(found) && (len(entered) > 0 || bot == "") {
		return state, nil
	}
	if err := r.store(ctx, entered); err != nil {
		return state, err
	}
	state.Stored = len(entered) > 0
	return r.settle(ctx, setup, state, strings.TrimSpace(step.Place))
}

// settle chooses the place: the one that is named, or the only one if it is ready.
func (r *runner) settle(ctx context.Context, setup Setup, state chat.BridgeSetup, place string) (chat.BridgeSetup, error) {
	if set := r.set.engine.Sites().Common().Text(r.kind.Card.Channel); place == "" && set != "" {
		state.Step, state.Place = chat.StepDone, at(ctx, setup, set)
		return state, nil
	}
	state.Step = chat.StepPlace
	list := r.places // of the bridge that receives, if it knows them
	if state.Stored {
		list = func(ctx context.Context, setup Setup) ([]chat.Place, error) { return setup.Places(ctx) }
	}
	places, err := list(ctx, setup)
	if err != nil {
		state.Findings = append(state.Findings, chat.CallFailed("places", r.kind.Card.Title, err))
		return state, nil
	}
	state.Places = places
	first := r.current().common == nil // later, others may have added the bot somewhere
	if place == "" && r.kind.Alone && len(places) == 1 && first {
		place = places[0].ID
	}
	i := slices.IndexFunc(places, func(p chat.Place) bool { return p.ID == place })
	switch {
	case place == "":
		return state, nil
	case i < 0:
		return state, chat.Errorf(chat.Invalid, "place must be the id of one of the places that the bot can see")
	case places[i].Problem != "":
		return state, nil
	}
	if err := setup.Enter(ctx, place); err != nil {
		state.Places[i] = places[i].WithProblem(r.kind.Card.Title, err)
		return state, nil
	}
	chosen := maps.Clone(r.kind.On)
	if chosen == nil {
		chosen = map[string]json.RawMessage{}
	}
	chosen[r.kind.Card.Channel], _ = json.Marshal(place)
	state.Step, state.Stored, state.Place = chat.StepDone, true, at(ctx, setup, place)
	return state, r.store(ctx, chosen)
}

// at is a place by its id, nil if the platform does not say: why not is the bridge's state.
func at(ctx context.Context, setup Setup, id string) *chat.Place {
	place, err := setup.At(ctx, id)
	if err != nil {
		return nil
	}
	return &place
}

// store stores what is relay's.
func (r *runner) store(ctx context.Context, patch map[string]json.RawMessage) error {
	if len(patch) == 0 {
		return nil
	}
	if r.set.engine.Sites().Several() {
		return r.set.engine.PatchSiteSettings(ctx, chat.AllSites, patch)
	}
	return r.set.engine.PatchSettings(ctx, patch)
}

// setup returns the set-up of the current tokens, which remembers what it saw.
func (r *runner) setup(s *chat.Settings) (Setup, error) {
	tokens := s.Value(r.kind.Token()) + "\n" + s.Value(r.kind.AppToken())
	if r.connecting != nil && r.tokens == tokens {
		return r.connecting, nil
	}
	made, err := r.kind.Setup(s)
	if err == nil {
		r.connecting, r.tokens = made, tokens
	}
	return made, err
}

// Disconnect removes what is stored of a platform's settings, or the channel that a site has
// of its own. Settings of the environment have to be removed there.
func (s *Set) Disconnect(ctx context.Context, name, site string) error {
	r, err := s.runner(name)
	if err != nil {
		return err
	}
	r.setting.Lock()
	defer r.setting.Unlock()
	if site := s.ofOne(site); site != nil {
		return r.disconnectSite(ctx, site)
	}
	settings := s.engine.Sites().Common()
	patch := map[string]json.RawMessage{}
	var fixed []string
	for _, setting := range r.kind.Settings {
		if variable := settings.Variable(setting.Name); variable != "" && slices.Contains(r.kind.Needs, setting.Name) {
			fixed = append(fixed, variable)
		}
		if !setting.Fixed {
			patch[setting.Name] = json.RawMessage("null")
		}
	}
	if len(fixed) > 0 {
		return chat.Errorf(chat.Conflict, "%s is set by the environment: remove %s there and restart relay", r.kind.Card.Title, strings.Join(fixed, " and "))
	}
	r.connecting, r.tokens = nil, ""
	return r.store(ctx, patch)
}

// ofOne is the site whose own channel is meant, nil where the common one is: with AllSites,
// or with one site.
func (s *Set) ofOne(site string) *chat.Site {
	if sites := s.engine.Sites(); sites.Several() {
		return sites.Of(site)
	}
	return nil
}

// Try posts something in a site's channel on a platform and removes it.
func (s *Set) Try(ctx context.Context, name, site string) (f chat.Finding, err error) {
	r, err := s.runner(name)
	if err != nil {
		return f, err
	}
	on := r.current()
	b, ok := on.of(site).(Trying)
	if !ok {
		return f, chat.Errorf(chat.Conflict, "The %s bridge is not running", r.kind.Card.Title)
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	err = b.Try(ctx)
	if errors.Is(err, chat.ErrNoTrial) {
		return chat.Fine("trial", "nothing was posted, because the bot could not remove it again"), nil
	}
	if err != nil {
		return chat.CallFailed("trial", r.kind.Card.Title, err), nil
	}
	return chat.Fine("trial", "relay posted something and removed it"), nil
}
