package discord

import (
	"encoding/json"

	"github.com/relay-chat/relay/server/chat"
)

// typeListed is the type of relay's own event after it read a thread.
const typeListed = "RELAY_LISTED"

// listing is what a reading found: the messages of a thread after one of them.
type listing struct {
	Channel string   `json:"channel_id"`
	Since   string   `json:"since"`
	IDs     []string `json:"ids"`
}

func (e *event) listed() ([]chat.Inbound, error) {
	var l listing
	if err := json.Unmarshal(e.Data, &l); err != nil {
		return nil, err
	}
	if l.Channel == "" {
		return nil, errNoID
	}
	in := e.in(chat.InboundListed, l.Channel)
	in.Since, in.Standing = l.Since, l.IDs
	return []chat.Inbound{in}, nil
}
