package engine

import (
	"encoding/json"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// asksContact reports whether a visitor who waits, as a rule because the AI hands over, is
// asked for a name or an e-mail address: none of the team is there, nothing is known, and
// [Relay.Identify] would store what a visitor merely claims. A backend's visitors are the
// backend's to ask.
func (r *Relay) asksContact(s *chat.Session) bool {
	claimable := !s.Verified && !r.identity.Required && !r.backend
	return claimable && s.Status == chat.StatusOpen && !s.Blocked && !hasContact(s) && !r.PresenceAt(s.Site).Online
}

// hasContact reports whether the team has something to call or reach the visitor by.
func hasContact(s *chat.Session) bool {
	known := s.IdentityFacts()
	return slices.ContainsFunc([]string{"name", "email", "phone"}, func(field string) bool {
		text, _ := known[field].(string)
		return text != ""
	})
}

// stillAsksContact is asksContact for a visitor who comes back: the AI has handed over, and
// no operator has answered since; or no AI will answer, and the answer can go out by e-mail.
func (r *Relay) stillAsksContact(rd chat.Reader, s *chat.Session) (bool, error) {
	if s.WaitingSince == 0 || !r.asksContact(s) {
		return false, nil
	}
	if answersByMail(r.SettingsOf(s.Site)) {
		return true, nil
	}
	if !s.AIEnded {
		return false, nil
	}
	entries, err := rd.Timeline(s.ID, 0, 0, maxTimeline)
	if err != nil {
		return false, err
	}
	for _, e := range slices.Backward(entries) {
		if e.Type == chat.EventAITakeover {
			var t chat.Takeover
			err := json.Unmarshal(e.Data, &t)
			return handsOver(&t) && s.WaitingSince <= t.At, err
		}
	}
	return false, nil
}

// answersByMail reports whether a visitor whom nobody answers at once gets the answer by e-mail.
func answersByMail(settings *chat.Settings) bool {
	ai := settings.AI()
	return (!ai.On() || ai.Rehearses()) && settings.Mail().On()
}

// handsOver reports whether the AI left the session to people, none of whom had taken it.
func handsOver(t *chat.Takeover) bool {
	return !t.Active && t.Reason != chat.AIEndOperator && t.Reason != chat.AIEndOff
}
