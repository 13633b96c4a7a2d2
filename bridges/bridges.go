// Package bridges runs the bridges and the webhook that the settings name, and
// checks them for relay doctor. It imports package chat and the adapters, which
// know nothing of each other.
package bridges

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/server/chat"
)

// Kind is one kind of bridge and how its settings make it.
type Kind struct {
	Name  string
	Title string // the name as people write it
	// Needs are the required settings, Uses the optional ones. When one of them
	// changes, the bridge is restarted.
	Needs, Uses []string
	// Live is how it receives while its Run runs: polling, gateway or socket.
	Live string
	// Channel is the setting that holds its channel.
	Channel string
	// Token and AppToken are the settings that a person pastes, the latter "" where
	// there is none.
	Token, AppToken string
	// On are settings that connecting switches on.
	On map[string]json.RawMessage
	// Alone means that the only place is chosen without asking.
	Alone bool
	// Setup finds the channel; Link makes the app, nil where none has to be made.
	Setup func(s *chat.Settings) (Setup, error)
	Link  func(s *chat.Settings) string
	// Begin is the first step of setting it up, "" where the settings suffice.
	Begin string
	// New makes the bridge.
	New func(s *chat.Settings) (chat.Bridge, error)
}

// Env is what bridges need beside settings.
type Env struct {
	Log *slog.Logger
	// WebhookURL is the prefix of the bridges' webhook addresses, such as
	// https://chat.example.com/api/webhooks/; "" without a public address.
	WebhookURL                        string
	TelegramAPI, DiscordAPI, SlackAPI string // other base URLs, or ""
	// Forgets says that a restart forgets which updates were received: bridge mode without
	// a database.
	Forgets bool
}

// Kinds are the bridges that relay knows.
func Kinds(env Env) []Kind {
	return []Kind{
		{Name: "telegram", Title: "Telegram", Live: "polling", Channel: "telegramChatId",
			Needs: []string{"telegramBotToken", "telegramChatId"}, Uses: []string{"telegramWebhookSecret"}, New: env.telegram,
			Token: "telegramBotToken", Alone: true, Setup: env.telegramSetup},
		{Name: "discord", Title: "Discord", Live: "gateway", Channel: "discordChannelId",
			Needs: []string{"discordBotToken", "discordChannelId"}, Uses: []string{"enableDiscordGateway", "discordPublicKey"}, New: env.discord,
			Token: "discordBotToken", On: map[string]json.RawMessage{"enableDiscordGateway": json.RawMessage("true")}, Setup: env.discordSetup},
		{Name: "slack", Title: "Slack", Live: "socket", Channel: "slackChannelId",
			Needs: []string{"slackBotToken", "slackChannelId"}, Uses: []string{"slackSigningSecret", "slackAppToken", "slackOtherWorkspaces"}, New: env.slack,
			Token: "slackBotToken", AppToken: "slackAppToken", Setup: env.slackSetup, Link: env.slackLink,
			Begin: "relay manifest prints the app to make at https://api.slack.com/apps"},
	}
}

var (
	_ Receiving = (*telegram.Bridge)(nil)
	_ Receiving = (*discord.Bridge)(nil)
	_ Receiving = (*slack.Bridge)(nil)
)

// telegram makes the bridge to Telegram.
func (e Env) telegram(s *chat.Settings) (chat.Bridge, error) {
	cfg := telegram.Config{Token: s.Text("telegramBotToken"), ChatID: s.Text("telegramChatId"), WebhookSecret: s.Text("telegramWebhookSecret"),
		APIURL: e.TelegramAPI, Log: e.Log}
	if e.WebhookURL != "" {
		cfg.PublicURL = e.WebhookURL + telegram.Name
	}
	b, err := telegram.New(cfg)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// catchUp is how far back a bridge reads what operators wrote while relay was
// down: Telegram keeps its updates for as long. A relay that forgets what it received
// looks back only as far as its stream does: what was answered before and not written to
// since comes again, with the same id.
const (
	catchUp          = 24 * time.Hour
	forgetfulCatchUp = 10 * time.Minute
)

func (e Env) catchUp() time.Duration {
	if e.Forgets {
		return forgetfulCatchUp
	}
	return catchUp
}

// discord makes the bridge to Discord.
func (e Env) discord(s *chat.Settings) (chat.Bridge, error) {
	cfg := discord.Config{Token: s.Text("discordBotToken"), ChannelID: s.Text("discordChannelId"), Gateway: s.Bool("enableDiscordGateway"),
		PublicKey: s.Text("discordPublicKey"), APIURL: e.DiscordAPI, CatchUp: e.catchUp(), Forgets: e.Forgets, Log: e.Log}
	b, err := discord.New(cfg)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// slack makes the bridge to Slack.
func (e Env) slack(s *chat.Settings) (chat.Bridge, error) {
	cfg := slack.Config{BotToken: s.Text("slackBotToken"), ChannelID: s.Text("slackChannelId"), SigningSecret: s.Text("slackSigningSecret"),
		AppToken: s.Text("slackAppToken"), OtherWorkspaces: s.Bool("slackOtherWorkspaces"), APIURL: e.SlackAPI,
		Back: e.catchUp(), Forgets: e.Forgets, Log: e.Log}
	if e.WebhookURL != "" {
		cfg.PublicURL = e.WebhookURL + slack.Name
	}
	b, err := slack.New(cfg)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// SlackManifest returns the manifest of the Slack app. The app uses Socket Mode,
// unless the settings choose webhooks and relay has an HTTPS address.
func (e Env) SlackManifest(s *chat.Settings) string {
	pushes := s.Text("slackAppToken") == "" && s.Text("slackSigningSecret") != ""
	if !pushes || !strings.HasPrefix(e.WebhookURL, "https://") {
		return slack.Manifest("")
	}
	return slack.Manifest(e.WebhookURL + slack.Name)
}

// missing returns the required settings that are not set.
func (k *Kind) missing(s *chat.Settings) []string {
	missing := []string{}
	for _, name := range k.Needs {
		if s.Text(name) == "" {
			missing = append(missing, name)
		}
	}
	return missing
}

// HalfSetUp returns a problem for each bridge of which only some required
// settings are set, with the names of the environment.
func HalfSetUp(kinds []Kind, s *chat.Settings) (problems []string) {
	for i := range kinds {
		missing := kinds[i].missing(s)
		if len(missing) == 0 || len(missing) == len(kinds[i].Needs) {
			continue
		}
		for j, name := range missing {
			for _, def := range chat.SettingList {
				if def.Name == name {
					missing[j] = def.Env
				}
			}
		}
		problems = append(problems, kinds[i].Name+" is half set up: "+strings.Join(missing, " and ")+" is missing")
	}
	return problems
}

// configured reports whether all required settings are set.
func (k *Kind) configured(s *chat.Settings) bool { return len(k.missing(s)) == 0 }

// fingerprint changes when the bridge has to be restarted.
func (k *Kind) fingerprint(s *chat.Settings) string {
	values := make([]string, 0, len(k.Needs)+len(k.Uses))
	for _, name := range slices.Concat(k.Needs, k.Uses) {
		values = append(values, s.Value(name))
	}
	return strings.Join(values, "\n")
}

// Targets returns the destinations of events under the current settings: bridges
// and the webhook. A bridge that is set up but fails receives them later.
func Targets(kinds []Kind) func(*chat.Settings) []chat.Target {
	return func(s *chat.Settings) (targets []chat.Target) {
		for i := range kinds {
			if kinds[i].configured(s) {
				targets = append(targets, chat.Target{Name: kinds[i].Name, Kind: chat.TargetBridge})
			}
		}
		if _, on := webhookTarget(s); on {
			targets = append(targets, chat.Target{Name: chat.WebhookSink, Kind: chat.TargetWebhook})
		}
		if ai := s.AI(); ai.On() {
			targets = append(targets, ai.Target())
		}
		if s.Pushes() {
			targets = append(targets, chat.Target{Name: chat.PushSink, Kind: chat.TargetPush, Delay: chat.PushDelay})
		}
		return targets
	}
}
