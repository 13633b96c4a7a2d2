package discord

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// right is a permission (Discord, "Permissions").
type right struct {
	bit  uint64
	name string
	// optional describes what does not work without it, "" if it is required.
	optional string
}

// rights are the bot's permissions in its channel.
var rights = []right{
	{1 << 10, "View Channel", ""},
	{1 << 11, "Send Messages", ""},
	{1 << 38, "Send Messages in Threads", ""},
	{1 << 35, "Create Public Threads", ""},
	{1 << 14, "Embed Links", ""},
	{1 << 15, "Attach Files", ""},
	{1 << 16, "Read Message History", ""},
	{1 << 6, "Add Reactions", "visitors' read receipts are not shown"},
	{manageThreads, "Manage Threads", "a thread that an operator locked is continued in a new one"},
	{1 << 13, "Manage Messages", "!delete does not remove operators' own messages on Discord"},
}

const (
	administrator = 1 << 3
	manageThreads = 1 << 34
)

// allRights returns the permissions of the invite link.
func allRights() (bits uint64) {
	for _, r := range rights {
		bits |= r.bit
	}
	return bits
}

// inviteLink returns the address at which a server's owner adds the bot.
func inviteLink(app string) string {
	q := url.Values{"client_id": {app}, "scope": {"bot applications.commands"}, "permissions": {strconv.FormatUint(allRights(), 10)}}
	return "https://discord.com/oauth2/authorize?" + q.Encode()
}

// bits is a set of permissions: a number in a string.
type bits uint64

// UnmarshalJSON implements [json.Unmarshaler].
func (b *bits) UnmarshalJSON(raw []byte) error {
	n, err := strconv.ParseUint(strings.Trim(string(raw), `"`), 10, 64)
	if err != nil {
		return fmt.Errorf("permissions: %w", err)
	}
	*b = bits(n)
	return nil
}

// overwrite allows and denies permissions of a role or a member in a channel.
type overwrite struct {
	ID    string `json:"id"`
	Kind  int    `json:"type"`
	Allow bits   `json:"allow"`
	Deny  bits   `json:"deny"`
}

type role struct {
	ID          string `json:"id"`
	Permissions bits   `json:"permissions"`
}

// permissions computes what a member may do in a channel (Discord, "Permission
// Overwrites"): the roles' rights, then what the channel changes for all, for
// the roles together, and for the member.
func permissions(at *channel, all []role, member string, has []string) uint64 {
	var may bits
	for _, r := range all {
		if r.ID == at.Guild || slices.Contains(has, r.ID) {
			may |= r.Permissions
		}
	}
	if may&administrator != 0 {
		return ^uint64(0)
	}
	var allow, deny bits
	for _, o := range at.Overwrites {
		switch {
		case o.ID == at.Guild:
			may = may&^o.Deny | o.Allow
		case slices.Contains(has, o.ID):
			allow, deny = allow|o.Allow, deny|o.Deny
		}
	}
	may = may&^deny | allow
	for _, o := range at.Overwrites {
		if o.ID == member {
			may = may&^o.Deny | o.Allow
		}
	}
	return uint64(may)
}
