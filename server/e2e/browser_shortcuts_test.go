package e2e

import (
	"cmp"
	"net/http"
	"os"
	"testing"
)

// holdAnswers holds the next list of saved answers back until late() lets it through.
const holdAnswers = `((real) => {
	window.fetch = async (url, init) => {
		const answer = await real(url, init);
		if (window.late || !String(url).endsWith("/saved-answers")) return answer;
		return new Promise((done) => { window.late = () => (done(answer), new Promise((seen) => setTimeout(seen, 100))); });
	};
})(fetch)`

// testShortcuts: every shortcut is in the list that ? opens, and does what it says; a saved
// answer comes into the composer with its placeholders filled, also when an older list of
// them arrives late.
func testShortcuts(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	p := s.newPair(t, "Hello")
	b := p.operator
	key := func(name string) {
		b.run(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "` + name + `", bubbles: true}))`)
	}
	b.run(`document.activeElement.blur()`)
	key("?")
	b.until(`shown(".help") && $$(".help kbd").length > 12`)
	b.shot(folder, "help")
	b.press("Escape", 27)
	b.until(`!shown(".help")`)
	key("e")
	b.until(`text("#thread-verb") === "Reopen" && text("#status-line").startsWith("Closed")`)
	key("e")
	b.until(`text("#thread-verb") === "Close"`)
	key("n")
	b.until(`document.activeElement.id === "composer" && $("#note").ariaPressed === "true"`)
	b.click("#note")

	b.until(`[...$$("#facts dt")].some((n) => n.textContent === "System") && !$("#earlier h3")`)
	b.run(holdAnswers)
	b.enter("#composer", "/")
	b.until(`!!window.late`)
	s.call(t, http.MethodPut, s.base+"/api/admin/saved-answers/grüße", s.secret, map[string]any{"content": "Hi {visitor.name|there}, {operator.name} here."}, nil)
	b.enter("#composer", "!")
	b.until(`$$("#answers-menu li").length === 1`)
	b.run(`late()`)
	b.until(`$$("#answers-menu li").length === 1`)
	b.enter("#composer", "/grus")
	b.until(`$$("#answers-menu li").length === 0`)
	b.enter("#composer", "/gru")
	b.until(`text("#answers-menu b") === "!grüße"`)
	b.run(`$("#answers-menu li").dispatchEvent(new PointerEvent("pointerdown"))`)
	b.until(`$("#composer").value === "Hi there, Ada here."`)
	p.visitor.run(`RelayChat.identify({name: "Søren"})`)
	b.until(`text("#thread-name") === "Søren"`)
	b.enter("#composer", "/gru")
	b.run(`$("#answers-menu li").dispatchEvent(new PointerEvent("pointerdown"))`)
	b.until(`$("#composer").value === "Hi Søren, Ada here."`)
	b.clean()
}
