package e2e

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/bridges/ai/aitest"
)

// helpPages is a small site: a page that leads to another one and to none.
func helpPages(t *testing.T) *httptest.Server {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			_, _ = w.Write([]byte(`<title>Help</title><h1>Help</h1><p>We ship lamps within two days.</p><a href="/returns">Returns</a> <a href="/gone">Gone</a>`))
		case "/returns":
			_, _ = w.Write([]byte(`<title>Returns</title><p>Send it back within 30 days.</p>`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	return site
}

// testKnowledge: pages, files and texts are added, and are seen being read; what the
// AI could not answer is answered once, and found from then on.
func testKnowledge(t *testing.T, s *fixture) {
	model := aitest.New(t, aitest.Says("HANDOVER unsure")).Listen()
	site := helpPages(t)
	s.stop()
	s.instance = bootIn(t, s.dir, "WEBHOOK_ALLOW_CIDRS=127.0.0.0/8", "AI_BASE_URL="+model, "AI_MODEL=test", "AI_TAKEOVER_DELAY=0")
	s.say(t, "Do you sell carpets?")
	s.say(t, "Any carpets you sell?")
	b := s.newOperator(t, "Ada")
	var list struct {
		Questions []struct {
			SessionID string
			Count     int
		}
	}
	b.wait("the questions are noted", func() bool {
		s.call(t, http.MethodGet, s.base+"/api/admin/knowledge/questions", s.secret, nil, &list)
		return len(list.Questions) == 1 && list.Questions[0].Count == 2
	})
	s.call(t, http.MethodPost, s.base+"/api/admin/sessions/"+list.Questions[0].SessionID+"/messages", s.secret, map[string]any{"content": "Carpets? No."}, nil)
	b.click("#knowledge-link")
	b.until(`shown("#knowledge") && !shown("#rows") && document.activeElement.id === "knowledge-title"`)
	b.until(`text("#knowledge").includes("The AI has nothing to answer from yet") && text("#knowledge").includes("1 asks the same")`)

	button := func(name string) string {
		return `[...$$("#knowledge button")].find((n) => (n.ariaLabel || n.textContent) === "` + name + `")`
	}
	b.run(button("Add pages") + `.click()`)
	b.until(`document.activeElement.type === "url"`)
	b.enter(`#knowledge input[type=url]`, "http://169.254.169.254/")
	b.run(button("Add pages") + `.click()`)
	b.until(`text("#knowledge .wrong").includes("relay never connects to 169.254.169.254")`)
	b.enter(`#knowledge input[type=url]`, site.URL)
	b.run(button("Add pages") + `.click()`)
	b.until(`text("#knowledge .sources b") === "Help" && text("#knowledge .sources").includes("1 page failed") && $("#knowledge input[type=url]").value === ""`)
	b.until(`text("#knowledge .sources").includes("2 passages")`)
	b.click(`#knowledge summary`)
	b.until(`text("#knowledge .findings").includes("/gone") && text("#knowledge .findings").includes("404 Not Found")`)

	file := filepath.Join(t.TempDir(), "gifts.md")
	if err := os.WriteFile(file, []byte("# Gift cards\n\nThey are valid for two years.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(chromedp.JSPath(`document.querySelector("#knowledge input[type=file]")`), []string{file}))
	b.run(button("Add file") + `.click()`)
	b.until(`$$("#knowledge section:first-child li[data-id]").length === 2 && text("#knowledge .sources").includes("gifts.md") && $$("#knowledge section:first-child .tag.good").length === 1`)

	b.run(`[...$$("#knowledge button")].find((n) => n.textContent === "Write an answer").click()`)
	b.until(`["INPUT", "TEXTAREA"].includes(document.activeElement.tagName) && $("#knowledge li form textarea").value === "Carpets? No."`)
	b.shot(cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir()), "knowledge-answer")
	b.accessible("an answer to a question")
	b.enter(`#knowledge li form textarea`, "No, we only sell lamps.")
	b.run(button("Save answer") + `.click()`)
	b.until(`text("#knowledge").includes("Nothing yet. Questions that the AI") && $$("#knowledge section:first-child li[data-id]").length === 3`)
	b.enter(`#knowledge section:last-child input`, "any carpets?")
	b.run(button("Find passages") + `.click()`)
	b.until(`text("#knowledge .passage") === "No, we only sell lamps."`)
	s.showKnowledge(t, b)

	b.run(button("Remove gifts.md") + `.click()`)
	b.click(`#ask-yes`)
	b.until(`$$("#knowledge section:first-child li[data-id]").length === 2 && document.activeElement.tagName === "H2"`)
	b.run(button("Refresh Help") + `.click()`)
	b.until(`text("#knowledge section:first-child [role=status]") === "Its pages are fetched again."`)
	b.clean("400 (Bad Request)")
}

// showKnowledge keeps pictures of the page.
func (s *fixture) showKnowledge(t *testing.T, b *tab) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	for _, scheme := range []string{"light", "dark"} {
		protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		b.do(chromedp.EmulateViewport(1280, 1900))
		b.shot(folder, "knowledge-"+scheme)
	}
	b.do(chromedp.EmulateViewport(390, 1900, chromedp.EmulateMobile))
	b.shot(folder, "knowledge-phone")
	b.do(chromedp.EmulateViewport(1280, 800))
}
