package telegram

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// update is the part of Telegram's Update that relay uses (Bot API, "Update" and
// "Message").
type update struct {
	ID      int64         `json:"update_id"`
	Message *message      `json:"message"`
	Edited  *message      `json:"edited_message"`
	Member  *memberChange `json:"my_chat_member"`
}

// memberChange means that the bot's membership or rights changed.
type memberChange struct {
	Chat chatRef `json:"chat"`
}

type chatRef struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
}

type user struct {
	ID        int64  `json:"id"`
	IsBot     bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Username  string `json:"username"`
}

type message struct {
	ID         int64    `json:"message_id"`
	Topic      int64    `json:"message_thread_id"`
	InTopic    bool     `json:"is_topic_message"`
	From       *user    `json:"from"`
	SenderChat *chatRef `json:"sender_chat"`
	Signature  string   `json:"author_signature"`
	Chat       chatRef  `json:"chat"`
	Date       int64    `json:"date"`
	EditDate   int64    `json:"edit_date"`
	ReplyTo    *message `json:"reply_to_message"`
	Group      string   `json:"media_group_id"`

	Text            string       `json:"text"`
	Entities        []entity     `json:"entities"`
	Caption         string       `json:"caption"`
	CaptionEntities []entity     `json:"caption_entities"`
	Rich            *richMessage `json:"rich_message"`
	media

	TopicCreated  *topicCreated    `json:"forum_topic_created"`
	TopicClosed   *json.RawMessage `json:"forum_topic_closed"`
	TopicReopened *json.RawMessage `json:"forum_topic_reopened"`
	MigrateTo     int64            `json:"migrate_to_chat_id"`
}

type topicCreated struct {
	Name string `json:"name"`
}

// about returns the message of an update, nil for none.
func (u *update) about() *message {
	if u.Message != nil {
		return u.Message
	}
	return u.Edited
}

// at returns when the message was written or edited.
func (m *message) at() chat.Time {
	return chat.TimeOf(time.Unix(max(m.Date, m.EditDate), 0))
}

func (m *message) ref() string { return strconv.FormatInt(m.Topic, 10) }

// decode parses a raw update.
func decode(raw []byte) (*update, error) {
	u := new(update)
	return u, json.Unmarshal(raw, u)
}
