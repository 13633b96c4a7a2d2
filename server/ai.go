package server

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/web"
)

// testTime is longer than the time limit of a model's answer.
const testTime = 40 * time.Second

// AI answers visitors while no operator is there.
type AI interface {
	State(ctx context.Context) (chat.AIState, error)
	// Test asks the model one question and returns how it answered.
	Test(ctx context.Context) (chat.AITest, error)
	// Ask answers a question that belongs to no conversation as a site's visitor would be answered.
	Ask(ctx context.Context, site, question string) (chat.AIAnswer, error)
	// Explain answers a question as a visitor of a site, or of all with nil, would be answered,
	// and says what became of each sentence.
	Explain(ctx context.Context, site *string, question string) (chat.AIAsked, error)
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

type askAIRequest struct {
	Question string `json:"question"`
}

// longestQuestion is in characters.
const longestQuestion = 1000

// askAI answers POST /api/admin/ai/ask: what a visitor would read, and what became of each sentence.
func (s *settingsAPI) askAI(w http.ResponseWriter, r *http.Request, by chat.Author, in askAIRequest) (any, error) {
	question := strings.TrimSpace(in.Question)
	if err := web.Required("question", question); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(question) > longestQuestion {
		return nil, web.BadRequest("question must have at most 1000 characters")
	}
	site, err := web.SiteAsked(r, by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(testTime))
	result, err := s.ai.Explain(r.Context(), site, question)
	result.Fix = s.engine.Settings().InConsole(result.Fix)
	return result, err
}

// again is how an administrator proves once more who they are.
type again struct {
	CurrentPassword string `json:"currentPassword"`
	SecretKey       string `json:"secretKey"`
}

type confirmAIHostRequest struct {
	URL string `json:"url"`
	again
}

// confirmAIHost answers POST /api/admin/ai/private-host: the AI may be at this host in a
// private network. Signed in alone is not enough, so that no borrowed browser opens one.
func (s *settingsAPI) confirmAIHost(w http.ResponseWriter, r *http.Request, by chat.Author, in confirmAIHostRequest) (any, error) {
	host := chat.HostOf(in.URL)
	if host == "" {
		return nil, web.BadRequest("url must be an address that begins with http:// or https://")
	}
	if err := s.proveAgain(w, r, by, in.again); err != nil {
		return nil, err
	}
	if err := s.engine.ConfirmAIHost(r.Context(), host); err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditSettingsChanged, "", "the AI may be at "+host)
	return map[string]string{"host": host}, nil
}

// proveAgain checks the password of the person who asks, or the secret key, which every
// request of the API has.
func (s *settingsAPI) proveAgain(w http.ResponseWriter, r *http.Request, by chat.Author, in again) error {
	switch {
	case by.Source == chat.SourceAPI:
		return nil
	case in.SecretKey != "":
		if s.keys.Check(in.SecretKey) == keyring.Current {
			return nil
		}
		if err := s.Denied(w, r); err != web.ErrUnauthorized {
			return err
		}
		return chat.ErrorAt(chat.Forbidden, "secretKey", "This is not the secret key")
	case by.Person == "":
		return web.BadRequest("secretKey is required")
	}
	p, err := s.team.People.Find(r.Context(), by.Person)
	if err != nil {
		return err
	}
	if p.Password == "" {
		return web.BadRequest("secretKey is required")
	}
	return s.Confirm(w, r, p, in.CurrentPassword)
}
