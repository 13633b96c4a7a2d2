package knowledge

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// disclosures are the parts of a page that a click opens: accordions, tabs, details. What opens one
// becomes its heading.
type disclosures struct {
	ids   map[string]*html.Node
	rules sheet
	parts map[*html.Node]bool // what is opened
	place map[*html.Node]int  // in the page, of what has an id and of triggers
}

// endHeading is an element behind an opened part, where its heading ends.
const endHeading = "relay-end"

// maxTriggers is how many of a page's triggers are followed.
const maxTriggers = 2000

// disclose makes headings of what opens parts of a page, and returns the page's disclosures.
func disclose(root *html.Node, rules sheet) *disclosures {
	d := &disclosures{ids: map[string]*html.Node{}, rules: rules, parts: map[*html.Node]bool{}, place: map[*html.Node]int{}}
	var triggers []*html.Node
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if id := attribute(n, "id"); id != "" && d.ids[id] == nil {
			d.ids[id], d.place[n] = n, len(d.place)
		}
		if len(triggers) < maxTriggers && isTrigger(n) {
			triggers, d.place[n] = append(triggers, n), len(d.place)
		}
	}
	for _, n := range triggers {
		d.open(n)
	}
	return d
}

// open makes a heading of what opens a part, or puts its text there in front of the part: of tabs.
func (d *disclosures) open(n *html.Node) {
	part := d.partOf(n)
	if part == nil || isApart(part) {
		return
	}
	text := headingText(n)
	if text == "" {
		return
	}
	d.parts[part] = true
	if at, known := d.place[part]; known && at < d.place[n] { // "show more" below it
		return
	}
	if isTab(n) {
		heading := &html.Node{Type: html.ElementNode, Data: "h6", DataAtom: atom.H6}
		heading.AppendChild(&html.Node{Type: html.TextNode, Data: text})
		part.InsertBefore(heading, part.FirstChild)
		d.endBehind(part)
		n.DataAtom, n.Data = atom.Button, "button" // goes with the frame
		return
	}
	switch {
	case inHeading(n) || hasHeading(n):
		n.DataAtom, n.Data = atom.Span, "span"
	default:
		n.DataAtom, n.Data = atom.H6, "h6"
		d.endBehind(part)
	}
}

func (d *disclosures) endBehind(part *html.Node) {
	if part.Parent != nil {
		part.Parent.InsertBefore(&html.Node{Type: html.ElementNode, Data: endHeading}, part.NextSibling)
	}
}

// partOf is what a trigger opens, nil if that is not known.
func (d *disclosures) partOf(n *html.Node) *html.Node {
	if part := d.ids[targetOf(n)]; part != nil && part != n && !isWithin(n, part) {
		return part
	}
	if n.DataAtom == atom.Summary {
		return n.Parent
	}
	for up := n; up != nil && up.Parent != nil; up = up.Parent {
		next := nextElement(up)
		switch {
		case next != nil && (d.rules.sightOf(next) == onDemand || attribute(n, "aria-expanded") != "" || named(n, questionNames) || named(next, partNames)) && !isTrigger(next):
			return next
		case next != nil:
			return nil
		case !wrapsTrigger[up.Parent.DataAtom]:
			return nil
		}
	}
	return nil
}

// wrapsTrigger are the elements around a trigger that may stand in front of what it opens.
var wrapsTrigger = map[atom.Atom]bool{atom.Div: true, atom.Header: true, atom.Dt: true, atom.P: true, atom.Span: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true}

func isWithin(n, part *html.Node) bool {
	for up := n.Parent; up != nil; up = up.Parent {
		if up == part {
			return true
		}
	}
	return false
}

// isOpened reports whether something that is not seen at first is opened by a click.
func (d *disclosures) isOpened(n *html.Node) bool {
	return !isApart(n) && (d.parts[n] || attribute(n, "role") == "tabpanel" || named(n, partNames))
}

// The words in the names of what opens, and of what is opened.
var (
	questionNames = map[string]bool{"accordion": true, "question": true, "faq": true, "collapsible": true, "toggle": true,
		"toggler": true, "expander": true, "expandable": true, "spoiler": true}
	partNames = map[string]bool{"accordion": true, "answer": true, "faq": true, "collapse": true, "collapsible": true,
		"tab": true, "tabpanel": true, "tabs": true,
		"panel": true, "expandable": true, "spoiler": true, "toggle": true, "disclosure": true}
	apartRoles = map[string]bool{"dialog": true, "alertdialog": true, "menu": true, "menubar": true, "listbox": true,
		"tooltip": true, "alert": true, "status": true, "navigation": true, "search": true}
)

// isApart reports whether something that is opened is no part of what a page says.
func isApart(n *html.Node) bool {
	return apartRoles[attribute(n, "role")] || n.DataAtom == atom.Nav || n.DataAtom == atom.Dialog || attribute(n, "aria-modal") == "true" || isAside(n)
}

// isTrigger reports whether a click on an element opens something.
func isTrigger(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Button, atom.Summary:
		return true
	case atom.Input, atom.Select, atom.Textarea, atom.Body, atom.Main:
		return false
	}
	role, toggle := attribute(n, "role"), attribute(n, "data-toggle")+attribute(n, "data-bs-toggle")
	return role == "tab" || role == "button" || attribute(n, "aria-expanded") != "" || toggle == "collapse" || toggle == "tab" || toggle == "pill"
}

func isTab(n *html.Node) bool {
	toggle := attribute(n, "data-toggle") + attribute(n, "data-bs-toggle")
	return attribute(n, "role") == "tab" || toggle == "tab" || toggle == "pill"
}

// targetOf is the id of what a trigger opens, "" if it does not say.
func targetOf(n *html.Node) string {
	for _, name := range []string{"aria-controls", "data-bs-target", "data-target", "href"} {
		value := attribute(n, name)
		if name == "href" && !strings.HasPrefix(value, "#") {
			continue
		}
		if fields := strings.Fields(strings.TrimPrefix(value, "#")); len(fields) > 0 {
			return fields[0]
		}
	}
	return ""
}

func named(n *html.Node, names map[string]bool) bool {
	return slices.ContainsFunc(namesOf(n, "class", "id"), func(word string) bool { return names[word] })
}

func inHeading(n *html.Node) bool {
	for up, i := n.Parent, 0; up != nil && i < 4; up, i = up.Parent, i+1 {
		if headings[up.DataAtom] != "" {
			return true
		}
	}
	return false
}

// The bounds of what is looked for within a trigger: elements, and bytes of its text.
const (
	maxWithin  = 50
	maxHeading = 300
)

func hasHeading(n *html.Node) bool {
	looked := 0
	for inner := range n.Descendants() {
		if looked++; looked > maxWithin {
			return false
		}
		if headings[inner.DataAtom] != "" {
			return true
		}
	}
	return false
}

// headingText is a trigger's text, "" of one that is longer than a heading.
func headingText(n *html.Node) string {
	var out strings.Builder
	looked := 0
	for inner := range n.Descendants() {
		if inner.Type == html.TextNode {
			out.WriteString(inner.Data)
		}
		if looked++; looked > 4*maxWithin || out.Len() > 4*maxHeading {
			return ""
		}
	}
	if text := oneLine(out.String()); len(text) <= maxHeading {
		return text
	}
	return ""
}

func nextElement(n *html.Node) *html.Node {
	for n = n.NextSibling; n != nil && n.Type != html.ElementNode; n = n.NextSibling {
		if n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" {
			return nil
		}
	}
	return n
}
