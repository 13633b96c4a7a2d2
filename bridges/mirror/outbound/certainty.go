package outbound

import (
	"github.com/relay-chat/relay/bridges/mirror/platform"
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
	if platform.IsAmbiguous(err) {
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

// mark notes in the deliveries what is certain of them: all of a batch that may have
// arrived must be asked for again, and what is not under way has never left relay.
func (out *outcome) mark(lane []chat.Delivery, before certainty) {
	state := chat.DeliveryPending
	switch {
	case platform.IsAmbiguous(out.err):
		state = chat.DeliverySending
	case before != unknown || out.came == unknown:
		return
	}
	for i := range lane[:out.batch] {
		lane[i].State = state
	}
}
