package knowledge

import (
	"errors"
	"net/url"
	"strings"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxElements is how many elements of a page are searched for its main content.
const maxElements = 20_000

// maxLinks is how many links of a page are followed.
const maxLinks = 2000

// extractHTML reads a page: its main content as Markdown, and where it leads.
func extractHTML(text string, at *url.URL) (document, error) {
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return document{}, errors.New("it is no HTML that can be read")
	}
	d := document{title: oneLine(textOf(find(root, atom.Title)))}
	if at != nil {
		d.links = linksOf(root, at)
	}
	heading := oneLine(textOf(find(root, atom.H1)))
	main := mainContent(root, at)
	tidy(main)
	plugins := []converter.Plugin{base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()}
	if tablesFit(main) {
		plugins = append(plugins, table.NewTablePlugin())
	}
	markdown, err := converter.NewConverter(converter.WithPlugins(plugins...)).ConvertNode(main)
	if err != nil {
		return document{}, errors.New("it is no HTML that can be read")
	}
	if d.title == "" {
		d.title = heading
	}
	d.markdown = clean(string(markdown))
	return d, nil
}

// maxCells is how many cells a page's tables may have when all rows are as wide as
// the widest, which is how they are written.
const maxCells = 100_000

// tablesFit reports whether the tables below a node are of a size that people read:
// few signs of HTML can make billions of cells.
func tablesFit(root *html.Node) bool {
	rows, widest := 1, 1
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if (a.Key == "colspan" || a.Key == "rowspan") && len(strings.TrimSpace(a.Val)) > 2 {
				return false
			}
		}
		if n.DataAtom != atom.Tr {
			continue
		}
		width := 0
		for cell := range n.ChildNodes() {
			width += spanOf(cell)
		}
		rows, widest = rows+1, max(widest, width)
	}
	return rows*widest <= maxCells
}

// spanOf is how many columns a cell takes, at most.
func spanOf(cell *html.Node) int {
	for _, a := range cell.Attr {
		if a.Key == "colspan" {
			return 99
		}
	}
	return 1
}

// mainContent returns what readability takes for the main content. On pages of few
// words, as of shops, it takes too little: then it is all but the frame.
func mainContent(root *html.Node, at *url.URL) *html.Node {
	whole := withoutFrame(root)
	parser := readability.NewParser()
	parser.MaxElemsToParse = maxElements
	article, err := parser.ParseDocument(root, at)
	if err != nil || article.Node == nil || 2*lengthOf(article.Node) < lengthOf(whole) {
		return whole
	}
	return article.Node
}

// frame are the elements that hold no content of the page's own.
var frame = map[atom.Atom]bool{atom.Head: true, atom.Nav: true, atom.Header: true, atom.Footer: true, atom.Aside: true, atom.Script: true, atom.Style: true,
	atom.Noscript: true, atom.Template: true, atom.Iframe: true, atom.Svg: true, atom.Form: true, atom.Button: true, atom.Select: true, atom.Object: true}

// withoutFrame removes menus, scripts and the like, and returns the main element or
// all that is left. The header within the main content stays: it has its title.
func withoutFrame(root *html.Node) *html.Node {
	if main := find(root, atom.Main); main != nil {
		root = main
	}
	inMain := root.DataAtom == atom.Main
	var drop []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.CommentNode || n.Type == html.ElementNode && frame[n.DataAtom] && (n.DataAtom != atom.Header || !inMain) || isHidden(n) {
			drop = append(drop, n)
		}
	}
	for _, n := range drop {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
	return root
}

func isHidden(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "aria-hidden" && a.Val == "true" || a.Key == "style" && strings.Contains(strings.ReplaceAll(a.Val, " ", ""), "display:none") {
			return true
		}
	}
	return false
}

// tidy makes links plain text and drops pictures: answers link to sources only.
func tidy(main *html.Node) {
	var drop []*html.Node
	for n := range main.Descendants() {
		switch n.DataAtom {
		case atom.A:
			n.DataAtom, n.Data, n.Attr = atom.Span, "span", nil
		case atom.Img, atom.Picture, atom.Video, atom.Audio, atom.Canvas:
			drop = append(drop, n)
		}
	}
	for _, n := range drop {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
}

// find returns the first element of a kind, nil if there is none.
func find(root *html.Node, kind atom.Atom) *html.Node {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == kind {
			return n
		}
	}
	return nil
}

func textOf(n *html.Node) string {
	var out strings.Builder
	if n != nil {
		for child := range n.Descendants() {
			if child.Type == html.TextNode {
				out.WriteString(child.Data)
			}
		}
	}
	return out.String()
}

// lengthOf counts the characters of a node's text.
func lengthOf(n *html.Node) (length int) {
	for child := range n.Descendants() {
		if child.Type == html.TextNode {
			length += utf8.RuneCountInString(strings.TrimSpace(child.Data))
		}
	}
	return length
}

// linksOf lists where a page leads, absolute.
func linksOf(root *html.Node, at *url.URL) (links []string) {
	if b := find(root, atom.Base); b != nil {
		if u, err := at.Parse(attribute(b, "href")); err == nil {
			at = u
		}
	}
	seen := map[string]bool{}
	for n := range root.Descendants() {
		if n.DataAtom != atom.A || strings.Contains(attribute(n, "rel"), "nofollow") || len(links) == maxLinks {
			continue
		}
		u, err := at.Parse(strings.TrimSpace(attribute(n, "href")))
		if err != nil || seen[u.String()] {
			continue
		}
		seen[u.String()] = true
		links = append(links, u.String())
	}
	return links
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
