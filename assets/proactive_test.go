package assets_test

import "testing"

// rules gives a fake its proactive messages and opens a page with data-proactive.
func rules(t *testing.T, path string, list ...object) (*fake, *tab) {
	t.Helper()
	t.Parallel()
	f := newFake(t)
	f.rules = list
	b := newTab(t, newSite(t, f.url(), snippet(f.url(), "data-proactive")))
	b.visit(path)
	return f, b
}

// A message shows on its page after its time, once, and becomes the chat's first words.
func TestProactive(t *testing.T) {
	f, b := rules(t, "/shop", object{"id": "prices", "text": "Questions about prices?", "pages": []string{"/pricing*"}, "seconds": 1})
	b.eventually("the list", func() bool { return f.count("GET proactive") == 1 })
	b.run(`wait(1500)`)
	b.is(`!$(".preview")`)
	b.run(`history.pushState({}, "", "/pricing/teams")`)
	b.until(`shown(".preview") && $(".two").textContent === "Questions about prices?" && $(".preview b").textContent === "Ana"`)
	b.shot("proactive")
	if n := f.total(); n != 1 {
		t.Errorf("%d calls before anybody opened the chat", n)
	}
	b.click(".peek")
	b.until(`shown(".panel") && !$(".preview") && rows().join() === "Hello! How can we help?,Questions about prices?"`)
	b.run(`RelayChat.close()`)
	b.visit("/pricing")
	b.run(`wait(2500)`)
	b.is(`!$(".preview")`) // it was shown once
	if n := f.count("GET proactive"); n != 1 {
		t.Errorf("the list was asked for %d times in one tab", n)
	}
	b.clean()
}

// Nothing more is shown after one was put away, nor to those who already talk.
func TestProactiveIsPutAway(t *testing.T) {
	_, b := rules(t, "/shop", object{"id": "a", "text": "First"}, object{"id": "b", "text": "Second"})
	b.until(`shown(".preview") && $(".two").textContent === "First"`)
	b.click(".put")
	b.until(`!$(".preview")`)
	b.visit("/other")
	b.run(`wait(3000)`)
	b.is(`!$(".preview")`)
	b.clean()
}

// Exit intent waits for the pointer to leave at the top; some wait for an operator.
func TestProactiveExitIntentAndPresence(t *testing.T) {
	f, b := rules(t, "/shop", object{"id": "on", "text": "We are here", "onlyOnline": true}, object{"id": "go", "text": "Before you go", "exitIntent": true})
	f.mu.Lock()
	f.online = false
	f.mu.Unlock()
	b.run(`sessionStorage.clear()`)
	b.run(`localStorage.clear()`)
	b.visit("/again")
	b.run(`wait(3500)`)
	b.is(`!$(".preview")`)
	b.run(`document.dispatchEvent(new MouseEvent("mouseout", { clientY: -1 }))`)
	b.until(`$(".two")?.textContent === "Before you go"`)
	b.clean()
}

// A message speaks the language that the chat will have: the option's, the setting's,
// then the page's, and its button as well.
func TestProactiveLanguage(t *testing.T) {
	for name, c := range map[string]struct{ locale, setting, page, text, close string }{
		"option": {"de", "fr", "en", "Fragen?", "Schließen"}, "setting": {"", "de", "en", "Fragen?", "Schließen"},
		"page": {"", "", "de-AT", "Fragen?", "Schließen"}, "no text": {"fr", "", "de", "Questions?", "Ignorer"}, "none": {"", "", "", "Questions?", "Dismiss"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.config["language"] = c.setting
			f.rules = []object{{"id": "a", "text": "Questions?", "texts": object{"de": "Fragen?"}, "seconds": 1}}
			b := newTab(t, newSite(t, f.url(), snippet(f.url(), `data-proactive data-locale="`+c.locale+`"`)))
			b.visit("/shop")
			b.run(`(document.documentElement.lang = "` + c.page + `")`)
			b.until(`shown(".preview")`)
			b.is(`$(".two").textContent + "|" + $(".put").ariaLabel === "` + c.text + "|" + c.close + `"`)
			b.clean()
		})
	}
}

// A card that is shown follows the page's scheme.
func TestProactiveFollowsTheScheme(t *testing.T) {
	_, b := rules(t, "/shop", object{"id": "a", "text": "Questions?"})
	b.until(`shown(".preview") && !$(".preview.dark")`)
	b.run(`(document.documentElement.style.colorScheme = "dark")`)
	b.until(`$(".preview.dark")`)
	b.shot("dark")
	b.run(`(document.documentElement.style.colorScheme = "light dark")`)
	b.until(`!$(".preview.dark")`)
	b.media("prefers-color-scheme", "dark")
	b.until(`$(".preview.dark")`)
	b.clean()
}
