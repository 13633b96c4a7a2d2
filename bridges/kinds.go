package bridges

import (
	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/bridges/platform"
	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/server/chat"
)

// What the platforms' folders are made of, see package platform.
type (
	Kind  = platform.Kind
	Env   = platform.Env
	Setup = platform.Setup
)

// Kinds are the bridges that relay knows: the table of the platforms.
func Kinds(env Env) []Kind {
	return []Kind{
		telegram.Kind(env),
		discord.Kind(env),
		slack.Kind(env),
	}
}

// Names are the platforms' names.
func Names() (names []string) {
	for _, k := range Kinds(Env{}) {
		names = append(names, k.Name)
	}
	return names
}

// Settings declares every setting of a relay with these bridges.
func Settings() []chat.Setting {
	var list []chat.Setting
	for _, k := range Kinds(Env{}) {
		for _, s := range k.Settings {
			s.Bridge = k.Name
			list = append(list, s)
		}
	}
	return chat.SettingList(list...)
}

var (
	_ Receiving = (*telegram.Bridge)(nil)
	_ Receiving = (*discord.Bridge)(nil)
	_ Receiving = (*slack.Bridge)(nil)
	_ Trying    = (*telegram.Bridge)(nil)
	_ Trying    = (*discord.Bridge)(nil)
	_ Trying    = (*slack.Bridge)(nil)
)
