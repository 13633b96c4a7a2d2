package telegram

import (
	"context"
	"strconv"

	"github.com/relay-chat/relay/server/chat"
)

// Beside implements [chat.Besides]: another group of the same bot, with messages of its own
// to a minute.
func (b *Bridge) Beside(chatID string) (chat.Bridge, error) {
	cfg := b.receiver.cfg
	cfg.ChatID = chatID
	group, err := parseGroup(chatID)
	if err != nil {
		return nil, err
	}
	made := assemble(cfg, b.client.beside(group, cfg.Budget), b.receiver.status)
	made.checker.beside = true
	b.receiver.add(made.receiver)
	return made, nil
}

// beside makes the calls of the same bot in another group.
func (c *client) beside(group int64, perMinute int) *client {
	made := &client{log: c.log, bot: c.bot, caller: c.caller, budget: newBudget(perMinute), username: c.username}
	made.group.Store(group)
	return made
}

// add lets a receiver of another group receive by this one's connection.
func (r *receiver) add(other *receiver) { r.receivers = append(r.receivers, other) }

// Tell implements [chat.Besides]: the text stands in the group's topic General.
func (b *Bridge) Tell(ctx context.Context, text string) error {
	return b.client.spend(ctx, inTurn, false, func(ctx context.Context) error {
		_, err := b.client.bot.SendMessageWithContext(ctx, b.client.group.Load(), text, nil)
		return err
	})
}

// Places lists the groups that the bot was added to since relay was started, each with what
// it lacks: Telegram tells nobody which groups a bot is in.
func (b *Bridge) Places(ctx context.Context) (list []chat.Place, err error) {
	return b.client.places(ctx, &b.receiver.groups), nil
}

// places looks at groups.
func (c *client) places(ctx context.Context, in *groups) (list []chat.Place) {
	for _, g := range in.list() {
		place := chat.Place{ID: strconv.FormatInt(g.id, 10), Name: g.title}
		list = append(list, place.WithProblem("Telegram", c.beside(g.id, 0).checkGroup(ctx)))
	}
	return list
}

// checkGroup returns what a group lacks.
func (c *client) checkGroup(ctx context.Context) error {
	if _, err := c.readGroup(ctx); err != nil {
		return err
	}
	_, err := c.readRights(ctx)
	return err
}
