package telegram

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/server/chat"
)

// Errors that the bridge itself handles; otherwise no retry will help.
var (
	errUnchanged    = fmt.Errorf("%w: nothing to change", chat.ErrPermanent)
	errMarkup       = fmt.Errorf("%w: invalid markup", chat.ErrPermanent)
	errUnlisted     = fmt.Errorf("%w: Telegram rejected it", chat.ErrPermanent) // for a reason that refusals does not list
	errNoText       = fmt.Errorf("%w: the message has a caption, no text", chat.ErrPermanent)
	errUnchangeable = fmt.Errorf("%w: the message has neither text nor caption", chat.ErrPermanent)
	errPicture      = fmt.Errorf("%w: the file is not accepted as a picture or recording", chat.ErrPermanent)
)

// errOtherPoller and errWebhookSet need an operator, and yet polling continues:
// the other program may end at any time.
var (
	errOtherPoller = &chat.Misconfigured{Problem: "another program polls with this bot's token, and each takes updates away from the other", Fix: fixOther}
	errWebhookSet  = &chat.Misconfigured{Problem: "another program sets a webhook of its own at this bot, which takes updates away from relay", Fix: fixOther}
)

var errWebhookTaken = &chat.Misconfigured{Problem: "another program took the bot's webhook away, so no updates arrive",
	Fix: "stop that program, or create a separate bot for relay at @BotFather; then test the bridge in the console, or restart relay"}

const fixOther = "stop the other program (a second relay or another bot), or create a separate bot for relay at @BotFather and set its token"

// refusals maps descriptions of the Bot API to errors; the first match counts. The
// texts come from the server's source and its answers: there are no codes.
var refusals = []struct {
	text string
	err  error
}{
	{"TOPIC_NOT_MODIFIED", errUnchanged},
	{"message is not modified", errUnchanged},
	{"REACTION_INVALID", errUnchanged},   // the group forbids it: no receipt
	{"REACTIONS_TOO_MANY", errUnchanged}, // likewise

	// The server looks the topic up before every send and answers this whatever
	// is wrong with it.
	{"message thread not found", chat.ErrThreadGone},
	{"TOPIC_DELETED", chat.ErrThreadGone},
	{"TOPIC_ID_INVALID", chat.ErrThreadGone},
	{"TOPIC_CLOSED", chat.ErrThreadClosed},

	{"message to edit not found", chat.ErrMessageGone},
	{"message to delete not found", chat.ErrMessageGone},
	{"message to react not found", chat.ErrMessageGone},
	{"message identifier is not specified", chat.ErrMessageGone},
	{"MESSAGE_ID_INVALID", chat.ErrMessageGone},
	{"message can't be deleted", chat.ErrMessageStays},
	{"message can't be edited", chat.ErrMessageGone},

	{"can't parse entities", errMarkup},
	{"entities too long", errMarkup},
	{"ENTITIES_TOO_LONG", errMarkup},
	{"there is no text in the message to edit", errNoText},
	{"there is no caption in the message to edit", errUnchangeable},
	{"PHOTO_INVALID_DIMENSIONS", errPicture},
	{"IMAGE_PROCESS_FAILED", errPicture},
	{"PHOTO_SAVE_FILE_INVALID", errPicture},
	{"VOICE_MESSAGES_FORBIDDEN", errPicture},

	{"can't use getUpdates method while webhook is active", errWebhookSet},
	{"terminated by other getUpdates request", errOtherPoller},
	{"terminated by setWebhook request", errWebhookSet},

	{"not enough rights to create a topic", &chat.Misconfigured{Problem: "the bot may not open topics in the group", Fix: fixRights}},
	{"CHAT_ADMIN_REQUIRED", &chat.Misconfigured{Problem: "the bot is not an administrator of the group", Fix: fixRights}},
	{"not enough rights", &chat.Misconfigured{Problem: "the bot lacks a right in the group", Fix: fixRights}},
	{"have no rights to send a message", &chat.Misconfigured{Problem: "the bot may not write in the group", Fix: fixRights}},
	{"CHAT_WRITE_FORBIDDEN", &chat.Misconfigured{Problem: "the bot may not write in the group", Fix: fixRights}},
	{"the chat is not a forum", &chat.Misconfigured{Problem: "the group has no topics", Fix: fixTopics}},
	{"CHANNEL_FORUM_MISSING", &chat.Misconfigured{Problem: "the group has no topics", Fix: fixTopics}},
	{"chat not found", &chat.Misconfigured{Problem: "Telegram knows no such group, or the bot is not in it", Fix: fixChatID}},
	{"bot was kicked", &chat.Misconfigured{Problem: "the bot was removed from the group", Fix: fixMember}},
	{"bot is not a member", &chat.Misconfigured{Problem: "the bot is not in the group", Fix: fixMember}},
	{"group chat was deleted", &chat.Misconfigured{Problem: "the group was deleted", Fix: fixChatID}},
	{"deactivated", &chat.Misconfigured{Problem: "the group was deactivated", Fix: fixChatID}},
	{"PEER_ID_INVALID", &chat.Misconfigured{Problem: "Telegram knows no such group, or the bot is not in it", Fix: fixChatID}},
	{"CHANNEL_PRIVATE", &chat.Misconfigured{Problem: "the bot cannot enter the group", Fix: fixMember}},
	{"CHAT_RESTRICTED", &chat.Misconfigured{Problem: "Telegram restricted the group",
		Fix: "open the group in Telegram, which says why; or make another group and put its id into TELEGRAM_CHAT_ID"}},
}

var errToken = &chat.Misconfigured{Problem: "Telegram does not accept the bot token", Fix: fixToken, Everywhere: true}

// translate turns the error of a call into one of package chat or of this one. A
// call that may safely be repeated is never ambiguous.
func translate(err error, repeatable bool) error {
	var refusal *gotgbot.TelegramError
	if errors.As(err, &refusal) {
		return translateRefusal(refusal)
	}
	var unanswered *call.Error
	if errors.As(err, &unanswered) {
		return unanswered.Translate("Telegram", repeatable)
	}
	if err != nil && !repeatable { // carried out, but the answer is unreadable
		return fmt.Errorf("%w: %w", chat.ErrAmbiguous, err)
	}
	return err
}

func translateRefusal(e *gotgbot.TelegramError) error {
	switch {
	case e.Code == 429:
		return &chat.RetryAfter{After: retryAfter(e), Scope: chat.ScopeSink, Cause: e}
	case e.Code == 401, e.Code == 404 && e.Description == "Not Found":
		return errToken
	case e.Code >= 500:
		return e
	}
	for _, r := range refusals {
		if strings.Contains(e.Description, r.text) {
			return fmt.Errorf("%w (%s: %s)", r.err, e.Method, e.Description)
		}
	}
	if e.Code == 403 {
		return &chat.Misconfigured{Problem: "Telegram forbids it: " + e.Description, Fix: fixMember}
	}
	return fmt.Errorf("%w: %w", errUnlisted, e)
}

// perhapsMarkup reports whether an error may be about the markup: the message is
// then retried without it.
func perhapsMarkup(err error) bool { return errors.Is(err, errMarkup) || errors.Is(err, errUnlisted) }

// maxWait bounds the wait of one 429; the next 429 asks for the rest.
const maxWait = time.Hour

// retryAfter returns how long a 429 asks to wait, and a little more.
func retryAfter(e *gotgbot.TelegramError) time.Duration {
	wait := time.Second
	if e.ResponseParams != nil && e.ResponseParams.RetryAfter > 0 {
		wait = min(time.Duration(e.ResponseParams.RetryAfter)*time.Second, maxWait)
	}
	return wait + rand.N(time.Second)
}

// migrated returns the group's new id after it became a supergroup.
func migrated(err error) (group int64, ok bool) {
	var refusal *gotgbot.TelegramError
	if errors.As(err, &refusal) && refusal.ResponseParams != nil {
		group = refusal.ResponseParams.MigrateToChatId
	}
	return group, group != 0
}
