package engine

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/relay-chat/relay/server/chat"
)

const notInBackend = "Your website's backend keeps the conversations; this has no effect here."

// assign gives the conversation to a person.
func (c *commandContext) assign(ctx context.Context) (CommandResult, error) {
	if c.relay.backend {
		return answer(notInBackend, nil)
	}
	if c.args == "" {
		return answer("Write !assign and a name, such as !assign @ada, !assign me or !assign nobody.", nil)
	}
	p, err := c.relay.PersonCalled(ctx, c.by, c.args)
	if err != nil {
		return CommandResult{}, err
	}
	err = c.relay.Organise(ctx, c.by, c.sessionID, Organising{Assignee: &p.ID})
	if p.ID == "" {
		return answer("The conversation is nobody's.", err)
	}
	return answer("The conversation is "+p.Name+"'s.", err)
}

// tag adds tags, and takes away those with a minus before them.
func (c *commandContext) tag(ctx context.Context) (CommandResult, error) {
	if c.relay.backend {
		return answer(notInBackend, nil)
	}
	var o Organising
	for _, word := range strings.Split(c.args, ",") {
		word = strings.TrimSpace(word)
		if gone, found := strings.CutPrefix(word, "-"); found {
			o.Remove = append(o.Remove, gone)
		} else if word != "" {
			o.Add = append(o.Add, word)
		}
	}
	if err := c.relay.Organise(ctx, c.by, c.sessionID, o); err != nil {
		return CommandResult{}, err
	}
	s, err := c.session(ctx)
	tags := s.TagList()
	if len(tags) == 0 {
		return answer("No tags. !tag word adds one.", err)
	}
	return answer("Tags: "+strings.Join(tags, ", ")+".", err)
}

// snooze takes the conversation from the waiting ones for a while.
func (c *commandContext) snooze(ctx context.Context) (CommandResult, error) {
	if c.relay.backend {
		return answer(notInBackend, nil)
	}
	until := chat.Time(0)
	if off := strings.ToLower(c.args); off != "off" {
		pause, ok := parsePause(off)
		if !ok {
			return answer("Write !snooze and how long: 30m, 2h, 3d. !snooze off ends it.", nil)
		}
		until = chat.Now().Add(pause)
	}
	err := c.relay.Organise(ctx, c.by, c.sessionID, Organising{Until: &until})
	if until == 0 {
		return answer("The snooze ended.", err)
	}
	return answer("Snoozed until "+until.Std().Format("2 January 15:04 UTC")+", or until the visitor writes.", err)
}

// parsePause reads a number with m, h, d or w behind it; a number alone counts hours.
func parsePause(text string) (time.Duration, bool) {
	digits := strings.TrimRightFunc(text, unicode.IsLetter)
	n, err := strconv.Atoi(strings.TrimSpace(digits))
	unit, known := map[string]time.Duration{"m": time.Minute, "min": time.Minute, "": time.Hour, "h": time.Hour, "d": 24 * time.Hour,
		"w": 7 * 24 * time.Hour}[text[len(digits):]]
	if err != nil || !known || n <= 0 || n > 10_000 {
		return 0, false
	}
	return time.Duration(n) * unit, true
}
