package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

const widgetThere = `document.querySelector("relay-chat").checkVisibility()`

// testHiding: the widget is on no page that a website leaves out, also within an application,
// and nothing outside the business hours; who has opened the chat keeps it. No page asks
// relay anything beside the files.
func testHiding(t *testing.T, s *fixture) {
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1><script src="%s/widget.js" data-api-key="%s"></script>`, s.base, s.public)
	}))
	t.Cleanup(shop.Close)
	s.call(t, http.MethodPatch, s.base+"/api/admin/settings", s.secret, map[string]any{"hiddenPages": []string{"/checkout*"}}, nil)
	b := s.newTab(t)
	b.visit(shop.URL + "/lamps")
	b.until(widgetThere)
	b.run(`history.pushState({}, "", "/checkout/pay")`)
	b.until(`!` + widgetThere)
	b.run(`history.back()`)
	b.until(`location.pathname === "/lamps" && ` + widgetThere)
	b.visit(shop.URL + "/checkout")
	b.until(`document.querySelector("relay-chat") && !` + widgetThere)
	if asked := eval[[]string](b, `performance.getEntriesByType("resource").map((e) => e.name).filter((name) => name.includes("/api/"))`); len(asked) > 0 {
		t.Errorf("the page asked %v", asked)
	}
	b.run(`RelayChat.open()`)
	b.until(`shown(".panel")`)
	b.clean()

	testPageRules(t, s, shop.URL)
	testLauncher(t, s, shop.URL)

	closed := map[string]any{"timezone": "UTC", "weekly": map[string]any{"monday": []string{"09:00-17:00"}}, "exceptions": map[string]any{}}
	for _, date := range eval[[]string](b, `[0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => new Date(Date.now() + (n - 1) * 864e5).toISOString().slice(0, 10))`) {
		closed["exceptions"].(map[string]any)[date] = []string{}
	}
	hide := map[string]any{"hiddenPages": []string{}, "outsideHours": "hide", "businessHours": closed}
	fresh := &fixture{bootIn(t, t.TempDir()), s.browser}
	fresh.call(t, http.MethodPatch, fresh.base+"/api/admin/settings", fresh.secret, hide, nil)
	s.base, s.public = fresh.base, fresh.public
	c := fresh.newTab(t)
	c.visit(shop.URL + "/lamps")
	c.until(`document.querySelector("relay-chat") && !` + widgetThere)
	c.run(`RelayChat.open()`)
	c.until(`shown(".panel") && root.activeElement === $("textarea")`)
	c.write("I found the other way in")
	c.sees(welcome, "visitor: I found the other way in")
	c.visit(shop.URL + "/lamps")
	c.until(widgetThere)
	c.clean()
}

// testPageRules: the first rule that fits counts, also after a change of the address within the page;
// a chat that came by itself comes once, and takes no focus.
func testPageRules(t *testing.T, s *fixture, shop string) {
	ruled := &fixture{bootIn(t, t.TempDir()), s.browser}
	ruled.call(t, http.MethodPatch, ruled.base+"/api/admin/settings", ruled.secret, map[string]any{"hiddenPages": []string{"/help*"}, "pageRules": []map[string]any{
		{"page": "/help/chat", "do": "show"}, {"page": "/checkout/help", "do": "show"}, {"page": "/checkout*", "do": "hide"},
		{"page": "/blog/*", "do": "delay", "seconds": 1}, {"page": "/late", "do": "delay", "seconds": 3600}, {"page": "/pricing", "do": "open", "seconds": 1},
	}}, nil)
	base, public := s.base, s.public
	defer func() { s.base, s.public = base, public }()
	s.base, s.public = ruled.base, ruled.public
	b := ruled.newTab(t)
	for path, is := range map[string]bool{"/lamps": true, "/checkout/pay": false, "/checkout/help": true, "/help/faq": false, "/help/chat": true, "/late": false} {
		b.visit(shop + path)
		b.until(`document.querySelector("relay-chat") && `+widgetThere+` === %v`, is)
	}
	b.run(`history.pushState({}, "", "/checkout")`)
	b.until(`!` + widgetThere)
	b.run(`history.pushState({}, "", "/blog/one")`)
	b.until(widgetThere)
	b.run(`document.querySelector("h1").tabIndex = -1, document.querySelector("h1").focus(), history.pushState({}, "", "/pricing")`)
	b.until(`shown(".panel") && document.activeElement.tagName === "H1"`)
	b.run(`RelayChat.close()`)
	b.visit(shop + "/pricing")
	b.until(`RelayChat?.isOpen === false && ` + widgetThere)
	if !eval[bool](b, `new Promise((done) => setTimeout(() => done(!RelayChat.isOpen), 1500))`) {
		t.Error("the chat opens again that was closed")
	}
	b.clean()
}

// testLauncher: a label and a picture are on the first page already, and what is seen is read
// out; a page whose website has no button opens the chat by its own.
func testLauncher(t *testing.T, s *fixture, shop string) {
	dressed := &fixture{bootIn(t, t.TempDir()), s.browser}
	set := func(change map[string]any) {
		dressed.call(t, http.MethodPatch, dressed.base+"/api/admin/settings", dressed.secret, change, nil)
	}
	base, public := s.base, s.public
	defer func() { s.base, s.public = base, public }()
	s.base, s.public = dressed.base, dressed.public
	const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
	set(map[string]any{"launcherLabel": "Chat with us", "launcherPicture": pixel})
	b := dressed.newTab(t)
	b.visit(shop + "/lamps")
	b.until(`shown(".launcher .label") && $(".launcher").ariaLabel === "Chat with us: Chat" && $(".launcher img").naturalWidth === 1 && !shown(".launcher svg")`)
	b.shot(cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir()), "launcher")
	if asked := eval[[]string](b, `performance.getEntriesByType("resource").map((e) => e.name).filter((name) => name.includes("/api/"))`); len(asked) > 0 {
		t.Errorf("the page asked %v", asked)
	}
	b.click(".launcher")
	b.until(`shown(".panel") && !shown(".launcher .label") && $(".launcher").offsetWidth === $(".launcher").offsetHeight && shown(".launcher svg")`)
	b.run(`RelayChat.reset()`)
	b.until(`!shown(".panel") && shown(".launcher .label")`)
	b.clean()

	hidden := &fixture{bootIn(t, t.TempDir()), s.browser}
	hidden.call(t, http.MethodPatch, hidden.base+"/api/admin/settings", hidden.secret, map[string]any{"launcherHidden": true}, nil)
	s.base, s.public = hidden.base, hidden.public
	c := hidden.newTab(t)
	c.visit(shop + "/lamps")
	c.until(`root && !$(".launcher")`)
	c.run(`RelayChat.open()`)
	c.until(`shown(".panel")`)
	c.clean()
}
