package bridgetest

import (
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// aiAnswers: operators see what the AI says, as the AI's and with its sources. Their
// first word ends it, and !send sends what it proposes.
func aiAnswers(e *fixture) {
	id := e.Visit("ann")
	e.Say(id, "when do you open?")
	th := e.thread("when do you open?")
	reply := func(name, content string) engine.AIReply {
		turn, err := e.AITurn(e.t.Context(), &chat.Delivery{SessionID: id})
		e.must(err)
		return engine.AIReply{SessionID: id, ClientID: name, Name: "Robo", Content: content, Seen: turn.Seen}
	}
	answer := reply("one", "At <b>seven</b>.\n\n[[Thank you]] [[And on Sunday?]]")
	answer.Sources = chat.Sources{{Title: "Hours & more", URL: "https://shop.example/hours"}}
	_, err := e.AIAnswer(e.t.Context(), answer)
	e.must(err)
	m := e.shows(th.Ref, "At <b>seven</b>.")
	for _, want := range []string{"Robo (AI)", "Hours & more", "https://shop.example/hours", "▸ Thank you\n▸ And on Sunday?"} {
		if !strings.Contains(plain(m.Text), want) || !m.FromBot {
			e.t.Errorf("the answer does not show %q: %+v", want, m)
		}
	}
	e.shows(th.Ref, "The AI answers now")

	thinking := reply("two", "too late")
	e.platform.Write(th.Ref, "Ada", "I take over", "")
	e.received(id, "I take over")
	out, err := e.AIAnswer(e.t.Context(), thinking)
	e.must(err)
	e.Say(id, "thank you")
	if out != engine.AIDropped {
		e.t.Errorf("behind the operator's word it answers: %v", out)
	}
	draftsAreSent(e, id, th.Ref, reply("three", "Shall I *send* this?"))
}

// draftsAreSent: a draft is a note of which !send makes a message, once.
func draftsAreSent(e *fixture, id, thread string, draft engine.AIReply) {
	draft.Asked = true
	_, err := e.AINote(e.t.Context(), draft, true)
	e.must(err)
	note := e.shows(thread, draft.Content)
	if !strings.Contains(plain(note.Text), "!send sends it") {
		e.t.Errorf("the draft does not say what to do: %+v", note)
	}
	e.platform.Write(thread, "Ada", "!send", "")
	e.shows(thread, "Sent to the visitor: "+draft.Content)
	e.await("the answer elsewhere", func() bool { return e.other.times("message "+draft.Content) == 1 })
	e.shows(thread, draft.Content+"\n(sent)")
	e.platform.Write(thread, "Ada", "!send", "")
	e.shows(thread, "There is no draft to send")
	sent := 0
	for _, m := range e.Messages(id) {
		if m.Content == draft.Content && !m.Internal && m.Sender == chat.SenderOperator && m.OperatorName == "Ada" {
			sent++
		}
	}
	if sent != 1 {
		e.t.Errorf("it was sent %d times", sent)
	}
}
