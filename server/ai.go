package server

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// testTime is longer than the time limit of a model's answer.
const testTime = 40 * time.Second

// AI answers visitors while no operator is there.
type AI interface {
	State(ctx context.Context) (chat.AIState, error)
	// Test asks the model one question and returns how it answered.
	Test(ctx context.Context) (chat.AITest, error)
	// CheckAddress rejects an endpoint that relay must not connect to.
	CheckAddress(address string) error
}

// testAI answers POST /api/admin/ai/test. A model that does not answer is a result
// of the test, not an error of the request.
func (s *settingsAPI) testAI(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(testTime)) // a model may take long to load
	result, err := s.ai.Test(r.Context())
	result.Fix = s.engine.Settings().InConsole(result.Fix)
	return result, err
}

// mayAskAI counts a visitor's message against the calls of the AI that one address may
// cause in an hour, and reports whether it is one of them.
func (s *widgetAPI) mayAskAI(r *http.Request) bool {
	ai, limit, now := s.engine.Settings().AI(), s.rates.aiCalls, time.Now()
	if !ai.On() || ai.AddressCalls == 0 || s.unlimited(r) {
		return true
	}
	network := s.network(r)
	return limit.allowUpTo(s.address(r), ai.AddressCalls, now) && (network == "" || limit.allowUpTo(network, ai.AddressCalls*addressesPerNetwork, now))
}

// handOff answers POST /api/widget/handoff: the visitor wants a person.
func (s *widgetAPI) handOff(_ http.ResponseWriter, r *http.Request, by chat.Author, in inSession) (any, error) {
	return ok, s.engine.AskForPerson(r.Context(), by, in.SessionID)
}

// checkAddresses rejects addresses in settings that relay must not connect to. The
// settings themselves reject malformed ones.
func (s *settingsAPI) checkAddresses(patch map[string]json.RawMessage) error {
	for name, check := range map[string]func(string) error{"eventsWebhookUrl": s.webhook.CheckAddress, "aiBaseUrl": s.ai.CheckAddress} {
		var to string
		if json.Unmarshal(patch[name], &to) != nil {
			continue
		}
		if err := check(to); err != nil {
			return err
		}
	}
	return nil
}
