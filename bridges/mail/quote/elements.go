package quote

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func atoms(list ...atom.Atom) map[atom.Atom]bool {
	out := map[atom.Atom]bool{}
	for _, a := range list {
		out[a] = true
	}
	return out
}

var (
	// blocks begin and end a line.
	blocks = atoms(atom.P, atom.Div, atom.Blockquote, atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Table, atom.Tr, atom.Caption,
		atom.Pre, atom.Hr, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Center, atom.Form, atom.Fieldset, atom.Header, atom.Footer,
		atom.Main, atom.Section, atom.Article, atom.Aside, atom.Nav, atom.Address, atom.Figure, atom.Body, atom.Html, atom.Tbody, atom.Thead,
		atom.Tfoot, atom.Details, atom.Summary, atom.Figcaption)
	void = atoms(atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param,
		atom.Source, atom.Track, atom.Wbr)
	// dropped have text that is not for people.
	dropped = atoms(atom.Head, atom.Script, atom.Style, atom.Title, atom.Template, atom.Noscript, atom.Iframe, atom.Object, atom.Svg, atom.Math,
		atom.Select, atom.Noembed, atom.Noframes, atom.Audio, atom.Video, atom.Canvas, atom.Textarea)
	// implied are the elements that a tag closes.
	implied = map[atom.Atom]map[atom.Atom]bool{atom.P: atoms(atom.P), atom.Li: atoms(atom.Li),
		atom.Td: atoms(atom.Td, atom.Th), atom.Th: atoms(atom.Td, atom.Th),
		atom.Tr: atoms(atom.Tr), atom.Dt: atoms(atom.Dt, atom.Dd), atom.Dd: atoms(atom.Dt, atom.Dd), atom.Body: atoms(atom.Head)}
	tables = atoms(atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption)
	// bounds are not closed by tags within them.
	bounds = atoms(atom.Div, atom.Blockquote, atom.Ul, atom.Ol, atom.Table, atom.Td, atom.Th, atom.Body, atom.Html, atom.Center, atom.Dl)
)

// attributes are those of an element that say what it is.
type attributes struct {
	class, id, name, kind, style, href, alt, cite, colour string
	isHidden                                              bool
}

// maxAttributes is how many attributes of an element are read.
const maxAttributes = 50

func readAttributes(z *html.Tokenizer, more bool) (a attributes) {
	for n := 0; more && n < maxAttributes; n++ {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "class":
			a.class = strings.ToLower(string(value))
		case "id":
			a.id = strings.ToLower(string(value))
		case "name":
			a.name = strings.ToLower(string(value))
		case "type":
			a.kind = strings.ToLower(string(value))
		case "style":
			a.style = strings.ReplaceAll(strings.ToLower(string(value)), " ", "")
		case "href":
			a.href = string(value)
		case "alt":
			a.alt = string(value)
		case "cite":
			a.cite = string(value)
		case "color":
			a.colour = strings.ToLower(string(value))
		case "hidden":
			a.isHidden = true
		}
	}
	return a
}

// styled reports whether a style sets a property to a value that begins like this.
func (a attributes) styled(property, value string) bool {
	for declaration := range strings.SplitSeq(a.style, ";") {
		name, is, _ := strings.Cut(declaration, ":")
		if strings.TrimSpace(name) == property && strings.HasPrefix(strings.TrimSpace(is), value) {
			return true
		}
	}
	return false
}

func (a attributes) hidden() bool {
	return a.isHidden || a.styled("display", "none") || a.styled("visibility", "hidden") || a.styled("mso-hide", "all") ||
		a.styled("overflow", "hidden") && (a.styled("max-height", "0") && !a.styled("max-height", "0.") || a.styled("height", "0px"))
}

func (a attributes) pre() bool { return a.styled("white-space", "pre") }

// bordered reports whether there is a line above, as Outlook draws it above the header of the
// message that is answered.
func (a attributes) bordered() bool {
	return a.styled("border-top", "solid") || a.styled("border-top", "1pt") || a.styled("border-top", "1.0pt") || a.styled("border-top", "1px")
}

var (
	colourNames = set("red blue green darkred darkblue darkgreen navy purple magenta fuchsia orange crimson firebrick mediumblue limegreen lime")
	rgbIn       = regexp.MustCompile(`^rgba?\((\d{1,3}),(\d{1,3}),(\d{1,3})[,)]`)
)

// isColoured reports whether text is red, blue or the like, by which people set their answers
// off within the text that they answer. The dark blue of Outlook's answers is none.
func isColoured(a attributes) bool {
	colour := a.colour
	for declaration := range strings.SplitSeq(a.style, ";") {
		if name, is, _ := strings.Cut(declaration, ":"); strings.TrimSpace(name) == "color" {
			colour = strings.TrimSpace(is)
		}
	}
	if colour == "" || colourNames[colour] {
		return colour != ""
	}
	var rgb [3]uint64
	for i := range rgb {
		switch parts := rgbIn.FindStringSubmatch(colour); {
		case parts != nil:
			rgb[i], _ = strconv.ParseUint(parts[i+1], 10, 16) // three digits
		case len(colour) == 7 && colour[0] == '#':
			rgb[i], _ = strconv.ParseUint(colour[2*i+1:2*i+3], 16, 8) // else it is 0
		case len(colour) == 4 && colour[0] == '#':
			rgb[i], _ = strconv.ParseUint(strings.Repeat(colour[i+1:i+2], 2), 16, 8)
		}
	}
	return slices.Max(rgb[:])-slices.Min(rgb[:]) >= 100
}

// names are the words of the class, and the id. Outlook on the web writes "x_" before those of
// others, Yahoo a number.
func (a attributes) names() []string {
	names := append(strings.Fields(a.class), a.id, a.name)
	for i, name := range names {
		for strings.HasPrefix(name, "x_") {
			name = name[2:]
		}
		names[i] = name
	}
	return names
}

// quoteNames are the classes, ids and names of quotes.
var quoteNames = set("yahoo_quoted quoted-content",
	"ms-outlook-mobile-reference-message mail-editor-reference-message-container bloop_original_html tutanota_quote",
	"ntes-mailmaster-quote isreplycontent front-blockquote")

// introNames are those of lines that introduce a quote, or a message that is sent on.
var introNames = set("gmail_attr moz-cite-prefix airmail_on gmail_quote_attribution")

// isIntro reports whether an element introduces a quote.
func isIntro(a attributes) bool {
	for _, name := range a.names() {
		if introNames[name] {
			return true
		}
	}
	return false
}

// quotePrefixes begin those with a number.
var quotePrefixes = []string{"yahoo_quoted", "ymail_android_quoted", "aolmail_quoted"}

// isQuote reports whether an element has text of others. A blockquote without any sign of a
// quote that has no border is what mail programs write to indent.
func isQuote(kind atom.Atom, a attributes) bool {
	for _, name := range a.names() {
		if quoteNames[name] {
			return true
		}
		for _, prefix := range quotePrefixes {
			if strings.HasPrefix(name, prefix) {
				return true
			}
		}
	}
	if kind == atom.Div && a.name == "quote" {
		return true
	}
	indents := a.class == "" && a.kind == "" && a.cite == "" && a.id == "" && a.styled("border", "none") && !strings.Contains(a.style, "border-left")
	return kind == atom.Blockquote && !indents
}

// signatureNames are those of signatures whose names do not end with "signature". Apple's and
// some others are left out: people write inside them.
var signatureNames = set("protonmail_signature_block-user protonmail_signature_block signature_block _rc_sig",
	"bloop_sign_container bloop_sign sigcontainer")

var notSignatures = set("applemailsignature ms-outlook-mobile-body-separator-line")

func isSignatureElement(a attributes) bool {
	for _, name := range a.names() {
		if signatureNames[name] || strings.HasSuffix(name, "signature") && !notSignatures[name] {
			return true
		}
	}
	return false
}

// beginsRest reports whether an element begins a quote that goes on to the end of the page.
func beginsRest(a attributes) bool {
	for _, name := range a.names() {
		if name == "divrplyfwdmsg" || name == "originalmessageheader" {
			return true
		}
	}
	return false
}

// spaced reports whether there is a blank line around an element.
func spaced(kind atom.Atom, a attributes) bool {
	switch kind {
	case atom.P:
		zero := a.styled("margin", "0") || a.styled("margin-bottom", "0") || a.styled("margin-top", "0")
		return !zero && !strings.Contains(a.class, "msonormal") && !strings.Contains(a.class, "msoplaintext") && !strings.Contains(a.class, "msolistparagraph")
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Pre:
		return true
	}
	return false
}

// isEmoji reports whether the text for an image is a sign.
func isEmoji(alt string) bool {
	found := false
	for _, r := range alt {
		if unicode.IsLetter(r) || unicode.IsSpace(r) {
			return false
		}
		found = found || unicode.Is(unicode.So, r) || r >= '\U0001F000' && r <= '\U0001FAFF' || r >= '\u2190' && r <= '\u2BFF'
	}
	return found && utf8.RuneCountInString(alt) <= 12
}

// beginsQuote reports whether lines begin a quote that no element shows.
func beginsQuote(lines []textLine) bool {
	all := plainLines(lines)
	return isSeparator(all[0].words) || isFooter(all[0].words) || introKind(all[0].words, false) >= introAddress || headLength(all, 0) > 0
}

// isHeader reports whether lines begin with the header of a message that is quoted.
func isHeader(lines []textLine) bool {
	_, valid := headerLength(plainLines(lines), 0)
	return valid
}

// plainLines are the first lines, as Text looks at them.
func plainLines(lines []textLine) (all []line) {
	for _, l := range lines[:min(len(lines), maxHeaderLines)] {
		all = append(all, line{raw: l.text, words: comparable(l.text), quoted: l.depth > 0})
	}
	return all
}

// layOut writes lines with the marks of quotes and signatures.
func layOut(lines []textLine) string {
	asQuote := followed(lines)
	var out strings.Builder
	sign, before := 0, ""
	for i, l := range lines {
		depth := l.depth
		if depth < 0 { // between two lines
			depth = min(lines[max(0, i-1)].depth, lines[min(i+1, len(lines)-1)].depth)
		}
		if l.sign > 0 && asQuote[l.sign] {
			depth = max(depth, 1)
		} else if l.sign != 0 && l.sign != sign && depth == 0 && l.text != "" {
			if before != "--" && strings.TrimSpace(l.text) != "--" {
				out.WriteString("-- \n")
			}
			sign = l.sign
		}
		if l.text == "--" && depth == 0 && (l.sign > 0 || i+1 < len(lines) && lines[i+1].sign > 0) {
			l.text = "-- "
		}
		out.WriteString(strings.Repeat("> ", max(depth, 0)) + l.text + "\n")
		if l.text != "" {
			before = strings.TrimSpace(l.text)
		}
	}
	return tidy(out.String())
}

// followed returns the signatures that have words of the author behind them: a line "-- " above
// would take those away.
func followed(lines []textLine) map[int]bool {
	out, open := map[int]bool{}, map[int]bool{}
	for i, l := range lines {
		switch {
		case l.depth != 0 || l.text == "":
		case l.sign > 0:
			open[l.sign] = true
		case len(open) > 0:
			if beginsQuote(lines[i:]) {
				return out
			}
			for sign := range open {
				out[sign] = true
			}
			clear(open)
		}
	}
	return out
}

// tidy removes blank lines around a text and all but one between its lines.
func tidy(text string) string {
	var out strings.Builder
	blank := false
	for l := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(l) == "" {
			blank = true
			continue
		}
		if blank && out.Len() > 0 {
			out.WriteByte('\n')
		}
		blank = false
		out.WriteString(l + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}
