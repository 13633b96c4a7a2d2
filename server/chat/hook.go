package chat

import (
	"database/sql/driver"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of webhooks beside the first.
const (
	MaxHooks       = 10  // of one site
	MaxAllHooks    = 500 // of all sites
	maxHookName    = 80
	maxHookURL     = 2000
	maxHookSecret  = 500
	hookSinkPrefix = "hook-"
)

// HookEvents is the table of the events that a webhook beside the first may be given, in the
// order in which they are shown: an event that it does not name reaches none of them.
var HookEvents = Words{
	"new_session", "visitor_message", "operator_message", "ai_message", "visitor_message_edited", "operator_message_edited",
	"visitor_message_deleted", "operator_message_deleted", "message_read", "identity_update", "session_tagged", "session_closed", "session_reopened",
	"visitor_disconnect", "csat_submitted", "custom_event", "ai_takeover",
}

// Words are stored with spaces between them: events, or what an incoming hook may do.
type Words []string

// Has reports whether a word is one of them.
func (w Words) Has(word string) bool { return slices.Contains(w, word) }

// Of returns those of the table that are named, in its order, or an error at a field that names
// the first that is not in the table.
func (w Words) Of(field string, names []string) (Words, error) {
	for _, name := range names {
		if !w.Has(name) {
			return nil, ErrorAt(Invalid, field, fmt.Sprintf("%s must be of %s; %q is none of them", field, strings.Join(w, ", "), Clip(OneLine(name), MaxSiteID)))
		}
	}
	chosen := slices.DeleteFunc(slices.Clone(w), func(word string) bool { return !slices.Contains(names, word) })
	if len(chosen) == 0 {
		return nil, ErrorAt(Invalid, field, field+" must name one or more of "+strings.Join(w, ", "))
	}
	return chosen, nil
}

// Value stores the words.
func (w Words) Value() (driver.Value, error) { return strings.Join(w, " "), nil }

// Scan reads what Value stored.
func (w *Words) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("cannot read words from %T", src)
	}
	*w = strings.Fields(text)
	return nil
}

// Hook is a webhook of a site beside the first one, which is in the settings.
type Hook struct {
	ID        string `json:"id" db:"id"`
	Site      string `json:"-" db:"site"`
	Name      string `json:"name" db:"name"`
	URL       string `json:"url" db:"url"`
	Secret    string `json:"-" db:"secret"`
	Events    Words  `json:"events" db:"events"`
	MadeBy    string `json:"madeBy" db:"made_by"`
	CreatedAt Time   `json:"createdAt" db:"created_at"`
	PausedAt  Time   `json:"pausedAt,omitzero" db:"paused_at"`
	// PausedFor is why relay itself paused it, for people; "" where a person did.
	PausedFor string `json:"pausedFor,omitempty" db:"paused_for"`
	// EndedAt is 0 as long as it exists. One that has ended stays until what waits for it is gone.
	EndedAt Time `json:"-" db:"ended_at"`
}

// ErrHookNotFound is returned for unknown and ended hooks, outgoing and incoming.
var ErrHookNotFound = &Error{Kind: NotFound, Text: "Webhook not found"}

// Sink is the hook's name as a destination.
func (h *Hook) Sink() string { return hookSinkPrefix + h.ID }

// Works reports whether events are posted to it.
func (h *Hook) Works() bool { return h.PausedAt == 0 && h.EndedAt == 0 }

// Pause pauses or resumes it.
func (h *Hook) Pause(paused bool) {
	switch {
	case !paused:
		h.PausedAt, h.PausedFor = 0, ""
	case h.PausedAt == 0:
		h.PausedAt = Now()
	}
}

// Target is the hook in the routing table.
func (h *Hook) Target() Target { return Target{Name: h.Sink(), Kind: TargetHook, Events: h.Events} }

// Check tidies a hook's fields and reports the first that is wrong. Whether its address may be
// connected to is another question.
func (h *Hook) Check() (err error) {
	if h.Name, err = hookName(h.Name); err != nil {
		return err
	}
	h.URL = strings.TrimSpace(h.URL)
	u, err := url.Parse(h.URL)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", strings.ContainsFunc(h.URL, notPrintable):
		return ErrorAt(Invalid, "url", "url must be an address like https://example.com/relay")
	case len(h.URL) > maxHookURL:
		return ErrorAt(Invalid, "url", "url must be at most 2000 characters")
	case h.Secret == "" || len(h.Secret) > maxHookSecret || strings.ContainsFunc(h.Secret, notPrintable):
		return ErrorAt(Invalid, "secret", "secret must be 1 to 500 letters, digits and signs without spaces, or be left out: relay makes one")
	}
	h.Events, err = HookEvents.Of("events", h.Events)
	return err
}

// hookName tidies the name of a hook.
func hookName(given string) (string, error) {
	name := OneLine(given)
	if name == "" || utf8.RuneCountInString(name) > maxHookName {
		return "", ErrorAt(Invalid, "name", "name must be 1 to 80 characters: what the hook is for, like CRM")
	}
	return name, nil
}

// IsHookSink reports whether a destination is a webhook beside the first.
func IsHookSink(dest string) bool { return strings.HasPrefix(dest, hookSinkPrefix) }

// IsWebhook reports whether a destination is the first webhook or one beside it.
func IsWebhook(dest string) bool { return dest == WebhookSink || IsHookSink(dest) }

// KindOfSink is a destination where all webhooks are one: in metrics, and for the alarm of the console.
func KindOfSink(dest string) string {
	if IsHookSink(dest) {
		return WebhookSink
	}
	return dest
}

// ReceivedType is an event's type as receivers see it: that of a message begins with the sender.
func (e *Event) ReceivedType() string {
	switch e.Type {
	case EventMessage, EventMessageEdited, EventMessageDeleted:
		sender := e.Sender
		if m, err := e.Message(); sender == "" && err == nil {
			sender = m.Sender
		}
		return string(sender) + "_" + string(e.Type)
	}
	return string(e.Type)
}

// HookReader is the part of a [Reader] about webhooks beside the first, and incoming ones.
type HookReader interface {
	// Hooks lists them, oldest first, and those that ended and still have deliveries.
	Hooks() ([]Hook, error)
	// IncomingHook finds one by the hash of its token, or returns ErrHookNotFound; so does the next.
	IncomingHook(hash string) (IncomingHook, error)
	IncomingHookByID(id string) (IncomingHook, error)
	// IncomingHooks lists them, oldest first.
	IncomingHooks() ([]IncomingHook, error)
	// IncomingAnswer is what came of a request with an idempotency key, the zero value if there was none.
	IncomingAnswer(hook, key string) (IncomingAnswer, error)
}

// HookTx is the part of a [Tx] about webhooks beside the first, and incoming ones.
type HookTx interface {
	PutHook(h *Hook) error
	DropHook(id string) error
	// DropUndelivered removes some deliveries to a destination that are not done, and reports
	// whether any were left.
	DropUndelivered(dest string) (some bool, err error)
	PutIncomingHook(h *IncomingHook) error
	DropIncomingHook(id string) error
	// DropIncomingHooksOf drops what a person made, "" for the secret key.
	DropIncomingHooksOf(maker string) error
	// UsedIncomingHook notes when a hook was used last.
	UsedIncomingHook(id string, at Time) error
	PutIncomingAnswer(a *IncomingAnswer) error
	// DropIncomingAnswers forgets those from before a time.
	DropIncomingAnswers(before Time) error
}
