package bridgetest

import (
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// erased: a platform that deletes threads deletes one with all that is in it, old or
// new, and leaves the others alone. Deleting it again finds nothing.
func erased(e *fixture) {
	eraser, ok := e.Bridge.(chat.ThreadEraser)
	if !ok {
		return // relay deletes its messages one by one there
	}
	ann, bob := e.Visit("ann"), e.Visit("bob")
	e.Say(ann, "forget me")
	e.Say(bob, "not me")
	th, other := e.thread("forget me"), e.thread("not me")
	e.platform.Write(th.Ref, "Ada", "I will", "")
	e.received(ann, "I will")
	e.quiet()
	known := chat.Thread{Bridge: e.Bridge.Name(), Channel: e.Bridge.Channel(), Ref: th.Ref, SessionID: ann}
	if err := eraser.EraseThread(e.t.Context(), known); err != nil {
		e.t.Fatal(err)
	}
	there := func(ref string) bool {
		return slices.ContainsFunc(e.platform.Threads(), func(t Thread) bool { return t.Ref == ref })
	}
	if there(th.Ref) || !there(other.Ref) {
		e.t.Errorf("after deleting %s:\n%s", th.Ref, e.dump())
	}
	if err := eraser.EraseThread(e.t.Context(), known); err == nil {
		e.t.Error("a thread is deleted twice")
	}
	known.Ref = "no id"
	if err := eraser.EraseThread(e.t.Context(), known); err == nil {
		e.t.Error("something that is no thread was deleted")
	}
}
