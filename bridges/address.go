package bridges

import (
	"net/netip"
	"strings"

	"github.com/relay-chat/relay/bridges/guard"
	"github.com/relay-chat/relay/server/chat"
)

// refuseAddress says at a field why relay never connects to its address, as far as the address alone
// shows; nil when it may. way is how one in a private network, ADDRESS, can be allowed.
func refuseAddress(field, address string, allowed []netip.Prefix, way string) (private bool, refused *chat.Error) {
	at, err := guard.Refuse(address, allowed)
	if err == nil {
		return false, nil
	}
	text := "is not allowed: relay never connects to link-local and metadata addresses; use a public address"
	if at.IsValid() {
		text = "is not allowed: " + at.String() + " is in a private network; " + strings.ReplaceAll(way, "ADDRESS", at.String())
	}
	return at.IsValid(), &chat.Error{Kind: chat.Invalid, Text: field + " " + text, Fields: map[string]string{field: text}}
}
