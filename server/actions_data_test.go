package server_test

import (
	"strings"
	"testing"
)

// TestActsOfAVisitor: what the AI did for a visitor is in the visitor's export, and goes with the
// conversation.
func TestActsOfAVisitor(t *testing.T) {
	eachActing(t, func(t *testing.T, a *acting) {
		a.model.Script(wants("refund", `{"order":"4711"}`))
		v := a.visitor("7")
		a.ask(v, "Please refund my order 4711.")
		a.reads(v, "Nothing is done yet.")
		a.yes(v, "!yes")
		a.reads(v, "refund: booked")
		files := unzip(t, a.must("GET", "/api/admin/visitors/export?visitor="+v.id, secretKey, nil).body)
		acts := files["sessions/"+v.id+"/acts.json"]
		for _, part := range []string{`"name": "refund"`, `/refunds/4711`, `"state": "done"`, `"person": "7"`, `4711`, `booked`} {
			if !strings.Contains(acts, part) {
				t.Errorf("the export has %q, which lacks %s", acts, part)
			}
		}
		if strings.Contains(acts, "shop-secret") {
			t.Errorf("the export has %s", acts)
		}
		a.must("DELETE", "/api/admin/sessions/"+v.id, secretKey, nil)
		if left := string(a.must("GET", actsPath, secretKey, nil).body); strings.Contains(left, "4711") {
			t.Errorf("after the erasure there is %s", left)
		}
	})
}
