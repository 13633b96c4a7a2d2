// Package bridges runs the bridges and the webhook that the settings name, and
// checks them for relay doctor. It imports package chat and the adapters, which
// know nothing of each other.
package bridges

import (
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Manifest returns the manifests of the apps that have to be made.
func Manifest(kinds []Kind, s *chat.Settings) (manifest string) {
	for i := range kinds {
		if kinds[i].Manifest != nil {
			manifest += kinds[i].Manifest(s)
		}
	}
	return manifest
}

// HalfSetUp returns a problem for each bridge of which only some required
// settings are set, with the names of the environment.
func HalfSetUp(kinds []Kind, s *chat.Settings) (problems []string) {
	for i := range kinds {
		missing := kinds[i].Missing(s)
		if len(missing) == 0 || len(missing) == len(kinds[i].Needs) {
			continue
		}
		for j, name := range missing {
			missing[j] = s.EnvOf(name)
		}
		problems = append(problems, kinds[i].Name+" is half set up: "+strings.Join(missing, " and ")+" is missing")
	}
	return problems
}

// Targets returns the destinations of events under the current settings: bridges
// and the webhook. A bridge that is set up but fails receives them later.
func Targets(kinds []Kind) func(*chat.Settings) []chat.Target {
	return func(s *chat.Settings) (targets []chat.Target) {
		for i := range kinds {
			if kinds[i].Configured(s) {
				targets = append(targets, chat.Target{Name: kinds[i].Name, Kind: chat.TargetBridge})
			}
		}
		if _, on := webhookTarget(s); on {
			targets = append(targets, chat.Target{Name: chat.WebhookSink, Kind: chat.TargetWebhook})
		}
		if ai := s.AI(); ai.On() {
			targets = append(targets, ai.Target())
		}
		if s.Mail().On() {
			targets = append(targets, chat.Target{Name: chat.MailSink, Kind: chat.TargetMail, Delay: chat.MailDelay})
			if s.MailWished() {
				targets = append(targets, chat.Target{Name: chat.MembersSink, Kind: chat.TargetMembers, Delay: chat.MemberMailDelay})
			}
		}
		if s.Pushes() {
			targets = append(targets, chat.Target{Name: chat.PushSink, Kind: chat.TargetPush, Delay: chat.PushDelay})
		}
		return targets
	}
}
