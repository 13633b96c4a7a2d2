package mirror_test

import (
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestSavedAnswers: !name sends from every thread an answer saved in one: once, as their own
// message, also as a reply. Nothing else of it reaches the visitor.
func TestSavedAnswers(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		asked := o.say(t, id, "When are you open?")
		o.soon()
		o.receive(f, f.in(0, "x1", "!save !Hours We are open\nfrom 9 to 17."))
		o.soon()
		expectTexts(t, "answers", f.shown(0)[1:], "- Saved. !hours sends it to the visitor.")
		reply := f.in(0, "x2", "/hours@relay_bot")
		reply.ReplyTo = f.remote(0, 0)
		o.receive(f, reply)
		o.receive(f, reply)
		o.soon()
		expectTexts(t, "messages", o.messages(id), "visitor: When are you open?", "operator: We are open\nfrom 9 to 17.")
		expectTexts(t, "answers", f.shown(0)[2:], "- Sent to the visitor: We are open\nfrom 9 to 17.")
		if got := other.shown(0); len(got) != 2 || got[1] == "/hours@relay_bot" {
			t.Errorf("the other platform shows %q", got)
		}
		o.must(o.store.ReadOne(t.Context(), func(r chat.Reader) error {
			list, err := r.Messages(chat.MessageQuery{SessionID: id, Limit: 10})
			if err == nil && (list[1].ReplyTo != asked.ID || list[1].SourceBridge != "telegram") {
				t.Errorf("it is %+v", list[1])
			}
			return err
		}))
		o.receive(other, other.in(0, "y1", "!huors"))
		o.receive(other, other.in(0, "y2", "!hours please"))
		o.receive(other, other.in(0, "y2b", "One moment.\n!hours"))
		o.receive(other, other.in(0, "y3", "!forget hours"))
		o.receive(other, other.in(0, "y4", "!hours"))
		o.receive(other, other.in(0, "y5", "!forget hours"))
		o.soon()
		expectTexts(t, "answers", other.shown(0)[2:],
			"- There is no command !huors, and the visitor did not see this. Did you mean !hours?",
			"- Nothing was sent: !hours is a saved answer and takes no text behind it.",
			"- Not sent: a line starts with // or with a command. Remove that line and send the rest again, or start the message with // to make all of it an internal note.",
			"- !hours is forgotten.",
			"- There is no command !hours, and the visitor did not see this. !help lists the commands.",
			"- Saved answer not found.")
		if n := len(o.messages(id)); n != 2 {
			t.Errorf("the session has %d messages", n)
		}
	}, f, other)
}

// !save as a reply saves the message replied to, the visitor's or an operator's.
func TestSavesTheMessageRepliedTo(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		o.say(t, id, "Hello?")
		o.soon()
		o.receive(f, f.in(0, "x1", "Please restart the router."))
		o.soon()
		save := f.in(0, "x2", "!save router")
		save.ReplyTo = "x1"
		o.receive(f, save)
		o.receive(f, f.in(0, "x3", "!save router"))
		o.receive(f, f.in(0, "x4", "!save close text"))
		o.receive(f, f.in(0, "x5", "!saved"))
		o.soon()
		expectTexts(t, "answers", f.shown(0)[1:],
			"- Saved. !router sends it to the visitor.",
			"- Write !save name text, or !save name as a reply to the message to save.",
			"- !close is a command; choose another name.",
			"- Saved answers:\n!router – Please restart the router.")
		if n := len(o.messages(id)); n != 2 {
			t.Errorf("the session has %d messages", n)
		}
	}, f)
}
