package slack

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// envelope is the part of an Events API request that relay uses; Socket Mode carries
// the same (https://docs.slack.dev/apis/events-api).
type envelope struct {
	Type           string          `json:"type"`
	Challenge      string          `json:"challenge"`
	AppID          string          `json:"api_app_id"`
	Event          event           `json:"event"`
	Authorizations []authorization `json:"authorizations"`
	Since          string          `json:"since,omitempty"`               // of typeListed
	Standing       []string        `json:"standing,omitempty"`            // of typeListed
	LimitedMinute  int64           `json:"minute_rate_limited,omitempty"` // of app_rate_limited
}

// authorization names the bot for which an event was sent.
type authorization struct {
	UserID       string `json:"user_id"`
	IsBot        bool   `json:"is_bot"`
	TeamID       string `json:"team_id,omitempty"`
	EnterpriseID string `json:"enterprise_id,omitempty"`
}

// event is a message, or a change of one
// (https://docs.slack.dev/reference/events/message).
type event struct {
	message
	Type      string   `json:"type"`
	Channel   string   `json:"channel"`
	EventTS   string   `json:"event_ts"`
	DeletedTS string   `json:"deleted_ts"`
	Changed   *message `json:"message"`
	Previous  *message `json:"previous_message"`
}

type message struct {
	Subtype  string   `json:"subtype"`
	User     string   `json:"user"`
	BotID    string   `json:"bot_id"`
	AppID    string   `json:"app_id"`
	Text     string   `json:"text"`
	TS       string   `json:"ts"`
	ThreadTS string   `json:"thread_ts"`
	Starter  string   `json:"parent_user_id"` // who wrote the thread's first message
	Edited   *edited  `json:"edited"`
	Files    []file   `json:"files"`
	Profile  *profile `json:"user_profile"`
	// The workspace of a message's author: Slack names it in one or several fields, or not at
	// all.
	UserTeam   string `json:"user_team,omitempty"`
	SourceTeam string `json:"source_team,omitempty"`
	Team       string `json:"team,omitempty"`
	Metadata   struct {
		Type string `json:"event_type"`
	} `json:"metadata"`
}

type edited struct {
	TS string `json:"ts"`
}

// profile comes with some messages.
type profile struct {
	DisplayName string `json:"display_name"`
	RealName    string `json:"real_name"`
	Name        string `json:"name"`
}

type file struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Title      string `json:"title"`
	Type       string `json:"mimetype"`
	Size       int64  `json:"size"`
	Mode       string `json:"mode"`
	IsExternal bool   `json:"is_external"`
	URL        string `json:"url_private"`
}

// Subtypes that matter to relay.
const (
	subtypeChanged   = "message_changed"
	subtypeDeleted   = "message_deleted"
	subtypeTombstone = "tombstone"
)

// written are the subtypes of messages that people write: none, a file, a reply that
// is also shown in the channel, and /me.
var written = []string{"", "file_share", "thread_broadcast", "me_message"}

// decode parses a raw event. A field of an unexpected type counts as missing: Slack
// changes them without notice.
func decode(raw []byte) (*envelope, error) {
	e := new(envelope)
	err := json.Unmarshal(raw, e)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		err = nil
	}
	return e, err
}

// human reports whether a person wrote a message, not an app or Slack itself.
func (e *envelope) human(m *message, own string) bool {
	byBot := m.BotID != "" || m.Subtype == "bot_message" || m.AppID != "" && m.AppID == e.AppID || strings.HasPrefix(m.Metadata.Type, "relay_")
	return !byBot && m.User != "" && m.User != "USLACKBOT" && !e.bot(m.User, own)
}

// bot reports whether a user is the app's bot, which Slack names in each event.
func (e *envelope) bot(user, own string) bool {
	return user == own || slices.ContainsFunc(e.Authorizations, func(a authorization) bool { return a.IsBot && a.UserID == user })
}

// foreign reports whether a person began the thread of a message: operators talk among
// themselves there.
func (e *envelope) foreign(m *message, own string) bool {
	known := own != "" || len(e.Authorizations) > 0
	return known && m.Starter != "" && !e.bot(m.Starter, own)
}

// inThread reports whether a message is a reply in a thread.
func (m *message) inThread() bool { return m.ThreadTS != "" && m.ThreadTS != m.TS }

// changedAt returns the ts of a message's last edit, "" before the first.
func (m *message) changedAt() string {
	if m.Edited == nil {
		return ""
	}
	return m.Edited.TS
}

// sameAs reports whether two messages have the same text and files.
func (m *message) sameAs(other *message) bool {
	sameFile := func(a, b file) bool { return a.ID == b.ID }
	return m.Text == other.Text && slices.EqualFunc(m.Files, other.Files, sameFile)
}

// timeOf parses a ts: seconds and a number that makes it unique.
func timeOf(ts string) chat.Time {
	seconds, micros, _ := strings.Cut(ts, ".")
	s, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return 0
	}
	us, _ := strconv.ParseInt(micros, 10, 64)
	return chat.TimeOf(time.Unix(s, us*1000))
}

// typeListed is the type of relay's own event after it read a thread: the messages that
// stand in it after Since.
const typeListed = "relay_listed"

// listed returns what a listing means.
func (e *envelope) listed() chat.Inbound {
	return chat.Inbound{Kind: chat.InboundListed, Thread: chat.Thread{Bridge: Name, Channel: e.Event.Channel, Ref: e.Event.ThreadTS},
		Since: e.Since, Standing: e.Standing}
}
