package server_test

import (
	"strings"
	"testing"
)

// TestActionDeclarations: an administrator declares, tries and deletes actions; secrets stay with their
// server and are never answered; addresses within are refused.
func TestActionDeclarations(t *testing.T) {
	eachActing(t, func(t *testing.T, a *acting) {
		path := actionsPath + "/" + a.ids["order_status"]
		if all := string(a.must("GET", actionsPath, secretKey, nil).body); strings.Contains(all, "shop-secret") || !strings.Contains(all, `"hasSecret":true`) {
			t.Errorf("the list has %s", all)
		}
		trial := a.must("POST", path+"/try", secretKey, object{"arguments": object{"order": "4711"}, "person": "7"})
		if trial.get("made") != true || !strings.Contains(trial.text("answer"), "status: shipped") || strings.Contains(string(trial.body), "shop-secret") {
			t.Errorf("the trial answers %s", trial.body)
		}
		if other := a.must("POST", path+"/try", secretKey, object{"arguments": object{"order": "9999"}, "person": "7"}); !strings.Contains(other.text("error"), "404") {
			t.Errorf("the trial answers %s", other.body)
		}
		a.refused(a.call("POST", path+"/try", secretKey, object{"arguments": object{"order": "4711"}}), 400, "not verified")
		a.refused(a.call("POST", path+"/try", secretKey, object{"arguments": object{"order": 4711}, "person": "7"}), 400, "declared parameters")
		only := a.must("POST", actionsPath+"/"+a.ids["refund"]+"/try", secretKey, object{"arguments": object{"order": "4711"}, "person": "7"})
		if only.get("made") != false || !strings.Contains(only.text("shown"), "/refunds/4711") || len(a.shop.requests("POST")) > 0 {
			t.Errorf("the trial of a change answers %s", only.body)
		}
		for _, address := range []string{"http://169.254.169.254/{order}", "http://10.0.0.5/{order}", "http://[::ffff:169.254.169.254]/{order}"} {
			a.refused(a.call("PATCH", path, secretKey, object{"url": address}), 400, "is not allowed")
		}
		a.refused(a.call("POST", actionsPath, secretKey, object{"name": "order_status", "about": "x", "url": a.shop.URL}), 409, "another one")
		a.refused(a.call("POST", actionsPath, secretKey, object{"name": "x", "about": "x", "url": a.shop.URL, "parameters": object{"type": "array"}}), 400, "JSON Schema")
		moved := a.must("PATCH", path, secretKey, object{"url": "https://elsewhere.example/{order}"})
		if moved.get("hasSecret") != false {
			t.Errorf("the secret goes to another server: %s", moved.body)
		}
		a.must("DELETE", path, secretKey, nil)
		a.refused(a.call("DELETE", path, secretKey, nil), 404, "Action not found")
		a.must("PATCH", "/api/admin/settings", secretKey, object{"aiActionsPerDay": 0})
		v := a.visitor("7")
		a.model.Script(wants("order_raw", `{"order":"4711"}`))
		a.ask(v, "Where is my order 4711?")
		a.until("it answers without", v, func() bool { return strings.Contains(a.seen(v), `"sender":"ai"`) })
		if n := len(a.shop.requests("GET")); n != 2 {
			t.Errorf("the shop got %d requests", n)
		}
	})
}
