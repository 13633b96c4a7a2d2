// Package bridges runs the bridges and the webhook that the settings name, and
// checks them for relay doctor. It imports package chat and the adapters, which
// know nothing of each other.
package bridges

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"relay/bridges/discord"
	"relay/bridges/slack"
	"relay/bridges/telegram"
	"relay/server/chat"
)

// Kind is one kind of bridge: how it is made of settings.
type Kind struct {
	Name  string
	Title string // the name as people write it
	// Needs are the settings without which it cannot work, Uses the others that
	// it is made of. When one of them changes, it is made anew.
	Needs, Uses []string
	// Live is how it receives while its Run runs: polling, gateway or socket.
	Live string
	// Channel is the setting that holds its channel.
	Channel string
	// Begin is how setting it up begins, "" where the first token says it.
	Begin string
	// New makes the bridge.
	New func(s *chat.Settings) (chat.Bridge, error)
}

// Env is what bridges are made of beside settings.
type Env struct {
	Log *slog.Logger
	// WebhookURL is where platforms reach a bridge, its name still to be added:
	// https://chat.example.com/api/webhooks/. "" when relay has no public
	// address.
	WebhookURL                        string
	TelegramAPI, DiscordAPI, SlackAPI string // other base URLs, or ""
	// Stateless is bridge mode: after a restart nobody knows what was received
	// before.
	Stateless bool
}

// Kinds are the bridges that relay knows.
func Kinds(env Env) []Kind {
	return []Kind{
		{Name: "telegram", Title: "Telegram", Live: "polling", Channel: "telegramChatId",
			Needs: []string{"telegramBotToken", "telegramChatId"}, Uses: []string{"telegramWebhookSecret"}, New: env.telegram},
		{Name: "discord", Title: "Discord", Live: "gateway", Channel: "discordChannelId",
			Needs: []string{"discordBotToken", "discordChannelId"}, Uses: []string{"enableDiscordGateway", "discordPublicKey"}, New: env.discord},
		{Name: "slack", Title: "Slack", Live: "socket", Channel: "slackChannelId",
			Needs: []string{"slackBotToken", "slackChannelId"}, Uses: []string{"slackSigningSecret", "slackAppToken"}, New: env.slack,
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

// catchUp is how far back answers are asked for that operators wrote while
// relay was away: Telegram keeps its updates for as long.
const catchUp = 24 * time.Hour

// discord makes the bridge to Discord.
func (e Env) discord(s *chat.Settings) (chat.Bridge, error) {
	cfg := discord.Config{Token: s.Text("discordBotToken"), ChannelID: s.Text("discordChannelId"), Gateway: s.Bool("enableDiscordGateway"),
		PublicKey: s.Text("discordPublicKey"), APIURL: e.DiscordAPI, Log: e.Log}
	if !e.Stateless {
		cfg.CatchUp = catchUp
	}
	b, err := discord.New(cfg)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// slack makes the bridge to Slack.
func (e Env) slack(s *chat.Settings) (chat.Bridge, error) {
	cfg := slack.Config{BotToken: s.Text("slackBotToken"), ChannelID: s.Text("slackChannelId"), SigningSecret: s.Text("slackSigningSecret"),
		AppToken: s.Text("slackAppToken"), APIURL: e.SlackAPI, Log: e.Log}
	if e.WebhookURL != "" {
		cfg.PublicURL = e.WebhookURL + slack.Name
	}
	if !e.Stateless {
		cfg.Back = catchUp
	}
	b, err := slack.New(cfg)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// SlackManifest is the manifest of the app that has to be made at Slack. It
// works by Socket Mode, unless the settings have Slack push to an address that
// it takes.
func (e Env) SlackManifest(s *chat.Settings) string {
	pushes := s.Text("slackAppToken") == "" && s.Text("slackSigningSecret") != ""
	if !pushes || !strings.HasPrefix(e.WebhookURL, "https://") {
		return slack.Manifest("")
	}
	return slack.Manifest(e.WebhookURL + slack.Name)
}

// missing are the settings that a kind still needs.
func (k *Kind) missing(s *chat.Settings) []string {
	missing := []string{}
	for _, name := range k.Needs {
		if s.Text(name) == "" {
			missing = append(missing, name)
		}
	}
	return missing
}

// HalfSetUp names the bridges of which some settings are there and others are
// missing, as the environment calls them.
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

// configured reports whether a bridge of this kind is to run.
func (k *Kind) configured(s *chat.Settings) bool { return len(k.missing(s)) == 0 }

// print is the same as long as a bridge need not be made anew.
func (k *Kind) print(s *chat.Settings) string {
	values := make([]string, 0, len(k.Needs)+len(k.Uses))
	for _, name := range slices.Concat(k.Needs, k.Uses) {
		values = append(values, s.Value(name))
	}
	return strings.Join(values, "\n")
}

// Targets returns where events go under the current settings: to the bridges and
// the webhook. A bridge that is set up but does not work gets them later.
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
		return targets
	}
}
