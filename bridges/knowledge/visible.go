package knowledge

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// sight is whether people see an element.
type sight int

const (
	seen     sight = iota
	onDemand       // not at first: after a click, if something opens it
	unseen         // never
)

// The limits of style sheets within a page: their bytes and rules.
const (
	maxStyle = 256 << 10
	maxRule  = 5000
)

// style is what is known of an element's look: some properties, in small letters without spaces.
type style map[string]string

// lookProperties are those that hide something.
var lookProperties = map[string]bool{"display": true, "visibility": true, "opacity": true, "position": true, "left": true,
	"top": true, "right": true, "text-indent": true,
	"margin-left": true, "margin-top": true, "font-size": true, "color": true, "background": true, "background-color": true,
	"width": true, "height": true,
	"max-height": true, "max-width": true, "overflow": true, "clip": true, "clip-path": true, "transform": true,
	"content-visibility": true, "transition": true}

// add reads declarations.
func (s style) add(text string) {
	for declaration := range strings.SplitSeq(text, ";") {
		name, value, found := strings.Cut(declaration, ":")
		name = strings.ToLower(strings.TrimSpace(name))
		if found && lookProperties[name] && len(value) < 200 {
			value, _, _ = strings.Cut(strings.ToLower(value), "!")
			s[name] = strings.ReplaceAll(strings.TrimSpace(value), " ", "")
		}
	}
}

// sheet has the rules of a page's own style sheets whose selector is one class or id.
type sheet map[string]style

var cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)

// sheetOf reads the style elements of a page. What is within @media and the like is left out:
// it holds sometimes only.
func sheetOf(root *html.Node) sheet {
	rules, left := sheet{}, maxStyle
	for n := range root.Descendants() {
		if n.DataAtom == atom.Style && left > 0 {
			text := textOf(n)
			text = text[:min(len(text), left)]
			left -= len(text)
			rules.read(text)
		}
	}
	return rules
}

func (rules sheet) read(text string) {
	text = cssComment.ReplaceAllString(text, "")
	for len(rules) < maxRule {
		selectors, rest, found := strings.Cut(text, "{")
		if !found {
			return
		}
		if i := strings.LastIndexAny(selectors, ";}"); i >= 0 {
			selectors = selectors[i+1:]
		}
		selectors = strings.TrimSpace(selectors)
		if strings.Contains(selectors, "@") {
			text = behindBlock(rest)
			continue
		}
		declarations, after, _ := strings.Cut(rest, "}")
		text = after
		for selector := range strings.SplitSeq(selectors, ",") {
			if selector = strings.TrimSpace(selector); isSimple(selector) {
				if rules[selector] == nil {
					rules[selector] = style{}
				}
				rules[selector].add(declarations)
			}
		}
	}
}

// behindBlock is what follows a block with blocks in it.
func behindBlock(text string) string {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return text[i+1:]
			}
		}
	}
	return ""
}

func isSimple(selector string) bool {
	return len(selector) > 1 && len(selector) < 100 && (selector[0] == '.' || selector[0] == '#') && !strings.ContainsAny(selector[1:], " .#>+~:[*\t\n")
}

// of is the look of an element by its classes, its id and itself.
func (rules sheet) of(n *html.Node) style {
	own := attribute(n, "style")
	s := style{}
	if len(rules) > 0 {
		for i, class := range strings.Fields(attribute(n, "class")) {
			if i < 30 {
				s.merge(rules["."+class])
			}
		}
		s.merge(rules["#"+attribute(n, "id")])
	}
	s.add(own[:min(len(own), 2000)])
	return s
}

func (s style) merge(other style) {
	for name, value := range other {
		s[name] = value
	}
}

// sightOf reports whether people see an element, by its attributes and its look.
func (rules sheet) sightOf(n *html.Node) sight {
	demand := false
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			if strings.EqualFold(a.Val, "until-found") {
				return seen
			}
			demand = true
		case "aria-hidden":
			demand = demand || strings.EqualFold(a.Val, "true")
		}
	}
	s := rules.of(n)
	switch {
	case len(s) == 0:
	case s.isOutside() || s.isTiny() || s.isClipped() || s.hasNoColor() || rules.isSameColor(n, s):
		return unseen
	case s["display"] == "none", s["visibility"] == "hidden", s["visibility"] == "collapse", s["content-visibility"] == "hidden",
		isZero(s["max-height"]) || isZero(s["height"]) && s["overflow"] == "hidden":
		return onDemand
	case isZero(s["opacity"]) && s["transform"] == "" && s["transition"] == "": // with them it fades in
		return onDemand
	}
	if demand {
		return onDemand
	}
	return seen
}

// isOutside reports whether something is moved out of the window.
func (s style) isOutside() bool {
	moved := func(name string) bool { px, ok := pixels(s[name]); return ok && px <= -500 }
	away := func(name string) bool { px, ok := pixels(s[name]); return ok && (px <= -500 || px >= 5000) }
	placed := s["position"] == "absolute" || s["position"] == "fixed" || s["position"] == "relative"
	if moved("text-indent") || moved("margin-left") || moved("margin-top") || placed && (away("left") || away("top") || moved("right")) {
		return true
	}
	_, shift, found := strings.Cut(s["transform"], "translate")
	if i := strings.IndexByte(shift, '('); found && i >= 0 {
		first, _, _ := strings.Cut(strings.TrimSuffix(shift[i+1:], ")"), ",")
		px, ok := pixels(first)
		return ok && px <= -500
	}
	return false
}

func (s style) isTiny() bool {
	if px, ok := pixels(s["font-size"]); ok && px < 2 {
		return true
	}
	small := func(name string) bool { px, ok := pixels(s[name]); return ok && px <= 1 }
	return strings.HasPrefix(s["transform"], "scale(0)") || s["overflow"] == "hidden" && small("width") && small("height")
}

func (s style) isClipped() bool {
	return strings.HasPrefix(s["clip"], "rect(0") || strings.HasPrefix(s["clip"], "rect(1px,1px,1px,1px") || strings.HasPrefix(s["clip-path"], "inset(50%") ||
		strings.HasPrefix(s["clip-path"], "inset(100%") || strings.HasPrefix(s["clip-path"], "circle(0")
}

func (s style) hasNoColor() bool { return colorOf(s["color"]) == "transparent" }

// maxAbove is how many elements above another are looked at for its background.
const maxAbove = 10

// isSameColor reports whether a text has the colour of what it stands on.
func (rules sheet) isSameColor(n *html.Node, s style) bool {
	color := colorOf(s["color"])
	if color == "" {
		return false
	}
	for range maxAbove {
		if background := colorOf(s["background-color"] + s["background"]); background != "" && background != "transparent" {
			return background == color
		}
		if n = n.Parent; n == nil || n.Type != html.ElementNode {
			return false
		}
		s = rules.of(n)
	}
	return false
}

// namedColors are the names of the colours that hide texts most often.
var namedColors = map[string]string{"white": "#ffffff", "black": "#000000", "red": "#ff0000", "gray": "#808080",
	"grey": "#808080", "yellow": "#ffff00", "silver": "#c0c0c0"}

// colorOf writes a colour in one way, "" when it is none that is understood.
func colorOf(value string) string {
	switch name := namedColors[value]; {
	case name != "":
		return name
	case value == "transparent" || strings.HasPrefix(value, "#") && (len(value) == 9 && value[7:] == "00" || len(value) == 5 && value[4] == '0'):
		return "transparent"
	case strings.HasPrefix(value, "#") && len(value) == 4:
		return "#" + strings.Repeat(value[1:2], 2) + strings.Repeat(value[2:3], 2) + strings.Repeat(value[3:4], 2)
	case strings.HasPrefix(value, "#"):
		return value
	case strings.HasPrefix(value, "rgb"):
		return rgbOf(value)
	}
	return ""
}

func rgbOf(value string) string {
	_, list, _ := strings.Cut(strings.TrimSuffix(value, ")"), "(")
	parts := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == '/' })
	if len(parts) == 4 && isZero(parts[3]) {
		return "transparent"
	}
	if len(parts) < 3 {
		return ""
	}
	out := "#"
	for _, part := range parts[:3] {
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil {
			return ""
		}
		out += strconv.FormatUint(n|0x100, 16)[1:]
	}
	return out
}

// pixels reads a length, about: an em is 16 pixels.
func pixels(value string) (px float64, ok bool) {
	digits := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz%")
	px, err := strconv.ParseFloat(digits, 64)
	switch value[len(digits):] {
	case "em", "rem", "ch", "ex":
		px *= 16
	case "%", "vw", "vh":
		if px < 0 {
			px *= 10
		} else if px > 1 {
			px = 100
		}
	}
	return px, err == nil
}

func isZero(value string) bool {
	px, ok := pixels(value)
	return ok && px == 0
}
