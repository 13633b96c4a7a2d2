package quote_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/mail/quote"
)

// sample is an answer, and what its author wrote.
type sample struct {
	name, text, own string
	undecidable     bool // there is nothing by which its author's words differ from others
}

// leastExact is the share of the corpus, in percent, that comes out exactly.
const leastExact = 95

// TestCorpus reads every answer of the corpus: nearly all exactly, and none with a word lost that
// can be told from others. What is not exact is listed by go test -v.
func TestCorpus(t *testing.T) {
	all := corpus(t)
	exact := 0
	for _, s := range all {
		got := quote.Text(s.text)
		if same(got, s.own) {
			exact++
			continue
		}
		t.Logf("not exact: %s\n--- got\n%s\n--- want\n%s", s.name, got, s.own)
		if missing := firstMissing(s.own, got); missing != "" && !s.undecidable {
			t.Errorf("%s: %q is lost", s.name, missing)
		}
	}
	t.Logf("%d of %d are exact: %.1f %%", exact, len(all), 100*float64(exact)/float64(len(all)))
	if len(all) < 220 || 100*exact < leastExact*len(all) {
		t.Errorf("%d of %d are exact", exact, len(all))
	}
}

// corpus is the answers in testdata and those of every language.
func corpus(t testing.TB) (all []sample) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parse(t, file, string(data))...)
	}
	for _, tongue := range tongues {
		for _, shape := range shapes {
			fill := strings.NewReplacer("{a}", address)
			all = append(all, sample{name: shape.name + ", " + tongue.name, text: fill.Replace(shape.text(tongue)), own: fill.Replace(shape.own(tongue))})
		}
	}
	return all
}

// parse reads a file of the corpus. "@@ plain NAME" or "@@ html NAME" stands above an answer,
// "@@ own" above the words of its author. What is easily overlooked is written as \s (a space
// at the end of a line), \b (one that does not break), \z (a space without width) and \r.
func parse(t testing.TB, file, data string) (all []sample) {
	escapes := strings.NewReplacer(`\s`, " ", `\b`, "\u00a0", `\z`, "\u200b", `\r`, "\r")
	for i, part := range strings.Split("\n"+data, "\n@@ ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		kind, name, _ := strings.Cut(head, " ")
		body = escapes.Replace(body)
		switch kind {
		case "plain":
			all = append(all, sample{name: filepath.Base(file) + ": " + name, text: body})
		case "html":
			all = append(all, sample{name: filepath.Base(file) + ": " + name, text: quote.Plain(body)})
		case "own", "undecidable":
			all[len(all)-1].own, all[len(all)-1].undecidable = strings.TrimSpace(body), kind == "undecidable"
		default:
			t.Fatalf("%s: part %d is a %q", file, i, kind)
		}
	}
	return all
}

// same compares texts without the spaces at the ends of lines.
func same(a, b string) bool {
	return trimLines(a) == trimLines(b)
}

func trimLines(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(strings.ReplaceAll(l, "\u00a0", " "), " \t")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// firstMissing returns the first word of one text that is not in another, in the same order.
func firstMissing(words, in string) string {
	rest := strings.Fields(in)
	for _, word := range strings.Fields(words) {
		for len(rest) > 0 && rest[0] != word {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return word
		}
		rest = rest[1:]
	}
	return ""
}

// TestOwnWordsStay: what stays alone also stays above, below and between the quotes of every
// mail program and language.
func TestOwnWordsStay(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range corpus(t) {
		own := s.own
		if seen[own] || quote.Text(own) != own || strings.HasPrefix(own, "---") || strings.Contains(own, "\n>") || strings.HasPrefix(own, ">") {
			continue // it is a quote, or the like
		}
		seen[own] = true
		for _, l := range tongues {
			asked, intro := "\n> "+l.asked+"\n", strings.ReplaceAll(l.gmail, "{a}", address)
			header := strings.ReplaceAll(l.outlook, "{a}", address)
			for name, text := range map[string]string{
				"above":         own + "\n\n" + intro + asked,
				"above, tight":  own + "\n" + intro + asked,
				"below":         intro + asked + "\n" + own,
				"between":       intro + asked + "\n" + own + "\n" + asked,
				"above, broken": own + "\n\n" + strings.ReplaceAll(l.gmailBroken, "{a}", address) + "\n" + asked,
				"above, header": own + "\n\n" + header + "\n\n" + l.asked,
				"above, rule":   own + "\n\n________________________________\n" + header + "\n\n" + l.asked,
				"above, signed": own + "\n\n-- \nBen\n\n" + intro + asked,
				"above, phone":  own + "\n\n" + l.footer + "\n\n" + intro + asked,
			} {
				if missing := firstMissing(own, quote.Text(text)); missing != "" {
					t.Fatalf("%s, %s, %s: %q is lost:\n%s\n--- of\n%s", s.name, l.name, name, missing, quote.Text(text), text)
				}
			}
		}
	}
}
