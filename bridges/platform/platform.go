// Package platform says what the folder of a platform brings: its settings, what the
// console shows of it, and how its bridge is made. It imports package chat only.
package platform

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Kind is one kind of bridge.
type Kind struct {
	Name string
	// Settings are all that it has. When one of them changes, the bridge is restarted.
	Settings []chat.Setting
	// Needs are the required ones.
	Needs []string
	// Live is how it receives while its Run runs: polling, gateway or socket.
	Live string
	// Pushed is the secret of pushes, with which an app token is not needed.
	Pushed string
	// On are settings that connecting switches on.
	On map[string]json.RawMessage
	// Alone means that the only place is chosen without asking.
	Alone bool
	// Card is what the console shows, with its title, its channel and its tokens.
	Card chat.BridgeCard
	// Setup finds the channel. Link makes the app, nil where none has to be made.
	Setup func(s *chat.Settings) (Setup, error)
	Link  func(s *chat.Settings) string
	// Manifest describes the app to make, nil where none has to be made.
	Manifest func(s *chat.Settings) string
	// Begin is the first step of setting it up, "" where the settings suffice.
	Begin string
	// New makes the bridge. What it and Setup return beside an error means nothing.
	New func(s *chat.Settings) (chat.Bridge, error)
}

// Setup connects a platform whose group or channel is not known yet.
type Setup interface {
	// Bot checks the token and returns the bot's name, and the link that adds it.
	Bot(ctx context.Context) (name, link string, found []chat.Finding)
	// Places lists the groups or channels that the bot can see.
	Places(ctx context.Context) ([]chat.Place, error)
	// At returns a place by its id: its name, and the link that opens it.
	At(ctx context.Context, place string) (chat.Place, error)
	// Enter prepares a place for use.
	Enter(ctx context.Context, place string) error
}

// Env is what bridges need beside settings.
type Env struct {
	Log *slog.Logger
	// WebhookURL is the prefix of the bridges' webhook addresses, such as
	// https://chat.example.com/api/webhooks/; "" without a public address.
	WebhookURL string
	// Forgets says that a restart forgets which updates were received: bridge mode without
	// a database.
	Forgets bool
}

// PushURL is where a platform pushes updates to; "" without a public address.
func (e Env) PushURL(name string) string {
	if e.WebhookURL == "" {
		return ""
	}
	return e.WebhookURL + name
}

// The times that [Env.CatchUp] chooses from.
const (
	catchUp          = 24 * time.Hour
	forgetfulCatchUp = 10 * time.Minute
)

// CatchUp is how far back a bridge reads what operators wrote while relay was down. A
// relay that forgets what it received looks back only as far as its stream does: what was
// answered before and not written to since comes again, with the same id.
func (e Env) CatchUp() time.Duration {
	if e.Forgets {
		return forgetfulCatchUp
	}
	return catchUp
}

// Missing returns the required settings that are not set.
func (k *Kind) Missing(s *chat.Settings) []string {
	missing := []string{}
	for _, name := range k.Needs {
		if s.Text(name) == "" {
			missing = append(missing, name)
		}
	}
	return missing
}

// Configured reports whether all required settings are set.
func (k *Kind) Configured(s *chat.Settings) bool { return len(k.Missing(s)) == 0 }

// Token returns the setting of the bot's token.
func (k *Kind) Token() string { return k.Card.Tokens[0].Setting }

// AppToken returns the setting of the app's token, "" where there is none.
func (k *Kind) AppToken() string {
	if len(k.Card.Tokens) < 2 {
		return ""
	}
	return k.Card.Tokens[1].Setting
}

// Receives reports whether operators' messages can come in where an app token is wanted:
// by that token, or by pushes that a secret proves.
func (k *Kind) Receives(s *chat.Settings) bool {
	return k.AppToken() == "" || s.Text(k.AppToken()) != "" || s.Text(k.Pushed) != ""
}

// Fingerprint changes when the bridge has to be restarted.
func (k *Kind) Fingerprint(s *chat.Settings) string {
	values := make([]string, 0, len(k.Settings))
	for i := range k.Settings {
		values = append(values, s.Value(k.Settings[i].Name))
	}
	return strings.Join(values, "\n")
}

// APIURL declares the setting of another base address of a platform's API.
func APIURL(name, variable, example string) chat.Setting {
	return chat.Setting{Name: name, Fixed: true, Env: variable, Valid: chat.BaseURL,
		Is: "an address that begins with https:// or http://", Example: example}
}
