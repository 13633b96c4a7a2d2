package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/bridges/ai/aitest"
)

// testEarnedTopic: an owner sees at once which topics the AI has earned, lets it answer one, and takes
// it back.
func testEarnedTopic(t *testing.T, s *fixture) {
	model := aitest.New(t, aitest.Says("We ship within 5 days.")).Listen()
	s.stop()
	s.instance = bootIn(t, s.dir, "WEBHOOK_ALLOW_CIDRS=127.0.0.0/8", "AI_BASE_URL="+model, "AI_MODEL=test", "AI_MODE=rehearse", "AI_TOKEN_PRICE=0.60 €")
	s.call(t, http.MethodPost, s.base+"/api/admin/knowledge", s.secret, map[string]any{"title": "Shipping", "text": "We ship within 5 days."}, nil)
	for i := range 12 {
		question, answer := fmt.Sprintf("How long does shipping take to town %d?", i), "Within 5 days."
		if i < 2 {
			question, answer = []string{"What are your opening hours?", "opening hours on Sunday?"}[i], "From 9 to 18."
		}
		session := s.say(t, question)
		s.call(t, http.MethodPost, s.base+"/api/admin/sessions/"+session+"/messages", s.secret, map[string]any{"content": answer}, nil)
	}
	s.call(t, http.MethodPost, s.base+"/api/admin/ai/rehearsal", s.secret, map[string]any{}, nil)
	b := s.newOperator(t, "Ada")
	b.settings("ai", "AI")
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b.until(`$$("#rehearsed > li").length === 2 && text("#rehearsed > li b").startsWith("shipping") && text("#rehearsed .tag") === "10 of 10 right"`)
	press := func(name string) {
		b.run(`[...$$("#rehearsal button")].find((n) => n.textContent === "` + name + `").click()`)
	}
	b.run(`$("#rehearsed summary").click()`)
	b.until(`text("#rehearsed > li").includes("It matched your last 10 answers.")`)
	b.run(`$("#rehearsal").scrollIntoView()`)
	b.shot(folder, "ai-topic-earned")
	b.accessible("topics")
	press("Let it answer these")
	b.until(`text("#rehearsed .tag") === "Answers by itself" && text("#rehearsed > li").includes("The AI answers this by itself.")`)
	b.run(`$("#rehearsal").scrollIntoView()`)
	b.shot(folder, "ai-topic-answers")
	press("Take it back")
	b.until(`text("#rehearsed > li").includes("It answered this by itself until a person took it back.") && text("#rehearsed > li").includes("0 of 10 in a row are right")`)
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.run(`$("#rehearsal").scrollIntoView()`)
	b.shot(folder, "ai-topic-phone")
	b.clean()
}
