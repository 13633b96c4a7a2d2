package outbound

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// kinds are the ops of steps, in words.
func kinds(steps []step) string {
	words := map[chat.OpKind]string{opReserve: "reserve", chat.OpOpen: "open", chat.OpPost: "post", chat.OpEdit: "edit", chat.OpDelete: "delete",
		chat.OpReact: "react", chat.OpNote: "note", chat.OpClose: "close", chat.OpReopen: "reopen"}
	list := make([]string, len(steps))
	for i, st := range steps {
		list[i] = words[st.op.Kind]
	}
	return strings.Join(list, " ")
}

// TestPlans: what is missing of a message, and nothing else, whichever event finds it.
func TestPlans(t *testing.T) {
	p := planner{split: func(op chat.Op) []chat.Op { return []chat.Op{op} }}
	copied := []chat.Link{{Remote: "1", Rev: 1}}
	text := chat.Message{ID: "m", Sender: chat.SenderVisitor, Content: "hello"}
	gone := text
	gone.DeletedAt = 1
	other := text
	other.ID = "n"
	for name, tt := range map[string]struct {
		event    chat.EventType
		messages []copies
		came     certainty
		want     string
		opens    bool
		more     int
	}{
		"a session":         {event: chat.EventNewSession, opens: true},
		"a message":         {event: chat.EventMessage, messages: []copies{{Message: text}}, want: "post", opens: true},
		"two that wait":     {event: chat.EventMessage, messages: []copies{{Message: text}, {Message: other}}, want: "reserve post", opens: true, more: 1},
		"one that is there": {event: chat.EventMessage, messages: []copies{{Message: text, links: copied}}},
		"an edit":           {event: chat.EventMessageEdited, messages: []copies{{Message: text, links: copied}}, want: "edit"},
		"a delete":          {event: chat.EventMessageDeleted, messages: []copies{{Message: gone, links: copied}}, want: "delete"},
		"deleted in time":   {event: chat.EventMessage, messages: []copies{{Message: gone}}},
		"deleted in doubt":  {event: chat.EventMessage, messages: []copies{{Message: gone}}, came: unknown, want: "note", opens: true},
		"a status":          {event: chat.EventSessionClosed, want: "note close"},
	} {
		v := view{lane: []chat.Delivery{{Rev: 2, Event: chat.Event{Type: tt.event, Source: "api"}}}, came: tt.came, messages: tt.messages, thread: chat.Thread{Ref: "t"}}
		pl, err := p.plan(v)
		if err != nil || kinds(pl.steps) != tt.want || pl.opens != tt.opens || pl.more != tt.more {
			t.Errorf("%s: %q, opens %v, %d more, %v", name, kinds(pl.steps), pl.opens, pl.more, err)
		}
		if again, _ := p.plan(v); kinds(again.steps) != kinds(pl.steps) {
			t.Errorf("%s is planned anew as %q", name, kinds(again.steps))
		}
	}
}

// TestInstead: what stands for a step that failed.
func TestInstead(t *testing.T) {
	odd, down := fmt.Errorf("%w: odd", chat.ErrPermanent), errors.New("down")
	note := &step{op: chat.Op{Kind: chat.OpNote}}
	for name, tt := range map[string]struct {
		st   step
		err  error
		want string
		ends error
	}{
		"a post that waits":     {step{op: chat.Op{Kind: chat.OpPost}}, down, "", down},
		"a refused post":        {step{op: chat.Op{Kind: chat.OpPost}}, odd, "note", nil},
		"its note":              {step{op: chat.Op{Kind: chat.OpNote}, replaces: odd, final: true}, nil, "", odd},
		"a refused file":        {step{op: chat.Op{Kind: chat.OpPost}, fallback: note}, odd, "note", nil},
		"a file that is away":   {step{op: chat.Op{Kind: chat.OpPost}, fallback: note}, fmt.Errorf("open: %w", unreadable{down}), "note", nil},
		"a reply to nothing":    {step{op: chat.Op{Kind: chat.OpPost, ReplyTo: "1"}}, chat.ErrMessageGone, "post", nil},
		"an edit of nothing":    {step{op: chat.Op{Kind: chat.OpEdit}}, chat.ErrMessageGone, "delete post", nil},
		"a delete of nothing":   {step{op: chat.Op{Kind: chat.OpDelete}}, chat.ErrMessageGone, "delete", nil},
		"a message that stays":  {step{op: chat.Op{Kind: chat.OpDelete}, fallback: note}, chat.ErrMessageStays, "note delete", nil},
		"a close without right": {step{op: chat.Op{Kind: chat.OpClose}, optional: true}, odd, "close", nil},
		"a refused receipt":     {step{op: chat.Op{Kind: chat.OpReact}, optional: true}, odd, "", nil},
	} {
		next, ends := tt.st.then(&chat.Delivery{Attempts: fileAttempts}, tt.err, false)
		if kinds(next) != tt.want || !errors.Is(ends, tt.ends) {
			t.Errorf("%s: %q, %v; want %q, %v", name, kinds(next), ends, tt.want, tt.ends)
		}
		calls := slices.ContainsFunc(next, func(st step) bool { return !st.assumed && (st.op.Kind == chat.OpDelete || st.op.Kind == chat.OpClose) })
		if calls {
			t.Errorf("%s: what is gone or refused is called again", name)
		}
	}
}
