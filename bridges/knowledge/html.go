package knowledge

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxLinks bounds how many links of a page are followed.
const maxLinks = 2000

// maxTags is how many tags of a page are read. What comes behind them is left out.
const maxTags = 200_000

// formatting are the elements that HTML's rules open again in each paragraph until they
// are closed: a page of 250 KB grows to millions of elements. None of them changes a word.
var formatting = map[atom.Atom]bool{atom.B: true, atom.Big: true, atom.Code: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Nobr: true, atom.S: true,
	atom.Small: true, atom.Strike: true, atom.Strong: true, atom.Tt: true, atom.U: true}

// withoutFormatting leaves formatting out of a page, and what follows its first maxTags.
func withoutFormatting(text string) string {
	var out strings.Builder
	z := html.NewTokenizer(strings.NewReader(text))
	for tags := 0; tags < maxTags; {
		kind := z.Next()
		raw := z.Raw()
		switch kind {
		case html.ErrorToken:
			out.Write(raw)
			return out.String()
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			tags++
			if name, _ := z.TagName(); formatting[atom.Lookup(name)] {
				continue
			}
		}
		out.Write(raw)
	}
	return out.String()
}

// extractHTML reads a page: its title, its main content as Markdown, its links, and what it says of
// itself in its head.
func extractHTML(text string, at *url.URL) (document, error) {
	// Without scripts, what stands in noscript is elements.
	root, err := html.ParseWithOptions(strings.NewReader(withoutFormatting(text)), html.ParseOptionEnableScripting(false))
	if err != nil {
		return document{}, errors.New("its HTML cannot be read")
	}
	d := document{Title: oneLine(textOf(find(root, atom.Title)))}
	data := readData(root)
	d.Head = headOf(root, at, d.Title, data.dated)
	if at != nil {
		d.Links = linksOf(root, at)
	}
	heading := oneLine(textOf(find(root, atom.H1)))
	asks := asksToSignIn(root)
	d.Markdown = clean(markdownOf(mainContent(root)))
	d.Head.Refused = refusal(d.Title, heading, d.Markdown, asks)
	d.Markdown += clean(data.beyond(d.Markdown))
	if d.Title == "" {
		d.Title = heading
	}
	return d, nil
}

// mainContent returns a page's main element, or all of it, without menus, banners and lists
// of links. An element with half of the text stays, whatever it is called.
func mainContent(root *html.Node) *html.Node {
	main := removeFrame(root)
	extents := measure(main)
	var drop []*html.Node
	for n, e := range extents {
		if n != main && 2*e.text < extents[main].text && (isAside(n) || n.DataAtom == atom.Form || isLinkList(n, e)) {
			drop = append(drop, n)
		}
	}
	remove(drop)
	return main
}

// extent counts an element's characters, those inside links, and its links.
type extent struct{ text, linked, links int }

// measure returns the extent of each element below a node, in one pass.
func measure(root *html.Node) map[*html.Node]extent {
	var sum extent
	openLinks := 0
	all := map[*html.Node]extent{}
	for n, leaving := root, false; n != nil; n, leaving = nextNode(n, leaving, root) {
		isLink := n.Type == html.ElementNode && n.DataAtom == atom.A
		switch {
		case n.Type == html.TextNode && !leaving:
			length := utf8.RuneCountInString(strings.TrimSpace(n.Data))
			sum.text += length
			if openLinks > 0 {
				sum.linked += length
			}
		case n.Type == html.TextNode:
		case leaving:
			if isLink {
				openLinks--
			}
			before := all[n]
			all[n] = extent{sum.text - before.text, sum.linked - before.linked, sum.links - before.links}
		default:
			all[n] = sum
			if isLink {
				openLinks++
				sum.links++
			}
		}
	}
	return all
}

// isLinkList reports whether an element is a list that consists of links.
func isLinkList(n *html.Node, e extent) bool {
	return (n.DataAtom == atom.Ul || n.DataAtom == atom.Ol) && e.links >= 4 && 10*e.linked >= 9*e.text
}

// frameElements surround a page's content or are invisible.
var frameElements = map[atom.Atom]bool{atom.Head: true, atom.Nav: true, atom.Footer: true, atom.Aside: true, atom.Script: true, atom.Style: true, atom.Template: true,
	atom.Iframe: true, atom.Svg: true, atom.Button: true, atom.Select: true, atom.Textarea: true, atom.Object: true, atom.Canvas: true, atom.Dialog: true}

// removeFrame removes menus, scripts and the like, and returns the main element or all
// that is left. A header within the content stays: it has the title.
func removeFrame(root *html.Node) *html.Node {
	rules := sheetOf(root)
	if main := find(root, atom.Main); main != nil && !isEmpty(main) {
		root = main
	}
	liftTitle(root)
	opened := disclose(root, rules)
	var drop []*html.Node
	for n := range root.Descendants() {
		switch {
		case n.Type == html.CommentNode, n.Type == html.ElementNode && isFrame(n, root):
			drop = append(drop, n)
		case n.Type == html.ElementNode:
			if s := rules.sightOf(n); s == unseen || s == onDemand && !opened.isOpened(n) {
				drop = append(drop, n)
			}
		}
	}
	remove(drop)
	return root
}

// isEmpty reports whether an element has no text, as before a script fills it.
func isEmpty(n *html.Node) bool {
	for inner := range n.Descendants() {
		if inner.Type == html.TextNode && strings.TrimSpace(inner.Data) != "" && inner.Parent.DataAtom != atom.Script && inner.Parent.DataAtom != atom.Style {
			return false
		}
	}
	return true
}

// isFrame reports whether an element surrounds the content.
func isFrame(n, root *html.Node) bool {
	switch n.DataAtom {
	case atom.Header:
		return root.DataAtom != atom.Main && !withinContent(n)
	case atom.Noscript:
		return n.Parent == nil || n.Parent.DataAtom == atom.Head || wantsScripts(n)
	}
	return frameElements[n.DataAtom]
}

// withinContent reports whether a header is that of an article or section.
func withinContent(n *html.Node) bool {
	for up := n.Parent; up != nil; up = up.Parent {
		if up.DataAtom == atom.Article || up.DataAtom == atom.Section {
			return true
		}
	}
	return false
}

// liftTitle puts the only title of a page in front of the header that it is in.
func liftTitle(root *html.Node) {
	var title *html.Node
	for n := range root.Descendants() {
		if n.DataAtom == atom.H1 {
			if title != nil {
				return
			}
			title = n
		}
	}
	if title == nil {
		return
	}
	for up := title.Parent; up != nil && up != root; up = up.Parent {
		if up.DataAtom == atom.Header && up.Parent != nil && !withinContent(up) {
			title.Parent.RemoveChild(title)
			up.Parent.InsertBefore(title, up)
			return
		}
	}
}

// wantsScripts reports whether a text says no more than that scripts are needed.
func wantsScripts(n *html.Node) bool {
	const most = 400
	var out strings.Builder
	for inner := range n.Descendants() {
		if inner.Type == html.TextNode {
			out.WriteString(inner.Data)
		}
		if out.Len() > most {
			return false
		}
	}
	return strings.Contains(strings.ToLower(out.String()), "javascript") || strings.TrimSpace(out.String()) == ""
}

func remove(drop []*html.Node) {
	for _, n := range drop {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
}

// asideNames are words in the class, id or role of elements without content.
var asideNames = map[string]bool{"nav": true, "navbar": true, "navigation": true, "menu": true, "sidebar": true, "breadcrumb": true, "breadcrumbs": true, "cookie": true, "cookies": true,
	"consent": true, "banner": true, "footer": true, "contentinfo": true, "complementary": true, "search": true, "social": true, "share": true, "sharing": true, "related": true,
	"pagination": true, "pager": true, "newsletter": true, "popup": true, "modal": true, "skip": true, "advertisement": true, "ads": true, "promo": true, "toc": true}

// isAside reports whether an element's names say that it is not content.
func isAside(n *html.Node) bool {
	return slices.ContainsFunc(namesOf(n, "class", "id", "role"), func(word string) bool { return asideNames[word] })
}

// namesOf are the words in some attributes of an element, in small letters.
func namesOf(n *html.Node, attributes ...string) (list []string) {
	for _, name := range attributes {
		list = append(list, strings.FieldsFunc(strings.ToLower(attribute(n, name)), func(r rune) bool { return r == ' ' || r == '-' || r == '_' })...)
	}
	return list
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

// linksOf lists the absolute addresses that a page links to.
func linksOf(root *html.Node, at *url.URL) (links []string) {
	if b := find(root, atom.Base); b != nil {
		if u, err := at.Parse(attribute(b, "href")); err == nil && len(u.String()) <= maxAddress {
			at = u
		}
	}
	seen := map[string]bool{}
	for n := range root.Descendants() {
		other := n.DataAtom == atom.Link && attribute(n, "hreflang") != "" && strings.EqualFold(attribute(n, "rel"), "alternate") // the page in another language
		if n.DataAtom != atom.A && !other || strings.Contains(attribute(n, "rel"), "nofollow") || len(links) == maxLinks {
			continue
		}
		href := strings.TrimSpace(attribute(n, "href"))
		if len(href) > maxAddress {
			continue
		}
		u, err := at.Parse(href)
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
