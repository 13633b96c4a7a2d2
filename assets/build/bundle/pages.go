package bundle

import (
	"bytes"
	"html/template"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"

	"github.com/relay-chat/relay/schema"
)

// layout frames the public pages; the others are whole documents.
const layout = "pages/layout.html"

// pages are the sources of the pages, and whether they stand in the layout.
var pages = []struct {
	source string
	framed bool
}{
	{"pages/setup.html", true},
	{"pages/locked.html", true},
	{"pages/status.html", true},
	{"pages/demo.html", true},
	{"pages/error.html", true},
	{"pages/consent.html", true},
	{"pages/connect.html", true},
	{"pages/connect-box.html", false},
	{"pages/connect-document.html", false},
	{"pages/connected.html", true},
	{"pages/chat.html", false},
	{"pages/resume.html", true},
	{"console/account/login.html", true},
	{"console/account/code.html", true},
	{"console/account/setup-code.html", true},
	{"console/account/setup-done.html", true},
	{"console/account/invitation.html", true},
	{"console/console.html", false},
	{"console/settings/widget/preview.html", false},
}

// slots stand in the built pages for what is only known when one is shown:
// relay puts text there, escaped. Attributes are whole, such as autofocus.
func slots() map[string]any {
	values := map[string]any{}
	for _, name := range []string{"PublicKey", "SecretKey", "Snippet", "OperatorName", "Version", "Name", "Problem", "Invalid", "Hint",
		"Status", "Title", "Text", "OperatorID", "Role", "Pages", "Mails", "Hosts", "Email", "Team", "WrongPassword", "PasskeyOrigin", "WrongKey", "Link", "Chat", "There", "Letter", "SignOn", "Only",
		"Host", "Document", "Request", "Consent", "Field", "Value", "Words", "Scopes", "Sites", "Several", "Secret", "ViewBox", "QR", "RecoveryCodes"} {
		values[name] = "${" + name + "}"
	}
	for _, name := range []string{"FocusName", "FocusKey", "FocusEmail", "FocusPassword", "OpenKey", "Manifest", "Checked", "Href"} {
		values[name] = template.HTMLAttr("${" + name + "}")
	}
	return values
}

// buildPages executes the pages' templates. It happens here and not in relay: what
// executes a template at run time may call any method by its name, so that the
// linker has to keep those of all libraries, a fifth of the program.
func buildPages(root string) ([]File, error) {
	values := slots()
	files := make([]File, 0, 1+len(pages))
	files = append(files, File{Name: "openapi.yaml", Data: schema.OpenAPI})
	for _, p := range pages {
		sources := []string{filepath.Join(root, p.source)}
		if p.framed {
			// First: what the page defines replaces what the layout has for it.
			sources = append([]string{filepath.Join(root, layout)}, sources...)
		}
		page, err := buildPage(values, sources...)
		if err != nil {
			return nil, err
		}
		files = append(files, File{Name: filepath.Base(p.source), Data: page})
	}
	docs, err := buildManual(root, values)
	return append(files, docs...), err
}

// buildPage executes the last template, within those before it.
func buildPage(values map[string]any, sources ...string) ([]byte, error) {
	name := filepath.Base(sources[0])
	if len(sources) > 1 {
		name = "layout"
	}
	t, err := template.New(name).Funcs(template.FuncMap{"markdown": description}).ParseFiles(sources...)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Option("missingkey=error").ExecuteTemplate(&out, name, values); err != nil {
		return nil, err
	}
	return dense(out.Bytes()), nil
}

// description renders a description of the OpenAPI document. Its headings stand
// below those of the page.
func description(text string) (template.HTML, error) {
	var out bytes.Buffer
	err := goldmark.Convert([]byte(strings.ReplaceAll(text, "## ", "### ")), &out)
	return template.HTML(out.String()), err
}

// Line breaks with their indentation mean one space, but for those in
// preformatted text.
var (
	lineBreak    = regexp.MustCompile(`\s*\n\s*`)
	preformatted = regexp.MustCompile(`(?s)<pre.*?</pre>`)
)

// dense takes the indentation out of a page.
func dense(page []byte) []byte {
	var out []byte
	for {
		pre := preformatted.FindIndex(page)
		if pre == nil {
			return append(out, lineBreak.ReplaceAll(page, []byte(" "))...)
		}
		out = append(out, lineBreak.ReplaceAll(page[:pre[0]], []byte(" "))...)
		out = append(out, page[pre[0]:pre[1]]...)
		page = page[pre[1]:]
	}
}
