package telegram

import (
	"context"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/server/chat"
)

// offerCommands puts the commands into the menu that Telegram shows to whoever
// types "/" in the group.
func (c *client) offerCommands(ctx context.Context) error {
	menu := make([]gotgbot.BotCommand, len(chat.Commands))
	for i, command := range chat.Commands {
		menu[i] = gotgbot.BotCommand{Command: command.Name, Description: cut.To(command.Help, maxHelp)}
	}
	_, err := c.bot.SetMyCommandsWithContext(ctx, menu, &gotgbot.SetMyCommandsOpts{Scope: gotgbot.BotCommandScopeChat{ChatId: c.group.Load()}})
	return translate(err, true)
}

// maxHelp is how long a command's description may be (Bot API, BotCommand).
const maxHelp = 256
