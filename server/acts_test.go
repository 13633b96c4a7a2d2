package server_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/relay-chat/relay/bridges/ai/aitest"
)

// act is the newest act in a conversation.
func (a *acting) act(v boundSession) map[string]any {
	a.t.Helper()
	list := a.must("GET", actsPath+"?session="+v.id, secretKey, nil).get("acts").([]any)
	if len(list) == 0 {
		a.t.Fatal("nothing was asked for")
	}
	return list[0].(map[string]any)
}

// TestActionDecidedTwice: of several who decide at once one is heard, and the others are told who was first.
func TestActionDecidedTwice(t *testing.T) {
	eachActing(t, func(t *testing.T, a *acting) {
		a.model.Script(wants("refund", `{"order":"4711"}`))
		v := a.visitor("7")
		a.ask(v, "Please refund my order 4711.")
		a.reads(v, "Nothing is done yet.")
		one := a.act(v)
		request := one["request"].(map[string]any)
		if request["method"] != "POST" || "http://"+request["address"].(string) != a.shop.URL+"/refunds/4711" || !strings.Contains(a.read(v), one["note"].(string)) {
			t.Errorf("people are shown %v", one)
		}
		path := actsPath + "/" + one["id"].(string)
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() { a.call("POST", path, secretKey, object{"yes": i%2 == 0}) })
		}
		all.Wait()
		a.until("it is decided", v, func() bool { return a.state(v) == "done" || a.state(v) == "declined" })
		a.yes(v, "!yes "+one["id"].(string))
		a.reads(v, "does not wait for a yes any more: it is "+a.state(v))
		a.refused(a.call("POST", path, secretKey, object{"yes": true}), 409, "It does not wait for a yes any more: it is "+a.state(v))
		if n := len(a.shop.requests("POST")); n > 1 || (n == 1) != (a.state(v) == "done") {
			t.Errorf("it is %s after %d requests", a.state(v), n)
		}
	})
}

// TestActionTooLong: nobody says yes to what cannot be shown as a whole.
func TestActionTooLong(t *testing.T) {
	eachActing(t, func(t *testing.T, a *acting) {
		long := object{"type": "object", "properties": object{"a": object{"type": "string"}, "amount": object{"type": "number"}}}
		a.must("POST", actionsPath, secretKey, object{"name": "pay", "about": "Pays.", "method": "POST", "changes": true, "url": a.shop.URL + "/pay", "parameters": long})
		for filler, said := range map[string]string{strings.Repeat("x", 2000): "too long to be shown", strings.Repeat("x", 1500): "Nothing is done yet."} {
			a.model.Script(func(r aitest.Request) aitest.Answer { return wants("pay", `{"a":"`+filler+`","amount":100000}`)(r) })
			v := a.visitor("7")
			a.ask(v, "Please pay me.")
			a.reads(v, said)
		}
	})
}
