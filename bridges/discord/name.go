package discord

import "github.com/relay-chat/relay/bridges/naming"

// names names threads: 1 to 100 characters (Discord, "Start Thread"). anchors are
// the tokens of their first messages, which hold longer ids.
var (
	names   = naming.Names{Limit: 100, Plain: 40, Encoded: 40}
	anchors = naming.Names{Plain: 40, Encoded: 1000}
)
