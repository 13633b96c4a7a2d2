package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// guideNames are the guides of assets/guides, in the order of the manual. Each
// is served at /docs/NAME.
var guideNames = []string{"start", "widget", "telegram", "discord", "slack", "mail", "ai", "knowledge", "team", "single-sign-on", "sites", "customise", "operations", "sizing", "privacy", "webhooks", "hooks", "bridge-mode", "api", "keys", "assistants", "agents"}

// guide is one page of the manual.
type guide struct {
	Name     string // its place below /docs
	Title    string
	Sections []section
	Body     template.HTML
	Places   []place        // for the search
	Settings []settingGroup // instead of a body
}

// section is a heading of the second level, for the contents.
type section struct{ ID, Title string }

// readGuides renders all guides.
func readGuides(root string) ([]guide, error) {
	guides := make([]guide, 0, len(guideNames)+1)
	for _, name := range guideNames {
		source, err := os.ReadFile(filepath.Join(root, "guides", name+".md"))
		if err != nil {
			return nil, err
		}
		g, err := readGuide(root, name, source)
		if err != nil {
			return nil, fmt.Errorf("guide %s: %w", name, err)
		}
		guides = append(guides, g)
	}
	return guides, nil
}

// markdown renders GitHub's tables, ids of headings and pictures, and no raw HTML.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(pictures{}, 100))))

// readGuide renders one guide. It must begin with its title.
func readGuide(root, name string, source []byte) (guide, error) {
	g := guide{Name: name}
	doc := markdown.Parser().Parse(text.NewReader(source))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			g.addHeading(n, source)
		case *ast.Link:
			target, err := servedLink(string(n.Destination))
			n.Destination = []byte(target)
			return ast.WalkContinue, err
		case *ast.Image:
			return ast.WalkContinue, checkPicture(root, n, source)
		case *ast.RawHTML, *ast.HTMLBlock:
			return ast.WalkStop, errors.New("raw HTML is not rendered")
		}
		return ast.WalkContinue, nil
	})
	if err == nil && g.Title == "" {
		err = errors.New("it has no title")
	}
	if err != nil {
		return guide{}, err
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, doc); err != nil {
		return guide{}, err
	}
	g.Places = guidePlaces(doc, source, "/docs/"+name)
	g.Body = template.HTML(nameTables(scrollable.Replace(out.String())))
	return g, nil
}

// scrollable makes wide blocks reachable by keyboard.
var scrollable = strings.NewReplacer("<pre>", `<pre tabindex="0">`,
	"</table>", "</table></div>", "<th></th>", "<td></td>")

// headingOrTable finds what names a table, and the table.
var (
	headingOrTable = regexp.MustCompile(`(?s)<h\d[^>]*>(.*?)</h\d>|<table>`)
	tag            = regexp.MustCompile(`<[^>]*>`)
)

// nameTables makes tables reachable by keyboard, each with a name of its own: its
// heading's, and a number if that has several.
func nameTables(html string) string {
	heading := ""
	tables := map[string]int{}
	return headingOrTable.ReplaceAllStringFunc(html, func(found string) string {
		if found != "<table>" {
			heading = tag.ReplaceAllString(found, "")
			return found
		}
		tables[heading]++
		name := "Table: " + heading
		if n := tables[heading]; n > 1 {
			name += ", " + strconv.Itoa(n)
		}
		return `<div class="docs-table" role="region" aria-label="` + name + `" tabindex="0"><table>`
	})
}

func (g *guide) addHeading(h *ast.Heading, source []byte) {
	title := textOf(h, source)
	switch h.Level {
	case 1:
		g.Title = title
	case 2:
		g.Sections = append(g.Sections, section{idOf(h), title})
	}
}

// guideLink is a link from one guide to another, as it works in a clone.
var guideLink = regexp.MustCompile(`^([a-z-]+)\.md(#.*)?$`)

// servedLink turns a link that works in a clone into one that works at /docs.
func servedLink(target string) (string, error) {
	if m := guideLink.FindStringSubmatch(target); m != nil {
		return "/docs/" + m[1] + m[2], nil
	}
	if target == "../../relay.example.env" {
		return "/docs/settings", nil
	}
	if strings.HasPrefix(target, "https://") || strings.HasPrefix(target, "/") || strings.HasPrefix(target, "#") {
		return target, nil
	}
	return "", fmt.Errorf("the link %q leads nowhere at /docs", target)
}
