package telegram

import (
	"context"

	"github.com/PaulSonOfLars/gotgbot/v2"
)

// commands are what Telegram offers a member of the group who types "/"
// there (contract.md 6, operator commands).
var commands = []gotgbot.BotCommand{
	{Command: "help", Description: "What you can do here"},
	{Command: "close", Description: "Close this conversation"},
	{Command: "reopen", Description: "Open this conversation again"},
	{Command: "info", Description: "Show who the visitor is"},
	{Command: "note", Description: "Write a note that the visitor does not see"},
	{Command: "delete", Description: "As a reply: delete that message everywhere"},
	{Command: "read", Description: "Mark the visitor's messages as read"},
	{Command: "online", Description: "Show operators as online"},
	{Command: "offline", Description: "Show operators as offline"},
	{Command: "block", Description: "Block this visitor"},
	{Command: "unblock", Description: "Let this visitor write again"},
}

// offerCommands puts the commands into the group's menu.
func (b *Bridge) offerCommands(ctx context.Context) error {
	_, err := b.bot.SetMyCommandsWithContext(ctx, commands, &gotgbot.SetMyCommandsOpts{
		Scope: gotgbot.BotCommandScopeChat{ChatId: b.group.Load()}})
	return translate(err, true)
}
