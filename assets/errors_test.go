package assets_test

import (
	"go/ast"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/assets/build/bundle"
	catalogs "github.com/relay-chat/relay/assets/build/texts"
	"github.com/relay-chat/relay/server/chat"
)

// refusing are the packages whose errors the API answers.
var refusing = []string{"server", "server/account", "server/learning", "server/web", "server/team", "server/engine", "server/engine/queue", "server/chat",
	"server/statistics", "server/privacy", "server/moving", "server/keyring", "bridges", "bridges/knowledge", "bridges/push", "bridges/webhook", "db"}

// refusals are the functions and types that make an error of the API, and which of their arguments is its text.
var refusals = map[string]int{"ErrorAt": 2, "Errorf": 1, "BadRequest": 0, "checkError": 0, "number": 2}

// pattern is what an expression says, with {?} for what is only known when it is said.
func pattern(e ast.Expr, fixed map[string]ast.Expr) string {
	if text, is := constant(e); is {
		return text
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return pattern(e.X, fixed) + pattern(e.Y, fixed)
		}
	case *ast.Ident:
		if value, is := fixed[e.Name]; is {
			return pattern(value, nil)
		}
	case *ast.CallExpr:
		if called(e) == "Sprintf" {
			return pattern(e.Args[0], fixed)
		}
		if called(e) == "itoa" || called(e) == "Itoa" {
			return "1"
		}
	}
	return "{?}"
}

var (
	verbNumber = regexp.MustCompile(`%(\[\d\])?d`)
	verbText   = regexp.MustCompile(`%[.\d]*(\[\d\])?[svq]`)
	quoted     = regexp.MustCompile(`“[^”]*”`)
	digits     = regexp.MustCompile(`\d+`)
	size       = regexp.MustCompile(`^must (?:be|have) ((?:at (?:least|most) )?\d.*)$`)
	problems   = regexp.MustCompile(`^(?:must|is|has|names|needs) `)
)

// inWords is that of console/ui/fields.ts.
func inWords(problem string) string {
	if problem == "is required" {
		return "Please fill in this field"
	}
	if m := size.FindStringSubmatch(problem); m != nil {
		return "Use " + m[1]
	}
	if one, is := strings.CutPrefix(problem, "must be "); is {
		if strings.HasPrefix(one, "one of ") {
			return "Choose " + one
		}
		return "Enter " + one
	}
	if problems.MatchString(problem) {
		return "This " + problem
	}
	return problem
}

// keyOf is what the console looks up for an error: as known of console/ui/texts.ts finds it.
func keyOf(text string, ofField bool) string {
	text = verbText.ReplaceAllString(verbNumber.ReplaceAllString(text, "1"), "{?}")
	if _, problem := chat.FieldOf(strings.ReplaceAll(text, "{?}", "x")); problem != "" {
		_, text, _ = strings.Cut(text, " ")
		ofField = true
	}
	if ofField {
		text = inWords(text)
	}
	text = quoted.ReplaceAllString(text, "“{n}”")
	return digits.ReplaceAllString(text, "{n}")
}

// saidErrors are the errors that the sources make, by what the console looks up, with where they stand.
func saidErrors(t *testing.T) map[string]string {
	said := map[string]string{}
	for name, file := range goFiles(t, refusing...) {
		fixed := map[string]ast.Expr{}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, is := n.(*ast.ValueSpec); is && len(spec.Names) == len(spec.Values) {
				for i, name := range spec.Names {
					fixed[name.Name] = spec.Values[i]
				}
			}
			return true
		})
		ast.Inspect(file, func(n ast.Node) bool {
			for _, text := range textsOf(n, fixed) {
				said[text] = name
			}
			return true
		})
	}
	return said
}

// textsOf are the errors that a node makes itself.
func textsOf(n ast.Node, fixed map[string]ast.Expr) []string {
	switch n := n.(type) {
	case *ast.CallExpr:
		at, is := refusals[called(n)]
		if f, method := n.Fun.(*ast.SelectorExpr); method {
			if from, named := f.X.(*ast.Ident); named && from.Name == "fmt" {
				return nil
			}
		}
		if is && at < len(n.Args) && (called(n) != "number" || strings.HasPrefix(pattern(n.Args[at], fixed), "must ")) {
			return []string{keyOf(pattern(n.Args[at], fixed), called(n) == "checkError" || called(n) == "number")}
		}
	case *ast.ValueSpec:
		if of, is := n.Type.(*ast.Ident); is && of.Name == "checkError" && len(n.Values) == 1 {
			return []string{keyOf(pattern(n.Values[0], fixed), true)}
		}
	case *ast.CompositeLit:
		name := ""
		switch of := n.Type.(type) {
		case *ast.Ident:
			name = of.Name
		case *ast.SelectorExpr:
			name = of.Sel.Name
		}
		if name == "Error" {
			return literalTexts(n, fixed, "Text")
		}
	}
	return nil
}

// literalTexts are the fields of a literal that have texts.
func literalTexts(n *ast.CompositeLit, fixed map[string]ast.Expr, names ...string) []string {
	var found []string
	for _, e := range n.Elts {
		if field, is := e.(*ast.KeyValueExpr); is {
			if key, named := field.Key.(*ast.Ident); named && slices.Contains(names, key.Name) {
				found = append(found, keyOf(pattern(field.Value, fixed), false))
			}
		}
	}
	return found
}

// english.txt has what stays English.
func staysEnglish(t *testing.T) []string {
	data, err := os.ReadFile("console/lang/english.txt")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(string(data), "\n"), func(line string) bool { return line == "" || strings.HasPrefix(line, "#") })
}

// TestErrorsAreTranslated: every error of the API is translated in the console (server.txt), or named in english.txt.
func TestErrorsAreTranslated(t *testing.T) {
	translated, err := catalogs.Server(bundle.TextsFolder)
	if err != nil {
		t.Fatal(err)
	}
	said, english := saidErrors(t), staysEnglish(t)
	if len(said) < 400 {
		t.Fatalf("only %d errors were found", len(said))
	}
	for _, text := range slices.Sorted(maps.Keys(said)) {
		if listed, stays := slices.Contains(translated, text), slices.Contains(english, text); listed == stays {
			t.Errorf("%s says %q: in server.txt %t, in english.txt %t", said[text], text, listed, stays)
		}
	}
	for _, text := range english {
		if said[text] == "" {
			t.Errorf("english.txt has %q, which nothing says", text)
		}
	}
}

// ofCards are the fields of a platform's card with what people read; platforms' names are the same in every language.
var ofCards = []string{"About", "Make", "Place", "Waiting", "Use", "Add", "AddButton", "Member", "Label", "Hint", "Text", "Wrong", "Looks", "None"}

// TestCardsAreTranslated: what a platform's card says, and that its token is not accepted, is translated in the console.
func TestCardsAreTranslated(t *testing.T) {
	translated, err := catalogs.Server(bundle.TextsFolder)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for name, file := range goFiles(t, "bridges/telegram", "bridges/discord", "bridges/slack") {
		ast.Inspect(file, func(n ast.Node) bool {
			value, is := n.(*ast.CompositeLit)
			if !is {
				return true
			}
			if strings.HasSuffix(name, "/kind.go") {
				for _, text := range literalTexts(value, nil, ofCards...) {
					said[text] = name
				}
			}
			for _, text := range literalTexts(value, nil, "Problem") {
				if strings.Contains(text, "does not accept the") && strings.HasSuffix(text, "token") {
					said[text] = name
				}
			}
			return true
		})
	}
	if len(said) < 35 {
		t.Fatalf("only %d texts were found", len(said))
	}
	for text, where := range said {
		if !slices.Contains(translated, text) && !strings.HasPrefix(text, "@") {
			t.Errorf("%s says %q, which is not in server.txt", where, text)
		}
	}
}

// TestErrorsKeepTheirValues: a translation has as many places for values as the English.
func TestErrorsKeepTheirValues(t *testing.T) {
	translated, err := catalogs.Server(bundle.TextsFolder)
	if err != nil {
		t.Fatal(err)
	}
	codes, err := catalogs.Languages(bundle.TextsFolder)
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range codes {
		catalog, err := catalogs.ReadCatalog(bundle.TextsFolder, code)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range translated {
			if got, want := strings.Count(catalog[text].One, "{n}"), strings.Count(text, "{n}"); got != want {
				t.Errorf("%s: %q has %d values, not %d", code, catalog[text].One, got, want)
			}
		}
	}
}
