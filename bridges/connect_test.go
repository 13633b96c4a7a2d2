package bridges_test

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// connecting is a set without running bridges, for the steps of connecting.
type connecting struct {
	*testing.T
	*engine.Engine
	set *bridges.Set
}

// newConnecting connects platforms; the API of one of them, by the name of its setting, is
// at another address.
func newConnecting(t *testing.T, apiSetting, address string) *connecting {
	store, err := db.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	kinds, log := bridges.Kinds(bridges.Env{}), slog.New(slog.DiscardHandler)
	engine, err := engine.Open(t.Context(), engine.Config{Store: store, Log: log, Declared: bridges.Settings(), Settings: map[string]chat.Raw{apiSetting: chat.Raw(`"` + address + `"`)}, Targets: bridges.Targets(kinds)})
	if err != nil {
		t.Fatal(err)
	}
	return &connecting{t, engine, bridges.New(engine, bridges.Options{Kinds: kinds, Log: log})}
}

// step connects and expects the next step, and parts of what is said.
func (d *connecting) step(name string, in chat.BridgeStep, want string, parts ...string) chat.BridgeSetup {
	d.Helper()
	state, err := d.set.Connect(context.Background(), name, "", in)
	if err != nil {
		d.Fatalf("%s %+v: %v", name, in, err)
	}
	said := state.Bot + " " + state.Link
	for _, f := range state.Findings {
		said += " " + string(f.Level) + ": " + f.Text
	}
	for _, p := range state.Places {
		said += " " + p.Within + p.Name + " [" + p.Problem + "]"
	}
	for _, part := range parts {
		if !strings.Contains(said, part) {
			d.Errorf("%s %+v says %q, not %q", name, in, said, part)
		}
	}
	if state.Step != want {
		d.Errorf("%s %+v: the next step is %s, want %s (%s)", name, in, state.Step, want, said)
	}
	if state.Places == nil || state.Findings == nil {
		d.Error("a list is null")
	}
	return state
}

// at checks what is said of the chosen place.
func (d *connecting) at(state chat.BridgeSetup, want chat.Place) {
	d.Helper()
	if state.Place == nil || !reflect.DeepEqual(*state.Place, want) {
		d.Errorf("the place is %+v, want %+v", state.Place, want)
	}
}

func TestConnectTelegram(t *testing.T) {
	f := telegramtest.New(t)
	f.Kick()
	f.SwitchTopics(false)
	d := newConnecting(t, "telegramApiUrl", f.URL)
	d.step("telegram", chat.BridgeStep{}, "token")
	if _, err := d.set.Connect(t.Context(), "telegram", "", chat.BridgeStep{Token: "not a token"}); err == nil || !strings.Contains(err.Error(), "telegramBotToken must be a bot token") {
		t.Errorf("a wrong form says %v", err)
	}
	d.step("telegram", chat.BridgeStep{Token: "7000000001:AAcanary-revoked"}, "token", "fail: Telegram does not accept the bot token")
	if d.Settings().Text("telegramBotToken") != "" {
		t.Error("a token that does not work was stored")
	}
	d.step("telegram", chat.BridgeStep{Token: f.Token + "\n"}, "place", "@relay_support_bot", "https://t.me/relay_support_bot?startgroup=relay&admin=manage_topics+delete_messages+pin_messages")
	if d.Settings().Text("telegramBotToken") != f.Token {
		t.Error("the token was not stored")
	}
	f.Add(false)
	d.step("telegram", chat.BridgeStep{}, "place", `Support [topics are off`)
	f.SwitchTopics(true)
	d.step("telegram", chat.BridgeStep{}, "place", "not an administrator")
	f.Kick()
	f.Emit("my_chat_member", map[string]any{"chat": map[string]any{"id": f.Group, "type": "supergroup"}, "new_chat_member": map[string]any{"status": "kicked"}})
	if state := d.step("telegram", chat.BridgeStep{}, "place"); len(state.Places) != 0 {
		t.Errorf("a group that the bot left is still there: %+v", state.Places)
	}
	f.Add(true)
	d.step("telegram", chat.BridgeStep{}, "done", "Support []")
	if got := d.Settings().Text("telegramChatId"); got != "-1001234567890" {
		t.Errorf("the group is %s", got)
	}
	state := d.step("telegram", chat.BridgeStep{}, "done")
	d.at(state, chat.Place{ID: "-1001234567890", Name: "Support", Link: "https://t.me/c/1234567890/1"})
	if err := d.set.Disconnect(t.Context(), "telegram", ""); err != nil {
		t.Fatal(err)
	}
	d.step("telegram", chat.BridgeStep{}, "token")
	if faults := f.Violations(); len(faults) > 0 {
		t.Error(faults)
	}
}

func TestConnectDiscord(t *testing.T) {
	f := discordtest.New(t)
	f.SwitchIntent(false)
	d := newConnecting(t, "discordApiUrl", f.URL+"/api/v10")
	d.step("discord", chat.BridgeStep{Token: strings.Repeat("x", 30)}, "token", "fail: ")
	d.step("discord", chat.BridgeStep{Token: f.Token}, "token", "relay", "fail: the bot may not read what operators write")
	f.SwitchIntent(true)
	d.step("discord", chat.BridgeStep{Token: f.Token}, "place", "Lamp shop#support []", "#elsewhere", "scope=bot")
	if _, err := d.set.Connect(t.Context(), "discord", "", chat.BridgeStep{Place: "77"}); err == nil {
		t.Error("a channel that the bot cannot see was accepted")
	}
	state := d.step("discord", chat.BridgeStep{Place: f.Channel}, "done")
	d.at(state, chat.Place{ID: f.Channel, Name: "#support", Within: "Lamp shop", Link: "https://discord.com/channels/800000000000000003/" + f.Channel})
	if s := d.Settings(); s.Text("discordChannelId") != f.Channel || !s.Bool("enableDiscordGateway") {
		t.Error("the channel or the gateway was not stored")
	}
}

// TestTryForum: in a forum nothing is posted, which is no failure.
func TestTryForum(t *testing.T) {
	f := discordtest.New(t)
	f.Forum = true
	d := newConnecting(t, "discordApiUrl", f.URL+"/api/v10")
	d.step("discord", chat.BridgeStep{Token: f.Token}, "place")
	d.step("discord", chat.BridgeStep{Place: f.Channel}, "done")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.set.Run(ctx) }()
	defer func() { stop(); <-ended }()
	var found chat.Finding
	err := errors.New("never tried")
	for deadline := time.Now().Add(20 * time.Second); err != nil && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		found, err = d.set.Try(t.Context(), "discord", "") // until it runs
	}
	if err != nil || found.Level != chat.FindingOK || !strings.Contains(found.Text, "nothing was posted") {
		t.Errorf("the trial finds %+v, %v", found, err)
	}
}

func TestConnectSlack(t *testing.T) {
	f := slacktest.New(t)
	f.Leave()
	d := newConnecting(t, "slackApiUrl", f.URL)
	d.step("slack", chat.BridgeStep{}, "token", "https://api.slack.com/apps?new_app=1&manifest_json=%7B%22display_information")
	d.step("slack", chat.BridgeStep{Token: f.BotToken}, "token")
	d.step("slack", chat.BridgeStep{Token: f.BotToken, AppToken: "xapp-1-wrong"}, "token", "fail: ")
	d.step("slack", chat.BridgeStep{Token: f.BotToken, AppToken: f.AppToken}, "place", "@relay in Relay Test", "#support []", "#general []")
	state := d.step("slack", chat.BridgeStep{Place: f.Channel}, "done")
	d.at(state, chat.Place{ID: f.Channel, Name: "#support", Link: "https://relay-test.slack.com/archives/" + f.Channel})
	if got := d.Settings().Text("slackChannelId"); got != f.Channel {
		t.Errorf("the channel is %s", got)
	}
	if faults := f.Violations(); len(faults) > 0 {
		t.Error(faults)
	}
}

// TestEnvironmentStays: what the environment sets cannot be disconnected.
func TestEnvironmentStays(t *testing.T) {
	kinds := bridges.Kinds(bridges.Env{})
	store, err := db.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	engine, err := engine.Open(t.Context(), engine.Config{Store: store, Declared: bridges.Settings(), Settings: map[string]chat.Raw{"slackBotToken": chat.Raw(`"xoxb-1"`)}, Targets: bridges.Targets(kinds)})
	if err != nil {
		t.Fatal(err)
	}
	set := bridges.New(engine, bridges.Options{Kinds: kinds, Log: slog.New(slog.DiscardHandler)})
	if err := set.Disconnect(t.Context(), "slack", ""); err == nil || !strings.Contains(err.Error(), "remove SLACK_BOT_TOKEN there") {
		t.Errorf("got %v", err)
	}
}
