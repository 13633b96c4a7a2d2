package e2e

import (
	"cmp"
	"net/http"
	"os"
	"testing"
)

// testMerge: an operator merges a conversation with another one that is found by a word, and confirms that it
// is the same person. The team goes on where the visitor wrote last, reads the other one beside it, and separates them again.
func testMerge(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	old := s.bySessionToken(t, "ann@example.com", "My lamp is broken")
	b := s.newOperator(t, "Ada")
	visitor := s.newVisitor(t, true)
	visitor.write("It is me again, on my phone")
	b.until(`$$("#rows a").length === 2`)
	b.run(`[...$$("#rows a")].find((n) => !n.hash.endsWith("` + old + `")).click()`)
	b.sees("visitor: It is me again, on my phone")
	b.run(`(window.last = location.hash)`)
	b.click("#thread-more")
	b.click("#menu-merge")
	b.until(`shown(".merge") && $$(".merge-row").length === 1 && text(".merge-list").includes("Newest") && $("#merge-yes").disabled`)
	b.enter("#merge-search", "nobody at all")
	b.until(`$$(".merge-row").length === 0 && text(".merge [role=status]") === "No conversation found."`)
	b.enter("#merge-search", "ann@example")
	b.until(`$$(".merge-row").length === 1 && text(".merge-list").includes("Found") && $(".merge-row input").value === %s`, old)
	b.click(".merge-row input")
	b.until(`shown("#merge-same") && $("#merge-yes").disabled && text(".merge-sides").includes("on my phone") && text(".merge-sides").includes("My lamp is broken")`)
	b.until(`text(".merge-sides section:first-child h3") === "This conversation Goes on" && text(".merge-sides section:last-child h3") === "The other one Will be closed"`)
	b.mergeSeen(folder, "merge")
	b.click("#merge-same")
	b.click("#merge-yes")
	b.until(`location.hash === window.last && text("#messages").includes("Merged with another conversation by Ada") && shown("#merged") && shown("#composer")`)
	b.click("#merged summary")
	b.until(`text("#merged .said").includes("My lamp is broken")`)
	b.mergeSeen(folder, "merge-done")
	b.click("#merged details a")
	b.until(`location.hash.endsWith(%s) && $("#compose").hidden && $("#thread-verb").hidden && $("#status-line").hidden && text("#merged").includes("goes on in another")`, old)
	b.mergeSeen(folder, "merge-left")
	b.click("#merged .main")
	b.until(`location.hash === window.last && !$("#compose").hidden && !$("#thread-verb").hidden`)
	visitor.until(`!text(".log").includes("My lamp is broken")`)
	b.click("#merged summary")
	b.until(`text("#merged .said").includes("My lamp is broken")`) // which moves the button down
	b.click("#part")
	b.until(`shown("#ask")`)
	b.click("#ask-yes")
	b.until(`!shown("#merged") && text("#answer-text").startsWith("Separated.") && text("#messages").includes("Separated from another conversation by Ada")`)
	b.run(`(location.hash = "#/sessions/` + old + `")`)
	b.until(`shown("#composer") && text("#thread-verb") === "Close" && $("#merged").hidden`)
	b.clean()
	visitor.clean()
}

// mergeSeen looks at a state in every medium, light, dark and on a small phone.
func (b *tab) mergeSeen(folder, name string) {
	b.Helper()
	b.still()
	b.accessible(name)
	b.shot(folder, name)
}

// bySessionToken is a conversation that was opened as the widget does, with its token.
func (s *fixture) bySessionToken(t *testing.T, email, text string) (id string) {
	t.Helper()
	var visit struct{ SessionID, SessionToken string }
	s.call(t, http.MethodPost, s.base+"/api/widget/init", s.public, map[string]any{"visitorId": email, "useSessionToken": true}, &visit)
	token := []string{"X-Session-Token", visit.SessionToken}
	for path, body := range map[string]map[string]any{"identify": {"identity": map[string]any{"email": email}}, "messages": {"content": text}} {
		body["sessionId"] = visit.SessionID
		if err := call(http.MethodPost, s.base+"/api/widget/"+path, s.public, body, nil, token...); err != nil {
			t.Fatal(err)
		}
	}
	return visit.SessionID
}
