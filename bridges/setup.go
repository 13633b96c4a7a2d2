package bridges

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/server/chat"
)

// Setup connects a platform whose group or channel is not known yet.
type Setup interface {
	// Bot checks the token and returns the bot's name, and the link that adds it.
	Bot(ctx context.Context) (name, link string, found []chat.Finding)
	// Places lists the groups or channels that the bot can see.
	Places(ctx context.Context) ([]chat.Place, error)
	// Enter prepares a place for use.
	Enter(ctx context.Context, place string) error
}

// Trying is a bridge that can post something and remove it, to prove that it works. Where
// it could not remove it, it returns [chat.ErrNoTrial].
type Trying interface {
	Try(ctx context.Context) error
}

var (
	_ Trying = (*telegram.Bridge)(nil)
	_ Trying = (*discord.Bridge)(nil)
	_ Trying = (*slack.Bridge)(nil)
)

func (e Env) telegramSetup(s *chat.Settings) (Setup, error) {
	return orNil(telegram.NewSetup(telegram.Config{Token: s.Text("telegramBotToken"), WebhookSecret: s.Text("telegramWebhookSecret"), APIURL: e.TelegramAPI, Log: e.Log}))
}

func (e Env) discordSetup(s *chat.Settings) (Setup, error) {
	return orNil(discord.NewSetup(discord.Config{Token: s.Text("discordBotToken"), APIURL: e.DiscordAPI, Log: e.Log}))
}

func (e Env) slackSetup(s *chat.Settings) (Setup, error) {
	return orNil(slack.NewSetup(slack.Config{BotToken: s.Text("slackBotToken"), AppToken: s.Text("slackAppToken"), APIURL: e.SlackAPI, Log: e.Log}))
}

// orNil keeps a nil pointer out of the interface.
func orNil[T any, P interface {
	*T
	Setup
}](p P, err error) (Setup, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}

// slackLink makes the app at Slack.
func (e Env) slackLink(s *chat.Settings) string {
	if s.Text("slackAppToken") == "" && s.Text("slackSigningSecret") != "" && strings.HasPrefix(e.WebhookURL, "https://") {
		return slack.AppLink(e.WebhookURL + slack.Name)
	}
	return slack.AppLink("")
}

// Connect takes the next step of connecting a platform and returns how far it is.
// Tokens that do not work and places that cannot be used are not stored.
func (s *Set) Connect(ctx context.Context, name string, step chat.BridgeStep) (chat.BridgeSetup, error) {
	r, err := s.runner(name)
	if err != nil {
		return chat.BridgeSetup{}, err
	}
	r.setting.Lock() // one step after the other
	defer r.setting.Unlock()
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	state, err := r.connect(ctx, step)
	state.Places, state.Findings = append([]chat.Place{}, state.Places...), append([]chat.Finding{}, state.Findings...)
	return state, err
}

func (r *runner) connect(ctx context.Context, step chat.BridgeStep) (state chat.BridgeSetup, err error) {
	k, engine := &r.kind, r.set.engine
	entered := map[string]json.RawMessage{}
	for setting, value := range map[string]string{k.Token: step.Token, k.AppToken: step.AppToken} {
		if value = strings.TrimSpace(value); setting != "" && value != "" {
			entered[setting], _ = json.Marshal(value)
		}
	}
	if err := engine.CheckSettings(entered); err != nil {
		return state, err
	}
	settings := engine.Settings().With(entered)
	state = chat.BridgeSetup{Step: chat.StepToken}
	if k.Link != nil {
		state.Link = k.Link(settings)
	}
	if settings.Text(k.Token) == "" || k.AppToken != "" && !k.receives(settings) {
		return state, nil
	}
	setup, err := r.setup(settings)
	if err != nil {
		state.Findings = []chat.Finding{chat.CallFailed("bot token", k.Title, err)}
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

// receives reports whether operators' messages can come in: by an app token, or by
// pushes that a secret proves.
func (k *Kind) receives(s *chat.Settings) bool {
	return s.Text(k.AppToken) != "" || slices.ContainsFunc(k.Uses, func(name string) bool { return strings.HasSuffix(name, "SigningSecret") && s.Text(name) != "" })
}

// settle chooses the place: the one that is named, or the only one if it is ready.
func (r *runner) settle(ctx context.Context, setup Setup, state chat.BridgeSetup, place string) (chat.BridgeSetup, error) {
	if place == "" && r.set.engine.Settings().Text(r.kind.Channel) != "" {
		state.Step = chat.StepDone
		return state, nil
	}
	state.Step = chat.StepPlace
	places, err := setup.Places(ctx)
	if err != nil {
		state.Findings = append(state.Findings, chat.CallFailed("places", r.kind.Title, err))
		return state, nil
	}
	state.Places = places
	if place == "" && r.kind.Alone && len(places) == 1 {
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
		state.Places[i] = places[i].WithProblem(r.kind.Title, err)
		return state, nil
	}
	chosen := maps.Clone(r.kind.On)
	if chosen == nil {
		chosen = map[string]json.RawMessage{}
	}
	chosen[r.kind.Channel], _ = json.Marshal(place)
	state.Step, state.Stored = chat.StepDone, true
	return state, r.store(ctx, chosen)
}

func (r *runner) store(ctx context.Context, patch map[string]json.RawMessage) error {
	if len(patch) == 0 {
		return nil
	}
	return r.set.engine.PatchSettings(ctx, patch)
}

// setup returns the set-up of the current tokens, which remembers what it saw.
func (r *runner) setup(s *chat.Settings) (Setup, error) {
	tokens := s.Value(r.kind.Token) + "\n" + s.Value(r.kind.AppToken)
	if r.connecting != nil && r.tokens == tokens {
		return r.connecting, nil
	}
	made, err := r.kind.Setup(s)
	if err == nil {
		r.connecting, r.tokens = made, tokens
	}
	return made, err
}

// Disconnect removes what is stored of a platform's settings. Those that the
// environment sets have to be removed there.
func (s *Set) Disconnect(ctx context.Context, name string) error {
	r, err := s.runner(name)
	if err != nil {
		return err
	}
	r.setting.Lock()
	defer r.setting.Unlock()
	settings := s.engine.Settings()
	patch := map[string]json.RawMessage{}
	var fixed []string
	for _, setting := range slices.Concat(r.kind.Needs, r.kind.Uses) {
		if variable := settings.Variable(setting); variable != "" && slices.Contains(r.kind.Needs, setting) {
			fixed = append(fixed, variable)
		}
		patch[setting] = json.RawMessage("null")
	}
	if len(fixed) > 0 {
		return chat.Errorf(chat.Conflict, "%s is set by the environment: remove %s there and restart relay", r.kind.Title, strings.Join(fixed, " and "))
	}
	r.connecting, r.tokens = nil, ""
	return s.engine.PatchSettings(ctx, patch)
}

// Try posts something on a platform and removes it.
func (s *Set) Try(ctx context.Context, name string) (f chat.Finding, err error) {
	r, err := s.runner(name)
	if err != nil {
		return f, err
	}
	b, ok := r.current().(Trying)
	if !ok {
		return f, chat.Errorf(chat.Conflict, "The %s bridge is not running", r.kind.Title)
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	err = b.Try(ctx)
	if errors.Is(err, chat.ErrNoTrial) {
		return chat.Fine("trial", "nothing was posted, because the bot could not remove it again"), nil
	}
	if err != nil {
		return chat.CallFailed("trial", r.kind.Title, err), nil
	}
	return chat.Fine("trial", "relay posted something and removed it"), nil
}
