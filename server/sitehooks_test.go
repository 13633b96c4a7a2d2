package server_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

// TestMoveHooks: the hooks of a site move with it, paused and without their secrets, once.
func TestMoveHooks(t *testing.T) {
	from := newSite(t, dbtest.Memory(t))
	from.addSite("Shop Berlin", "id", "berlin")
	made := func(path string, body object) answer { return from.must("POST", path, secretKey, body) }
	crm := made("/api/admin/hooks?site=berlin", object{"name": "CRM", "url": "https://crm.example.com/relay", "events": []string{"new_session", "visitor_message"}})
	ended := made("/api/admin/hooks?site=berlin", object{"name": "Ended", "url": "https://ended.example.com/", "events": []string{"new_session"}})
	from.must("DELETE", "/api/admin/hooks/"+ended.text("id"), secretKey, nil)
	made("/api/admin/hooks", object{"name": "Elsewhere", "url": "https://elsewhere.example.com/", "events": []string{"new_session"}})
	ci := made("/api/admin/incoming-hooks?site=berlin", object{"name": "CI", "may": []string{"note", "tag"}, "signed": true})
	packed := from.exported("berlin")
	address := ci.text("url")
	for _, hidden := range []string{crm.text("secret"), ci.text("secret"), address[strings.LastIndex(address, "/")+1:], "Ended", "Elsewhere"} {
		if hidden == "" || bytes.Contains(unzipped(t, packed), []byte(hidden)) {
			t.Errorf("the export has %q", hidden)
		}
	}
	to := newSite(t, dbtest.Memory(t))
	for range 2 {
		done := to.send("POST", "/api/admin/site-imports", "application/zip", packed)
		if done.status != 200 {
			t.Fatalf("importing answers %d %s", done.status, done.body)
		}
		notes := fmt.Sprint(done.get("notes"))
		if first := strings.Contains(notes, "“CRM” is paused: make a new secret") && strings.Contains(notes, "“CI” is paused: make a new address"); first != (notes != "[]") {
			t.Errorf("it notes %s", notes)
		}
	}
	hooks := to.must("GET", "/api/admin/hooks?site=berlin", secretKey, nil).get("hooks").([]any)
	incoming := to.must("GET", "/api/admin/incoming-hooks?site=berlin", secretKey, nil).get("hooks").([]any)
	if len(hooks) != 1 || len(incoming) != 1 {
		t.Fatalf("the hooks are %v and %v", hooks, incoming)
	}
	out, in := hooks[0].(map[string]any), incoming[0].(map[string]any)
	if out["name"] != "CRM" || out["url"] != "https://crm.example.com/relay" || fmt.Sprint(out["events"]) != "[new_session visitor_message]" || out["pausedAt"] == nil {
		t.Errorf("the webhook is %v", out)
	}
	if in["name"] != "CI" || fmt.Sprint(in["may"]) != "[note tag]" || in["signed"] != true || in["pausedAt"] == nil {
		t.Errorf("the incoming hook is %v", in)
	}
	renewed := to.must("PATCH", "/api/admin/hooks/"+out["id"].(string), secretKey, object{"newSecret": true, "paused": false})
	if secret := renewed.text("secret"); secret == "" || secret == crm.text("secret") {
		t.Errorf("its new secret is %q", secret)
	}
}
