package discord

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/server/chat"
)

// Errors that the bridge itself handles.
var (
	errNoReply      = errors.New("the bot may not reply here")
	errThreadExists = errors.New("the message has a thread already")
	errTooLarge     = errors.New("the file is too large for Discord")
	errRejected     = errors.New("the thread was refused by Discord")
	errFull         = errors.New("the server has as many active threads as it may have")
	errChannelKind  = errors.New("the channel's kind has changed")
	errLocked       = errors.New("the thread is locked")
	errForbidden    = errors.New("the bot lacks a permission")
	errBusy         = errors.New("the server cannot do it now")
)

// refusal is an error of the API (Discord, "Error response").
type refusal struct {
	route      string
	status     int
	header     http.Header
	Code       int     `json:"code"`
	Message    string  `json:"message"`
	RetryAfter float64 `json:"retry_after"`
	Global     bool    `json:"global"`
	Errors     json.RawMessage
	readable   bool
}

func (e *refusal) Error() string {
	if !e.readable {
		return fmt.Sprintf("%s: HTTP %d", e.route, e.status)
	}
	return fmt.Sprintf("%s: HTTP %d, code %d: %s", e.route, e.status, e.Code, e.Message)
}

// newRefusal parses the answer to a call.
func newRefusal(route string, o *outcome, answer []byte) *refusal {
	e := &refusal{route: route, status: o.status, header: o.header}
	e.readable = json.Unmarshal(answer, e) == nil && e.Message != ""
	return e
}

var errToken = &chat.Misconfigured{Problem: "Discord does not accept the bot token", Fix: fixToken, Everywhere: true}

// meanings maps codes of the API to errors (Discord, "JSON error codes").
var meanings = map[int]error{
	10003:  chat.ErrThreadGone,  // unknown channel: the thread was deleted
	10008:  chat.ErrMessageGone, // unknown message
	30046:  chat.ErrMessageGone, // too many edits of an old message
	50005:  chat.ErrMessageGone, // another author's
	50083:  chat.ErrThreadClosed,
	160005: errLocked,
	160002: errNoReply,
	160004: errThreadExists,
	160006: errFull,
	40005:  errTooLarge,
	50045:  errTooLarge,
	40058:  errChannelKind, // a forum has no messages
	40067:  errChannelKind, // a forum that requires a tag now
	50008:  errChannelKind, // no text channel
	50024:  errChannelKind, // not possible in this channel
	40006:  errBusy,        // switched off for a while
	40062:  errBusy,
	110001: errBusy,
	130000: errBusy,      // overloaded
	50001:  errForbidden, // missing access
	50013:  errForbidden, // missing permissions
	10004:  &chat.Misconfigured{Problem: "Discord knows no such server, or the bot is not in it", Fix: fixMember},
	40001:  errToken,
	50014:  errToken,
	50025:  errToken,
	40002:  &chat.Misconfigured{Problem: "Discord wants the bot's owner to verify the account", Fix: "verify the account that owns the bot, then press Test", Everywhere: true},
	60003:  &chat.Misconfigured{Problem: "the server wants two-factor authentication of its moderators", Fix: "switch it on for the account that owns the bot", Everywhere: true},
}

// translate turns the error of a call into one of package chat or of this one. A
// call that may safely be repeated is never ambiguous.
func translate(err error, repeatable bool) error {
	var e *refusal
	if errors.As(err, &e) {
		return e.translate(repeatable)
	}
	var unanswered *call.Error
	if errors.As(err, &unanswered) {
		return unanswered.Translate("Discord", repeatable)
	}
	return err
}

func (e *refusal) translate(repeatable bool) error {
	switch {
	case e.status == http.StatusTooManyRequests:
		return e.limited()
	case e.status == http.StatusUnauthorized:
		return errToken
	case e.status >= 500 && !repeatable: // with a proxy's 502 it may have been carried out
		return fmt.Errorf("%w: %w", chat.ErrAmbiguous, e)
	case e.status >= 500:
		return e
	case e.status == http.StatusRequestEntityTooLarge:
		return fmt.Errorf("%w: %w", errTooLarge, e)
	case !e.readable:
		return e // a proxy's page, not Discord's answer
	}
	meaning := meanings[e.Code]
	if meaning == nil && e.status == http.StatusNotFound && e.Code == 0 {
		if !e.ofChannel() {
			return e
		}
		meaning = chat.ErrThreadGone
	}
	if meaning == nil && e.status == http.StatusForbidden {
		meaning = errForbidden
	}
	if meaning == nil {
		meaning = chat.ErrPermanent
	}
	return fmt.Errorf("%w: %w", meaning, e)
}

// ofChannel reports whether the call was about a channel or a thread: the 404 of
// another call does not concern those.
func (e *refusal) ofChannel() bool {
	_, path, _ := strings.Cut(e.route, " ")
	return strings.HasPrefix(path, "/channels/")
}

// denied reports whether the API rejected a call for good: the object does not
// exist, or the bot may not see it.
func denied(err error) bool {
	var e *refusal
	missing := errors.As(err, &e) && e.status == http.StatusNotFound
	return missing || errors.Is(err, errForbidden)
}

// limited turns a 429 into a wait. A shared or a route's own limit concerns the
// thread, the others everything; so does a page of the network in front of Discord,
// which has no scope.
func (e *refusal) limited() error {
	scope := chat.ScopeLane
	global := e.Global || e.header.Get("X-RateLimit-Global") != "" || e.header.Get("X-RateLimit-Scope") == "global"
	if global || !e.readable {
		scope = chat.ScopeSink
	}
	return &chat.RetryAfter{After: retryAfter(e.RetryAfter, e.header), Scope: scope, Cause: e}
}

// keepWait makes the following calls wait as well.
func (c *client) keepWait(route string, err error) {
	var wait *chat.RetryAfter
	var e *refusal
	if errors.As(err, &wait) && errors.As(err, &e) {
		c.pace.block(route, wait.Scope == chat.ScopeSink, wait.After)
	}
}

// finalError turns an error that the bridge did not handle into one of package chat.
func finalError(err error) error {
	switch {
	case errors.Is(err, errForbidden):
		return &chat.Misconfigured{Problem: "the bot lacks a permission in the channel: " + reason(err), Fix: fixRights}
	case errors.Is(err, errLocked):
		return fmt.Errorf("%w: %w", chat.ErrThreadClosed, err)
	case errors.Is(err, errTooLarge), errors.Is(err, errNoReply):
		return fmt.Errorf("%w: %w", chat.ErrPermanent, err)
	}
	return err
}

// reason returns Discord's message.
func reason(err error) string {
	var e *refusal
	if errors.As(err, &e) && e.Message != "" {
		return e.Message
	}
	return err.Error()
}
