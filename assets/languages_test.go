package assets_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/assets/build/bundle"
)

const languages = "ar de en es fr he it ja nl pl pt sv tr zh"

// texts reads the texts of a language, by section and name.
func texts(t *testing.T, code string) map[string]map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("widget", "lang", code+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	return all
}

var braces = regexp.MustCompile(`\{\w+\}`)

// tags are those of pages, and the slots that relay fills in.
var tags = regexp.MustCompile(`<[^>]+>|\$\{\w+\}`)

// placeholders lists what a text, or a form of it, wants filled in.
func placeholders(text any) []string {
	found := braces.FindAllString(fmt.Sprint(text), -1)
	slices.Sort(found)
	return slices.Compact(found)
}

func TestLanguagesAreComplete(t *testing.T) {
	english := texts(t, "en")
	sections := map[string]string{}
	for section, of := range english {
		for name := range of {
			if other := sections[name]; other != "" && english[other][name] != of[name] {
				t.Errorf("%s is in %s and %s with different texts: own texts go by the name alone", name, other, section)
			}
			sections[name] = section
		}
	}
	for _, code := range strings.Fields(languages) {
		theirs := texts(t, code)
		for section, want := range english {
			if got := theirs[section]; !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
				t.Errorf("%s: %s has not the names of English", code, section)
			}
			for name, text := range want {
				other := theirs[section][name]
				if _, plural := other.(map[string]any); plural == (fmt.Sprintf("%T", text) == "string") || other == "" {
					t.Errorf("%s: %s.%s is %v, in English %v", code, section, name, other, text)
				}
				if got, want := placeholders(other), placeholders(text); !slices.Equal(got, want) {
					t.Errorf("%s: %s.%s fills in %v, want %v", code, section, name, got, want)
				}
			}
		}
	}
	files, err := filepath.Glob(filepath.Join("widget", "lang", "*.json"))
	if err != nil || len(files) != len(strings.Fields(languages)) {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// Every number has its form in every language, as the browser's Intl counts.
func TestPluralForms(t *testing.T) {
	_, b := ready(t, "")
	for _, code := range strings.Fields(languages) {
		want := eval[[]string](b, fmt.Sprintf(`new Intl.PluralRules(%q).resolvedOptions().pluralCategories`, code))
		slices.Sort(want)
		for section, of := range texts(t, code) {
			for name, text := range of {
				if forms, plural := text.(map[string]any); plural && !slices.Equal(slices.Sorted(maps.Keys(forms)), want) {
					t.Errorf("%s: %s.%s has the forms %v, want %v", code, section, name, slices.Sorted(maps.Keys(forms)), want)
				}
			}
		}
	}
}

// The language is the option's, else the setting's, else the page's, else the
// browser's; its file is loaded once and only when the chat is opened.
func TestLanguageIsChosen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ option, setting, page, want string }{
		{"", "", "en", "en"},
		{"pt-BR", "fr", "de", "pt"},
		{"", "fr", "de", "fr"},
		{"", "auto", "de-AT", "de"},
		{"", "auto", "cs", "en"}, // the browser's
		{"xx", "yy", "nl", "nl"},
	} {
		t.Run(strings.Join([]string{c.option, c.setting, c.page}, "/"), func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.config["language"] = c.setting
			b := newTab(t, newSite(t, f.url(), snippet(f.url(), fmt.Sprintf(`data-locale=%q`, c.option))))
			b.visit("/")
			b.run(fmt.Sprintf(`document.documentElement.lang = %q`, c.page))
			b.is(`!performance.getEntriesByType("resource").some((r) => r.name.includes("/lang-"))`)
			b.open()
			write, _ := texts(t, c.want)["panel"]["write"].(string)
			b.until(fmt.Sprintf(`$("textarea").placeholder === %q && $(".panel").lang === %q`, write, c.want))
			b.is(fmt.Sprintf(`performance.getEntriesByType("resource").filter((r) => r.name.includes("/lang-%s-")).length === %d`, c.want, map[bool]int{true: 0, false: 1}[c.want == "en"]))
			b.clean()
		})
	}
}

// A change of the language changes an open chat; the team's own texts win, and the
// next page's launcher speaks the language before anything is loaded.
func TestLanguageChanges(t *testing.T) {
	f, b := ready(t, "")
	f.mu.Lock()
	f.config["welcomeMessage"] = "Hi! How can we help?"
	f.config["operatorName"] = "Support"
	f.config["texts"] = object{"de": object{"offlineMessage": "Wir rufen zurück.", "write": "Schreib uns!"}}
	f.mu.Unlock()
	b.open()
	b.write("hello")
	b.until(`$(".own.sent")`)
	b.text("half")
	b.run(`RelayChat.setLocale("de")`)
	b.until(`$("textarea").placeholder === "Schreib uns!" && rows()[0] === "Hallo! Wie können wir helfen?"`)
	b.is(`$("textarea").value === "half" && root.activeElement === $("textarea") && $$(".panel").length === 1`)
	b.until(`$(".own .meta").textContent.includes("Gesendet")`)
	f.do(t, func(s *fakeSession) { s.send(fakeEvent{name: "operator_status", data: object{"online": false}}) })
	b.until(`$$(".note").at(-1).textContent === "Wir rufen zurück."`)
	b.shot("de")
	b.run(`RelayChat.close()`)
	b.until(`$(".launcher").ariaLabel === "Chat öffnen"`)
	b.run(`RelayChat.setLocale("zz")`)
	b.until(`$(".launcher").ariaLabel === "Open chat"`)
	b.run(`RelayChat.setLocale("ja")`)
	b.until(`$(".launcher").ariaLabel === "チャットを開く"`)
	b.until(`JSON.parse(localStorage["relay:pk_test:look"]).name === "チャットを開く"`)
	b.clean()
}

// TestLauncherName: before the chat is opened, the button has a name that every
// language knows, without another file.
func TestLauncherName(t *testing.T) {
	f, b := ready(t, "")
	b.is(`$(".launcher").ariaLabel === "Chat" && $(".launcher").ariaExpanded === "false"`)
	if n := f.count("POST init"); n > 0 {
		t.Errorf("%d sessions began", n)
	}
}

// Every language fits the panel: looked at in pictures, and nothing is cut off.
func TestLanguagesFit(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	chatter(f, b)
	f.fact(t, "csat_request", object{"at": now()})
	for _, code := range strings.Fields(languages) {
		b.run(fmt.Sprintf(`RelayChat.setLocale(%q)`, code))
		b.until(fmt.Sprintf(`$(".panel").lang === %q && shown(".csat")`, code))
		b.until(`$(".panel").scrollWidth <= $(".panel").clientWidth && $(".log").scrollWidth <= $(".log").clientWidth`)
		b.shot(code)
	}
	b.clean()
}

// English texts that stand in the server's defaults are translated like the widget's own.
func TestDefaultsAreTranslated(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("..", "server", "chat", "setting.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"hello", "offline", "operator"} {
		text, _ := texts(t, "en")["panel"][name].(string)
		if !strings.Contains(string(source), "`\""+text+"\"`") {
			t.Errorf("%s is %q in English, which is no default of the server", name, text)
		}
	}
}

// TestOneLanguageCounts: a visitor loads one language, so the budget holds the largest.
func TestOneLanguageCounts(t *testing.T) {
	n := 0
	for _, f := range build(t) {
		if strings.HasPrefix(f.Name, "lang-") {
			n++
			if size := len(bundle.Gzip(f.Data)); size > partBudget {
				t.Errorf("%s: %d bytes gzipped", f.Name, size)
			}
		}
	}
	if n != len(strings.Fields(languages))-1 { // English is no file
		t.Errorf("%d files of languages", n)
	}
}
