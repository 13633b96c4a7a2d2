package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

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
	const there = `document.querySelector("relay-chat").checkVisibility()`
	b := s.newTab(t)
	b.visit(shop.URL + "/lamps")
	b.until(there)
	b.run(`history.pushState({}, "", "/checkout/pay")`)
	b.until(`!` + there)
	b.run(`history.back()`)
	b.until(`location.pathname === "/lamps" && ` + there)
	b.visit(shop.URL + "/checkout")
	b.until(`document.querySelector("relay-chat") && !` + there)
	if asked := eval[[]string](b, `performance.getEntriesByType("resource").map((e) => e.name).filter((name) => name.includes("/api/"))`); len(asked) > 0 {
		t.Errorf("the page asked %v", asked)
	}
	b.run(`RelayChat.open()`)
	b.until(`shown(".panel")`)
	b.clean()

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
	c.until(`document.querySelector("relay-chat") && !` + there)
	c.run(`RelayChat.open()`)
	c.until(`shown(".panel") && root.activeElement === $("textarea")`)
	c.write("I found the other way in")
	c.sees(welcome, "visitor: I found the other way in")
	c.visit(shop.URL + "/lamps")
	c.until(there)
	c.clean()
}
