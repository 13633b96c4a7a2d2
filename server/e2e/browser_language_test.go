package e2e

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// fits reports whether nothing of the page is wider than the window.
const fits = `document.documentElement.scrollWidth <= document.documentElement.clientWidth`

// testLanguages: a person chooses the language of the console in it; pages, list, conversation and settings speak it
// from the first drawing, and what people wrote stays.
func testLanguages(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	p := s.newPair(t, "Where is my parcel?")
	b := p.operator
	inbox := eval[string](b, `location.hash`)
	const pages = `$$("#rail a[data-page], #subnav a[data-page]").map((n) => n.dataset.page).join()`
	all := eval[string](b, pages)
	for _, c := range []struct{ code, inbox, open, answer, settings string }{
		{"de", "Posteingang", "Offen", "Antwort schreiben…", "Einstellungen"},
		{"ja", "受信トレイ", "対応中", "返信を書く…", "設定"},
		{"fr", "Boîte de réception", "Ouvertes", "Écrire une réponse…", "Paramètres"},
		{"es", "Bandeja de entrada", "Abiertas", "Escriba una respuesta…", "Ajustes"},
		{"pt", "Caixa de entrada", "Abertas", "Escreva uma resposta…", "Configurações"},
		{"en", "Inbox", "Open", "Write an answer…", "Settings"},
	} {
		b.run(`location.hash = "#/account"`)
		b.until(`shown("#language") && !$("#language").disabled`)
		b.run(fmt.Sprintf(`(() => { const l = $("#language"); l.value = %q; l.dispatchEvent(new Event("change")); })()`, c.code))
		b.until(`document.documentElement.lang === %s && text("#bar-title") === %s`, c.code, c.settings)
		if got := eval[string](b, pages); got != all || !strings.Contains(all, "hours") {
			t.Errorf("in %s the console has the pages %s, otherwise %s", c.code, got, all)
		}
		b.run(fmt.Sprintf(`location.hash = %q`, inbox))
		b.until(`text("#bar-title") === %s && $("#composer").placeholder === %s`, c.inbox, c.answer)
		b.until(`$('[data-filter="open"]').textContent.startsWith(%s) && text("#messages").includes("Where is my parcel?")`, c.open)
		for _, width := range []int64{1280, 390} {
			b.do(chromedp.EmulateViewport(width, 844))
			for _, page := range []string{inbox, "#/", "#/settings", "#/channels", "#/statistics", "#/contact"} {
				b.run(fmt.Sprintf(`location.hash = %q`, page))
				b.until(fits)
				b.shot(folder, fmt.Sprintf("language-%s-%d-%s", c.code, width, cmp.Or(page[2:min(len(page), 8)], "list")))
			}
		}
		b.do(chromedp.EmulateViewport(1280, 800))
		if c.code == "de" {
			setStatus(t, b, "abwesend", "Besucher sehen Sie: Abwesend", "away")
			setStatus(t, b, "automatisch", "Besucher sehen Sie: Automatisch", "automatic")
		}
	}
}

// setStatus runs a command that sets the person's status: its words are translated, what it does is not.
func setStatus(t *testing.T, b *tab, words, label, mode string) {
	t.Helper()
	b.press("k", 75, control)
	b.until(`shown(".palette") && document.activeElement.matches(".palette-field") && $("#palette-list").childElementCount > 0`)
	b.enter(".palette-field", words)
	b.until(picks+` === %s`, label)
	b.press("Enter", 13)
	b.until(`!shown(".palette") && $("#presence-" + %s).checked`, mode)
}
