package assets_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/assets"
	"github.com/relay-chat/relay/assets/build/bundle"
	catalogs "github.com/relay-chat/relay/assets/build/texts"
)

// consoleTexts are the English texts of the console: its scripts', its pages', and those of the server that it
// translates; and whether each depends on a number.
func consoleTexts(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	keys, err := catalogs.Keys("console")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		all[key.Text] = key.Plural
	}
	said, err := catalogs.Server(bundle.TextsFolder)
	if err != nil {
		t.Fatal(err)
	}
	filled, err := catalogs.Pages(bundle.TextsFolder)
	if err != nil {
		t.Fatal(err)
	}
	said = append(said, filled...)
	for _, name := range bundle.TranslatedPages {
		page, err := assets.File(name)
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, catalogs.PageTexts(string(page))...)
	}
	for _, text := range said {
		if _, known := all[text]; !known {
			all[text] = false
		}
	}
	return all
}

// TestConsoleTextsAreMarked: every string of the console that people read goes through a function that translates it.
func TestConsoleTextsAreMarked(t *testing.T) {
	found, err := catalogs.Unmarked("console")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range found {
		t.Errorf("%s is not marked: write tr(…), or name it in assets/build/texts/asis.go if all languages write it so", text)
	}
}

// TestConsoleIsTranslated: each catalog has every text, with its placeholders, and nothing else.
func TestConsoleIsTranslated(t *testing.T) {
	want := consoleTexts(t)
	codes, err := catalogs.Languages(bundle.TextsFolder)
	if err != nil || len(codes) == 0 {
		t.Fatal(codes, err)
	}
	for _, code := range codes {
		catalog, err := catalogs.ReadCatalog(bundle.TextsFolder, code)
		if err != nil {
			t.Fatal(err)
		}
		for key, plural := range want {
			text, known := catalog[key]
			if !known {
				t.Errorf("%s: no translation of %q", code, key)
				continue
			}
			if text.Forms != nil && !plural {
				t.Errorf("%s: %q depends on no number", code, key)
			}
			for _, one := range text.All() {
				if got, want := filled(one), filled(key); one == "" || !slices.Equal(got, want) {
					t.Errorf("%s: %q is %q, which fills in %v, not %v", code, key, one, got, want)
				}
			}
		}
		for key := range catalog {
			if _, used := want[key]; !used {
				t.Errorf("%s: %q is not used any more", code, key)
			}
		}
	}
}

// filled lists what is filled into a text: its placeholders, or the tags and slots of a page.
func filled(text string) []string {
	found := append(braces.FindAllString(text, -1), tags.FindAllString(text, -1)...)
	slices.Sort(found)
	return slices.Compact(found)
}

// TestConsolePluralForms: a text that depends on a number has the forms that the browser's Intl asks for.
func TestConsolePluralForms(t *testing.T) {
	_, b := ready(t, "")
	codes, err := catalogs.Languages(bundle.TextsFolder)
	if err != nil {
		t.Fatal(err)
	}
	want := consoleTexts(t)
	for _, code := range codes {
		forms := eval[[]string](b, fmt.Sprintf(`new Intl.PluralRules(%q).resolvedOptions().pluralCategories`, code))
		forms = slices.DeleteFunc(forms, func(form string) bool { return form == "many" }) // millions, which say other
		slices.Sort(forms)
		catalog, err := catalogs.ReadCatalog(bundle.TextsFolder, code)
		if err != nil {
			t.Fatal(err)
		}
		for key, text := range catalog {
			if plural := want[key] && len(forms) > 1; plural != (text.Forms != nil) || plural && !slices.Equal(slices.Sorted(maps.Keys(text.Forms)), forms) {
				t.Errorf("%s: %q has the forms %v, want %v", code, key, slices.Sorted(maps.Keys(text.Forms)), forms)
			}
		}
	}
}

// TestTextsOfServer: what the console translates of the server's texts is still said there.
func TestTextsOfServer(t *testing.T) {
	said, err := catalogs.Server(bundle.TextsFolder)
	if err != nil {
		t.Fatal(err)
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(said))); len(sorted) != len(said) {
		t.Error("a text stands twice")
	}
}

// TestUnmarkedTexts: the check finds what it should, and not more.
func TestUnmarkedTexts(t *testing.T) {
	folder := t.TempDir()
	for source, want := range map[string]int{
		`h("b", {}, "now")`: 1, `h("b", {}, tr("now"))`: 0, `h("b", { class: "now here" })`: 0, `h("b", { title: "now" })`: 1,
		`set({ failure: "Not done" })`: 1, `plural(n, "{n} day", "{n} days")`: 0, "say(`Not ${done} yet`)": 2, `byId("Some id")`: 0,
		`if (a === "Not done") b()`: 0, `tr("Not {why}", { why: "Not done" })`: 1, `// "Not done"`: 0, `const a = /"Not done"/;`: 0,
		`h("input", { placeholder: "https://shop.example" })`: 0, `words({ now: "Right now" })`: 1, `h("b", {}, a ? "yes" : "no")`: 2,
	} {
		if err := os.WriteFile(filepath.Join(folder, "a.ts"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := catalogs.Unmarked(folder)
		if err != nil || len(found) != want {
			t.Errorf("%s: found %q, %v, want %d", source, found, err, want)
		}
	}
}

// TestTranslatedPage: a page is translated by its sentences, and its tags stay.
func TestTranslatedPage(t *testing.T) {
	page := `<p title="Sound">Run <code>relay</code> here.</p> <a href="/x" title="Hide"><svg><title>not</title></svg>Back &amp; on</a> <kbd>Esc</kbd> <i>${Name}</i>`
	got := catalogs.PageTexts(page)
	if want := []string{"Sound", "Run <code>relay</code> here.", "Hide", "Back & on"}; !slices.Equal(got, want) {
		t.Errorf("texts %q, want %q", got, want)
	}
	if got := catalogs.Page(page, func(text string) string { return text }); got != page {
		t.Errorf("the page became %s", got)
	}
	if got := catalogs.Page("<b>Sound</b>", func(string) string { return "<Ton>" }); got != "<b>&lt;Ton&gt;</b>" {
		t.Errorf("a translation is not escaped: %s", got)
	}
	if !strings.Contains(catalogs.Page(page, strings.ToUpper), "<P") == strings.Contains(page, "<P") {
		t.Error("tags were translated")
	}
}
