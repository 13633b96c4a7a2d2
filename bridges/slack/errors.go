package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/server/chat"
)

// Errors that the bridge itself handles.
var (
	errUnchanged = errors.New("nothing to change")
	errScope     = errors.New("a scope is missing")
	errUnable    = errors.New("the server could not do it now")
	errUnknown   = errors.New("the server rejected it")
)

// refusals maps the Web API's error codes to errors
// (https://docs.slack.dev/reference/methods, "Errors" of each).
var refusals = map[string]error{
	"already_reacted":    errUnchanged,
	"no_reaction":        errUnchanged,
	"too_many_reactions": errUnchanged, // a receipt less
	"too_many_emoji":     errUnchanged,
	"already_in_channel": errUnchanged,

	"thread_not_found":        chat.ErrThreadGone,
	"cannot_reply_to_message": chat.ErrThreadGone,
	"invalid_thread_ts":       chat.ErrThreadGone,

	"message_not_found":                   chat.ErrMessageGone,
	"cant_update_message":                 chat.ErrMessageGone,
	"edit_window_closed":                  chat.ErrMessageGone,
	"cant_delete_message":                 chat.ErrMessageStays,
	"compliance_exports_prevent_deletion": chat.ErrMessageStays,
	"bad_timestamp":                       chat.ErrMessageGone,
	"file_not_found":                      chat.ErrMessageGone,
	"file_deleted":                        chat.ErrMessageGone,

	"fatal_error":         errUnable,
	"internal_error":      errUnable,
	"service_unavailable": errUnable,
	"request_timeout":     errUnable,
	"team_added_to_org":   errUnable, // the workspace is being moved
	"upgrade_required":    errUnable,

	"channel_not_found":      &chat.Misconfigured{Problem: "Slack knows no such channel, or the app is not in it", Fix: fixChannel + "; for a private channel: " + fixInvite},
	"not_in_channel":         errOutside,
	"is_archived":            &chat.Misconfigured{Problem: "the channel is archived", Fix: "unarchive the channel in Slack, or take another one for SLACK_CHANNEL_ID"},
	"restricted_action":      &chat.Misconfigured{Problem: "the workspace does not let the app write in the channel", Fix: "allow it in the channel's settings, under Permissions, or ask an administrator of the workspace"},
	"not_allowed_token_type": &chat.Misconfigured{Problem: "the token is not that of a bot", Fix: fixToken, Everywhere: true},
	"org_login_required":     &chat.Misconfigured{Problem: "the workspace is closed while it joins an organisation", Fix: "wait until that is done, then copy the new token", Everywhere: true},
	"ekm_access_denied":      &chat.Misconfigured{Problem: "an administrator of the workspace suspended the use of its messages", Fix: "ask an administrator of the workspace", Everywhere: true},
	"access_denied":          &chat.Misconfigured{Problem: "the app may not do that in this workspace", Fix: "ask an administrator of the workspace", Everywhere: true},
	"invalid_auth":           errToken,
	"not_authed":             errToken,
	"token_revoked":          errToken,
	"token_expired":          errToken,
	"account_inactive":       errToken,
	"user_not_found":         errToken, // the bot's own
	"team_not_found":         errToken,
}

// Further names of the same errors.
var sameRefusal = map[string]string{
	"restricted_action_read_only_channel":      "restricted_action",
	"restricted_action_thread_only_channel":    "restricted_action",
	"restricted_action_non_threadable_channel": "restricted_action",
	"restricted_action_thread_locked":          "restricted_action",
	"no_permission":                            "access_denied",
	"accesslimited":                            "access_denied",
	"team_is_restricted":                       "access_denied",
	"user_is_restricted":                       "access_denied",
	"is_inactive":                              "is_archived",
	"channel_type_not_supported":               "channel_not_found",
	"user_not_in_channel":                      "not_in_channel",
	"metadata_must_be_sent_from_app":           "not_allowed_token_type",
	"external_channel_migrating":               "service_unavailable",
	"team_access_not_granted":                  "access_denied",
	"method_not_supported_for_channel_type":    "channel_not_found",
	"enterprise_is_restricted":                 "access_denied",
	"two_factor_setup_required":                "access_denied",
}

var errToken = &chat.Misconfigured{Problem: "Slack does not accept the bot token", Fix: fixToken, Everywhere: true}

var errOutside = &chat.Misconfigured{Problem: "the app is not in the channel", Fix: fixInvite}

var errAppToken = &chat.Misconfigured{Problem: "Slack does not accept the app token", Fix: fixAppToken}

// methodSocket is the only method that uses the app token.
const methodSocket = "apps.connections.open"

// translate turns the error of a call into one of package chat or of this one;
// ambiguous means that the call may have been carried out.
func (c *client) translate(method string, err error, ambiguous bool) error {
	var limited *slack.RateLimitedError
	var refusal slack.SlackErrorResponse
	var status slack.StatusCodeError
	switch {
	case errors.As(err, &limited):
		return c.patience(method, limited.RetryAfter)
	case errors.As(err, &refusal):
		return c.translateRefusal(method, refusal, ambiguous)
	case errors.As(err, &status) && status.Code == http.StatusTooManyRequests:
		return c.patience(method, time.Second)
	case errors.As(err, &status) && status.Code == http.StatusUnauthorized && method == methodSocket:
		return errAppToken
	case errors.As(err, &status) && status.Code == http.StatusUnauthorized:
		return errToken
	case errors.As(err, &status):
		err = fmt.Errorf("the answer was HTTP %d", status.Code)
		ambiguous = ambiguous && status.Code >= http.StatusInternalServerError
	case errors.Is(err, context.DeadlineExceeded) && !ambiguous:
		// The call may be repeated, or was never sent: not ambiguous.
		err = errors.New("the server did not answer in time")
	case isJSON(err):
		err = errors.New("the answer is not from Slack")
	}
	err = fmt.Errorf("%s: %w", method, c.redact(err))
	if ambiguous {
		return fmt.Errorf("%w: %w", chat.ErrAmbiguous, err)
	}
	return err
}

// isJSON reports whether an answer was unreadable: the error may contain parts of it.
func isJSON(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}

func (c *client) translateRefusal(method string, e slack.SlackErrorResponse, ambiguous bool) error {
	switch e.Err {
	case "ratelimited", "rate_limited", "message_limit_exceeded":
		return c.patience(method, time.Second)
	case "missing_scope":
		return missing(method, e)
	}
	meaning, known := refusals[cmp.Or(sameRefusal[e.Err], e.Err)]
	switch {
	case !known:
		return fmt.Errorf("%w: %w: %s: %s", chat.ErrPermanent, errUnknown, method, e.Err)
	case method == methodSocket && (meaning == error(errToken) || e.Err == "not_allowed_token_type"):
		return errAppToken
	case meaning == errUnable && ambiguous: // it may have happened all the same
		return fmt.Errorf("%w: %w (%s: %s)", chat.ErrAmbiguous, meaning, method, e.Err)
	}
	return fmt.Errorf("%w (%s: %s)", meaning, method, e.Err)
}

// missing returns the scope that a method needs. The app token has its own scopes.
func missing(method string, e slack.SlackErrorResponse) error {
	if method == methodSocket {
		return &chat.Misconfigured{Problem: "the app token lacks the scope connections:write", Fix: fixAppToken}
	}
	needed := cmp.Or(e.Needed, "that "+method+" needs")
	wrong := &chat.Misconfigured{Problem: "the app lacks the scope " + needed, Fix: fixScope, Everywhere: true}
	return fmt.Errorf("%w: %w", errScope, wrong)
}

// maxPatience bounds the wait of one 429; the next 429 asks for the rest.
const maxPatience = time.Hour

// patience returns how long a 429 asks to wait, and a little more.
func (c *client) patience(method string, wait time.Duration) error {
	wait = min(max(wait, time.Second), maxPatience) + rand.N(500*time.Millisecond)
	c.pace.block(method, wait)
	return later(method, wait)
}
