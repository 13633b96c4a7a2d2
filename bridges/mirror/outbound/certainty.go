package outbound

import (
	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
)

// certainty is what is known of the op under way; there is only one at a time.
type certainty int

// An op that was sent has made something: whatever comes behind it has never left
// relay. An edit or a delete proves nothing, because it may concern a message that an
// earlier attempt had sent.
const (
	refused certainty = iota // it was not carried out
	unknown                  // it may have been
	sent                     // it was
)

// after is the certainty after an error.
func (c certainty) after(err error) certainty {
	if access.IsAmbiguous(err) {
		return unknown
	}
	return c
}

// outcome is what came of the deliveries at the head of a lane.
type outcome struct {
	batch  int // how many
	thread chat.Thread
	came   certainty
	err    error
}
