package mirror

import (
	"context"
	"errors"
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// warnOfLeftover warns of a deleted message that an uncertain attempt may have made,
// where the platform cannot be searched and there is a thread.
func (run *deliveryRun) warnOfLeftover(ctx context.Context, rm *renderedMessage) ([]step, error) {
	_, recalls := run.mirror.bridge.(chat.Recaller)
	_, finds := run.mirror.bridge.(chat.Finder)
	gone := !slices.ContainsFunc(rm.messages, func(m messageCopies) bool { return m.DeletedAt == 0 })
	first := &rm.messages[0]
	if recalls || finds || !rm.fresh || !run.uncertain || !gone || len(first.links) > 0 {
		return nil, nil
	}
	_, err := run.thread(ctx, false)
	if errors.Is(err, errNoThread) {
		return nil, nil
	}
	op := chat.Op{Kind: chat.OpNote, Text: perhapsHereText(&first.Message)}
	return []step{{op: op, shows: []string{engine.Placeholder("perhaps " + first.ID)}, rev: rm.rev}}, err
}
