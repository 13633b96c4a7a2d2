package server

import (
	"cmp"
	"crypto/hmac"
	"encoding/hex"
	"errors"
	"net/http"
	"time"
	"unicode/utf8"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// maxIdempotencyKey bounds the key of a request, in characters.
const maxIdempotencyKey = 200

// hookBody is what a program asks for at an incoming hook.
type hookBody struct {
	Action       string   `json:"action"`
	SessionID    string   `json:"sessionId,omitempty"`
	Content      string   `json:"content,omitempty"`
	OperatorName string   `json:"operatorName,omitempty"`
	AddTags      []string `json:"addTags,omitempty"`
	RemoveTags   []string `json:"removeTags,omitempty"`
	Email        string   `json:"email,omitempty"`
	Name         string   `json:"name,omitempty"`
	Key          string   `json:"idempotencyKey,omitempty"`
}

// hookAnswer is what came of it.
type hookAnswer struct {
	OK        bool   `json:"ok"`
	Action    string `json:"action"`
	SessionID string `json:"sessionId"`
	MessageID string `json:"messageId,omitempty"`
}

// receive answers POST /hooks/{token}: a program writes into a conversation.
func (s *incomingAPI) receive(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	h, err := s.open(w, r)
	if err != nil {
		return nil, err
	}
	body, err := web.ReadJSON(r)
	if err != nil {
		return nil, err
	}
	id, err := s.verify(&h, r.Header, body)
	if err != nil {
		return nil, err
	}
	in, err := web.Unmarshal[hookBody](body)
	if err != nil {
		return nil, err
	}
	if in.Key, err = in.key(&h, r.Header.Get("Idempotency-Key"), id); err != nil {
		return nil, err
	}
	if err := in.check(&h); err != nil {
		return nil, err
	}
	return s.once(r, &h, &in)
}

// open finds the hook of a request's address and counts the request.
func (s *incomingAPI) open(w http.ResponseWriter, r *http.Request) (chat.IncomingHook, error) {
	h, err := s.team.Incoming.Open(r.Context(), web.PathVar(r, "token"))
	site := s.engine.Sites().Of(h.Site)
	switch {
	case errors.Is(err, chat.ErrHookNotFound), err == nil && (site == nil || site.ArchivedAt != 0):
		if err := s.Limited(w, r, s.Rates.Failures, s.Address(r)); err != nil {
			return h, err
		}
		return h, chat.ErrHookNotFound
	case err != nil:
		return h, err
	case s.Config.RateLimit && !s.Rates.Hooks.Allow(h.ID, time.Now()):
		return h, web.ErrTooMany()
	case h.PausedAt != 0:
		return h, chat.Errorf(chat.Conflict, "This hook is paused")
	}
	return h, nil
}

// errWrongSignature is the answer to a request that is not signed as its hook demands.
var errWrongSignature = &web.Error{Status: http.StatusUnauthorized, Text: "Missing or wrong signature"}

// verify checks the signature of a request, if its hook demands one: the headers of Standard
// Webhooks, whose id it returns, or relay's own, as relay signs what it posts itself.
func (s *incomingAPI) verify(h *chat.IncomingHook, header http.Header, body []byte) (id string, err error) {
	if !h.Signed {
		return "", nil
	}
	secret := hookSecret(s.keys, h)
	if id := header.Get("webhook-id"); id != "" {
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return "", err
		}
		if verifier.Verify(body, header) != nil {
			return "", errWrongSignature
		}
		return id, nil
	}
	prefix := s.engine.SettingsOf(h.Site).Text("eventsWebhookHeaderPrefix")
	want := "sha256=" + hex.EncodeToString(chat.MAC([]byte(secret), string(body)))
	if !hmac.Equal([]byte(want), []byte(header.Get(prefix+"-Signature"))) {
		return "", errWrongSignature
	}
	return "", nil
}

// key returns the idempotency key of a request, "" for none. Where requests are signed, only what
// the signature covers counts, and there must be one: whoever saw a request could repeat it.
func (in *hookBody) key(h *chat.IncomingHook, header, signedID string) (string, error) {
	key := in.Key
	switch {
	case h.Signed:
		if key = cmp.Or(key, signedID); key == "" {
			return "", chat.ErrorAt(chat.Invalid, "idempotencyKey", "idempotencyKey is required where requests are signed without a webhook-id")
		}
	case key != "" && header != "" && key != header:
		return "", chat.ErrorAt(chat.Invalid, "idempotencyKey", "idempotencyKey and the header Idempotency-Key must not differ")
	default:
		key = cmp.Or(key, header)
	}
	if !utf8.ValidString(key) || utf8.RuneCountInString(key) > maxIdempotencyKey {
		return "", chat.ErrorAt(chat.Invalid, "idempotencyKey", "idempotencyKey must be at most 200 characters")
	}
	return key, nil
}

// check refuses what the hook may not do, and what is not for its action.
func (in *hookBody) check(h *chat.IncomingHook) error {
	switch {
	case !chat.HookActions.Has(in.Action):
		return chat.ErrorAt(chat.Invalid, "action", "action must be message, note, tag or open")
	case !h.May.Has(in.Action):
		return chat.ErrorAt(chat.Forbidden, "action", "This hook may not do that: "+in.Action)
	case in.Action != chat.HookOpens && in.SessionID == "":
		return chat.ErrorAt(chat.Invalid, "sessionId", "sessionId is required")
	case in.Action == chat.HookTags && len(in.AddTags)+len(in.RemoveTags) == 0:
		return chat.ErrorAt(chat.Invalid, "addTags", "addTags or removeTags is required")
	case utf8.RuneCountInString(in.OperatorName) > maxOperatorName:
		return chat.ErrorAt(chat.Invalid, "operatorName", "operatorName must be at most 100 characters")
	}
	return nil
}

// once does what a request asks for, or answers what came of it when it was made before.
func (s *incomingAPI) once(r *http.Request, h *chat.IncomingHook, in *hookBody) (any, error) {
	given := in.Key
	in.Key = ""
	asked := chat.IncomingAnswer{Request: chat.Hash(string(chat.MustJSON(in)))}
	if given != "" {
		asked.Key = chat.Hash(given)
		before, err := s.team.Incoming.Answered(r.Context(), h.ID, asked.Key)
		switch {
		case err != nil:
			return nil, err
		case before.Key != "" && before.Request != asked.Request:
			return nil, chat.ErrorAt(chat.Conflict, "idempotencyKey", "Another request was made with this idempotencyKey")
		case before.Key != "":
			return before.Answer, nil
		}
	}
	answer, err := s.act(r, h, in, clientIDOf(h, asked.Key))
	if err != nil {
		return nil, err
	}
	asked.Answer = chat.MustJSON(answer)
	s.team.Incoming.Keep(r.Context(), h, asked)
	return answer, nil
}

// clientIDOf is the id by which the engine knows a message that is sent again, "" without a key.
// It holds where relay stopped between writing the message and keeping the answer.
func clientIDOf(h *chat.IncomingHook, key string) string {
	if key == "" {
		return ""
	}
	return "hook-" + chat.Hash(h.ID+"\n"+key)
}

// act does what a request asks for.
func (s *incomingAPI) act(r *http.Request, h *chat.IncomingHook, in *hookBody, clientID string) (a hookAnswer, err error) {
	a = hookAnswer{OK: true, Action: in.Action, SessionID: in.SessionID}
	by := chat.Author{Sender: chat.SenderOperator, Source: chat.SourceAPI, Name: h.Name, Role: chat.RoleOperator, Sites: chat.SiteSet{h.Site}, Hook: h}
	if in.Action != chat.HookTags {
		by.Name = cmp.Or(in.OperatorName, h.Name)
	}
	var m chat.Message
	switch in.Action {
	case chat.HookTags:
		err = s.engine.Organise(r.Context(), by, in.SessionID, engine.Organising{Add: in.AddTags, Remove: in.RemoveTags})
	case chat.HookOpens:
		var opened chat.Session
		opened, m, err = s.engine.WriteFirst(r.Context(), by, &engine.Opening{Site: h.Site, Email: in.Email, Name: in.Name, Content: in.Content, ClientID: clientID, Keys: s.mails})
		a.SessionID = opened.ID
	default:
		m, err = s.engine.Send(r.Context(), by, engine.Post{SessionID: in.SessionID, Content: in.Content, Internal: in.Action == chat.HookNotes, ClientID: clientID})
	}
	if err != nil {
		return a, err
	}
	a.MessageID = m.ID
	s.AuditAt(r, by, s.engine.Sites().Shown(h.Site), chat.AuditHookUsed, a.SessionID, in.Action)
	return a, nil
}
