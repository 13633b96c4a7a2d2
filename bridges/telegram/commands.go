package telegram

import (
	"context"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/server/chat"
)

// offerCommands puts the commands into the menu that Telegram shows to whoever
// types "/" in the group.
func (b *Bridge) offerCommands(ctx context.Context) error {
	menu := make([]gotgbot.BotCommand, len(chat.Commands))
	for i, c := range chat.Commands {
		menu[i] = gotgbot.BotCommand{Command: c.Name, Description: cut.To(c.Help, maxHelp)}
	}
	_, err := b.bot.SetMyCommandsWithContext(ctx, menu, &gotgbot.SetMyCommandsOpts{Scope: gotgbot.BotCommandScopeChat{ChatId: b.group.Load()}})
	return translate(err, true)
}

// maxHelp is how long a command's description may be (Bot API, BotCommand).
const maxHelp = 256
