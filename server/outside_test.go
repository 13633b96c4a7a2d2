package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
)

// TestLoaderHides: the rules of the websites that hide their widget stand behind the loader,
// without their keys.
func TestLoaderHides(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		plain := newSite(t, store).must("GET", "/widget.js", "", nil)
		if strings.Contains(string(plain.body), "relayHiding") {
			t.Error("the loader has rules that nobody made")
		}
		s := newSite(t, store) // what the first one sent is kept for a while
		key := s.addSite("Shop", "id", "shop")
		s.must("PATCH", "/api/admin/sites/shop/settings", secretKey, object{"hiddenPages": []string{"/checkout*"}})
		s.must("PATCH", "/api/admin/sites/main/settings", secretKey, object{"outsideHours": "hide",
			"businessHours": object{"timezone": "UTC", "weekly": object{"monday": []string{"09:00-17:00"}}}})
		a := s.must("GET", "/widget.js", "", nil)
		body := string(a.body)
		if !strings.HasPrefix(body, string(plain.body)) || !strings.Contains(body, `"pages":["/checkout*"]`) || !strings.Contains(body, `"open":[[`) || strings.Contains(body, key) {
			t.Errorf("the loader ends with %s", strings.TrimPrefix(body, string(plain.body)))
		}
		if cache := a.header.Get("Cache-Control"); !strings.Contains(cache, "max-age=300") || a.header.Get("Etag") == plain.header.Get("Etag") {
			t.Errorf("it is kept by %s, under %s", cache, a.header.Get("Etag"))
		}
		if again := s.call("GET", "/widget.js", "", nil, "If-None-Match", a.header.Get("Etag")); again.status != 304 {
			t.Errorf("the same loader answers %d", again.status)
		}
	})
}

// TestFormOutside: while nobody is there, visitors are asked who they are first: by the
// site's own form, or for a name or an e-mail address.
func TestFormOutside(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		init := func(visitor string) answer {
			return s.must("POST", "/api/widget/init", publicKey, object{"visitorId": visitor})
		}
		asks := func(a answer) bool { return a.get("session").(map[string]any)["askContact"] == true }
		if asks(init("a")) {
			t.Error("somebody is asked without the setting")
		}
		s.must("PATCH", "/api/admin/settings", secretKey, object{"outsideHours": "form"})
		a := init("b")
		if !asks(a) {
			t.Errorf("nobody is there, and nobody is asked: %s", a.body)
		}
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": a.text("sessionId"), "content": "hello"})
		if asks(init("b")) {
			t.Error("who has written is asked first")
		}
		form := object{"required": false, "timing": "after_first_message", "fields": []object{{"name": "order", "type": "text", "label": "Order"}}}
		s.must("PATCH", "/api/admin/settings", secretKey, object{"preChatForm": form})
		own := func() map[string]any {
			return init("c").get("config").(map[string]any)["preChatForm"].(map[string]any)
		}
		if f := own(); f["required"] != true || f["timing"] != "before_first_message" || asks(init("c")) {
			t.Errorf("the form is %v", f)
		}
		s.must("POST", "/api/admin/operator/status", secretKey, object{"online": true})
		if f := own(); f["required"] != false || f["timing"] != "after_first_message" {
			t.Errorf("while somebody is there the form is %v", f)
		}
		for value, problem := range map[any]string{"closed": "must be one of chat, form, hide", 7: "must be one of"} {
			s.refused(s.call("PATCH", "/api/admin/settings", secretKey, object{"outsideHours": value}), 400, problem)
		}
		for _, list := range []any{"/checkout", []string{"checkout"}, []any{1}, []string{""}} {
			s.refused(s.call("PATCH", "/api/admin/settings", secretKey, object{"hiddenPages": list}), 400, "hiddenPages")
		}
	})
}
