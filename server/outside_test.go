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
		s.must("PATCH", "/api/admin/sites/shop/settings", secretKey, object{"hiddenPages": []string{"/checkout*"},
			"pageRules": []object{{"page": "/checkout/help", "do": "show"}, {"page": "/blog*", "do": "delay", "seconds": 30}}})
		s.must("PATCH", "/api/admin/sites/main/settings", secretKey, object{"outsideHours": "hide",
			"businessHours": object{"timezone": "UTC", "weekly": object{"monday": []string{"09:00-17:00"}}}})
		a := s.must("GET", "/widget.js", "", nil)
		body := string(a.body)
		if !strings.HasPrefix(body, string(plain.body)) || !strings.Contains(body, `{"rules":[{"page":"/checkout/help","do":"show"},{"page":"/blog*","do":"delay","seconds":30}],"pages":["/checkout*"]}`) || !strings.Contains(body, `"open":[[`) || strings.Contains(body, key) {
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

// TestPageRules: a rule that no browser can follow is refused, with what it must be.
func TestPageRules(t *testing.T) {
	eachSite(t, testPageRules)
}

func testPageRules(t *testing.T, s *site) {
	many := make([]object, 31)
	for i := range many {
		many[i] = object{"page": "/a", "do": "hide"}
	}
	for name, c := range map[string]struct {
		value   any
		problem string
	}{
		"a text":              {"/checkout", "must be a list of rules like"},
		"an unknown field":    {[]object{{"page": "/a", "do": "hide", "regexp": true}}, "must be a list of rules like"},
		"a number as a path":  {[]object{{"page": 7, "do": "hide"}}, ".page must be"},
		"too many":            {many, "at most 30 rules"},
		"no path":             {[]object{{"do": "hide"}}, "must have a path like /checkout"},
		"a host":              {[]object{{"page": "shop.example/a", "do": "hide"}}, "must have a path like /checkout"},
		"an unknown action":   {[]object{{"page": "/a", "do": "shake"}}, "must have show, hide, delay or open"},
		"below zero":          {[]object{{"page": "/a", "do": "open", "seconds": -1}}, "must have seconds from 0 to 3600"},
		"more than an hour":   {[]object{{"page": "/a", "do": "open", "seconds": 3601}}, "must have seconds from 0 to 3600"},
		"hidden after a time": {[]object{{"page": "/a", "do": "hide", "seconds": 3}}, "seconds only in rules with delay or open"},
		"delayed by nothing":  {[]object{{"page": "/a", "do": "delay"}}, "seconds, 1 or more"},
	} {
		t.Run(name, func(t *testing.T) {
			s.refused(s.call("PATCH", "/api/admin/settings", secretKey, object{"pageRules": c.value}), 400, c.problem)
		})
	}
	rules := []object{{"page": "/a*", "do": "show"}, {"page": "*", "do": "open"}}
	if a := s.must("PATCH", "/api/admin/settings", secretKey, object{"pageRules": rules}); len(a.get("pageRules").([]any)) != 2 {
		t.Errorf("the rules are %v", a.get("pageRules"))
	}
}

// TestLauncher: what a website has of its own on its button stands before the loader, without
// its key, and its picture is handed out by relay.
func TestLauncher(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		data := pngOf(8, 8)
		key := s.addSite("Shop", "id", "shop")
		s.must("PATCH", "/api/admin/sites/shop/settings", secretKey, object{"launcherLabel": "Chat </script>", "launcherPicture": dataAddress("image/png", data)})
		body := string(s.must("GET", "/widget.js", "", nil).body)
		own, _, ok := strings.Cut(body, "\n")
		if !ok || !strings.HasPrefix(own, `var relayOwn={"`) || !strings.Contains(own, `"picture":"/pictures/shop?of=launcher`) || strings.Contains(body, "</script>") || strings.Contains(body, key) {
			t.Fatalf("the loader begins with %.300s", body)
		}
		if _, version, _ := strings.Cut(own, `v=`); !strings.Contains(version, `"`) {
			t.Errorf("the picture has no version: %s", own)
		}
		if got := s.call("GET", "/pictures/shop?of=launcher", "", nil); got.status != 200 || string(got.body) != string(data) {
			t.Errorf("the picture answers %d", got.status)
		}
		s.refused(s.call("GET", "/pictures/shop", "", nil), 404, "no picture of its own")
		if config := s.must("GET", "/api/widget/config", key, nil); strings.Contains(string(config.body), "launcher") {
			t.Errorf("what stands in the loader is sent once more: %s", config.body)
		}
		for name, value := range map[string]any{"launcherLabel": strings.Repeat("a", 41), "launcherPicture": "data:image/svg+xml;base64,AAAA", "launcherHidden": "yes"} {
			s.refused(s.call("PATCH", "/api/admin/settings", secretKey, object{name: value}), 400, name)
		}
	})
}
