package telegram

import (
	"github.com/relay-chat/relay/bridges/naming"
)

// names names topics: 1 to 128 characters (Bot API, createForumTopic). A session
// whose id is too long for a token gets a new topic after a restart. The limits
// leave room for a short title.
var names = naming.Names{Limit: 128, Plain: 110, Encoded: 82}
