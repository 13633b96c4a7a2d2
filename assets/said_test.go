package assets_test

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/relay-chat/relay/assets"
	"github.com/relay-chat/relay/assets/build/bundle"
	catalogs "github.com/relay-chat/relay/assets/build/texts"
)

// goFiles parses the sources below folders that are in the program.
func goFiles(t *testing.T, folders ...string) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	for _, folder := range folders {
		found, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
		if err != nil || len(found) == 0 {
			t.Fatal(folder, err)
		}
		for _, name := range found {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := goparser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files[strings.TrimPrefix(name, "../")] = file
		}
	}
	return files
}

// constant is the value of an expression of string literals.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		left, known := constant(e.X)
		right, both := constant(e.Y)
		return left + right, known && both && e.Op == token.ADD
	}
	return "", false
}

// called is the name of what is called.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// signInFiles have the problems of the sign-in pages, each a sentence.
var (
	signInFiles = []string{"server/account/console.go", "server/account/codelogin.go", "server/account/setuplogin.go", "server/account/signon.go", "server/account/connect.go"}
	sentences   = regexp.MustCompile(`^[A-Z].* .*\.$`)
)

// pageSentences are what relay fills into its pages.
func pageSentences(t *testing.T) map[string]string {
	said := map[string]string{}
	for name, file := range goFiles(t, "server", "server/account", "server/web") {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is {
				at := map[string]int{"Say": 1, "SayIn": 1, "ShowError": 3}[called(call)]
				if at > 0 && at < len(call.Args) {
					if text, fixed := constant(call.Args[at]); fixed {
						said[text] = name
					}
				}
			}
			if e, is := n.(ast.Expr); is && slices.Contains(signInFiles, name) {
				if text, fixed := constant(e); fixed && sentences.MatchString(text) {
					said[text] = name
				}
			}
			return true
		})
	}
	return said
}

// TestPagesAreSaidInEveryLanguage: what relay fills into its pages stands in pages.txt, and so has a translation.
func TestPagesAreSaidInEveryLanguage(t *testing.T) {
	listed, err := catalogs.Pages(bundle.TextsFolder)
	if err != nil {
		t.Fatal(err)
	}
	said := pageSentences(t)
	if len(said) < 30 {
		t.Fatalf("only %d texts were found", len(said))
	}
	for text, where := range said {
		if !slices.Contains(listed, text) {
			t.Errorf("%s says %q, which is not in console/lang/pages.txt", where, text)
		}
	}
	codes, err := catalogs.Languages(bundle.TextsFolder)
	if err != nil {
		t.Fatal(err)
	}
	const known = "There is no such page."
	for _, code := range codes {
		if text := assets.Say(code, known); text == known || text == "" {
			t.Errorf("%s: %q", code, text)
		}
	}
	if text := assets.Say("tlh", known); text != known {
		t.Errorf("a language without texts says %q", text)
	}
}
