package discord

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"
)

// right is a permission (Discord, "Permissions").
type right struct {
	bit  int64
	name string
	// optional describes what does not work without it, "" if it is required.
	optional string
}

// rights are the bot's permissions in its channel.
var rights = []right{
	{discordgo.PermissionViewChannel, "View Channel", ""},
	{discordgo.PermissionSendMessages, "Send Messages", ""},
	{discordgo.PermissionSendMessagesInThreads, "Send Messages in Threads", ""},
	{discordgo.PermissionCreatePublicThreads, "Create Public Threads", ""},
	{discordgo.PermissionEmbedLinks, "Embed Links", ""},
	{discordgo.PermissionAttachFiles, "Attach Files", ""},
	{discordgo.PermissionReadMessageHistory, "Read Message History", ""},
	{discordgo.PermissionAddReactions, "Add Reactions", "visitors' read receipts are not shown"},
	{discordgo.PermissionSendVoiceMessages, "Send Voice Messages", "visitors' voice messages are shown as files"},
	{discordgo.PermissionManageThreads, "Manage Threads", "a thread that an operator locked is continued in a new one"},
	{discordgo.PermissionManageMessages, "Manage Messages", "!delete does not remove operators' own messages on Discord"},
}

// allRights returns the permissions of the invite link.
func allRights() (bits int64) {
	for _, r := range rights {
		bits |= r.bit
	}
	return bits
}

// inviteLink returns the address at which a server's owner adds the bot.
func inviteLink(app string) string {
	q := url.Values{"client_id": {app}, "scope": {"bot applications.commands"}, "permissions": {strconv.FormatInt(allRights(), 10)}}
	return "https://discord.com/oauth2/authorize?" + q.Encode()
}

type role struct {
	ID          string `json:"id"`
	Permissions int64  `json:"permissions,string"`
}

// permissions computes what a member may do in a channel (Discord, "Permission
// Overwrites"): the roles' rights, then what the channel changes for all, for
// the roles together, and for the member.
func permissions(at *channel, all []role, member string, has []string) int64 {
	var may int64
	for _, r := range all {
		if r.ID == at.Guild || slices.Contains(has, r.ID) {
			may |= r.Permissions
		}
	}
	if may&discordgo.PermissionAdministrator != 0 {
		return -1 // all
	}
	var allow, deny int64
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
	return may
}
