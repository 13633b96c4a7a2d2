package knowledge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The limits of a page's data for machines (JSON-LD): its scripts, their bytes, the things in
// them, how deep they nest, and how long a value is in characters.
const (
	maxDataScripts = 50
	maxDataBytes   = 1 << 20
	maxDataThings  = 2000
	maxDataDepth   = 12
	maxDataText    = 4000
)

// pageData is what a page says in JSON-LD (schema.org).
type pageData struct {
	sections []dataSection
	dated    string // when the page was changed last
	things   int
}

// dataSection is one thing: a question with its answer, a product, a business.
type dataSection struct{ title, text string }

// readData reads a page's JSON-LD.
func readData(root *html.Node) *pageData {
	d := &pageData{}
	scripts, left := 0, maxDataBytes
	for n := range root.Descendants() {
		if n.DataAtom != atom.Script || !strings.HasPrefix(strings.ToLower(strings.TrimSpace(attribute(n, "type"))), "application/ld+json") {
			continue
		}
		text := textOf(n)
		if left -= len(text); left < 0 {
			break
		}
		if scripts++; scripts > maxDataScripts {
			break
		}
		var value any
		if json.Unmarshal([]byte(strings.TrimSpace(text)), &value) == nil {
			d.read(value, 0)
		}
	}
	return d
}

// read reads a thing with the things in it.
func (d *pageData) read(value any, depth int) {
	if d.things++; depth > maxDataDepth || d.things > maxDataThings {
		return
	}
	switch v := value.(type) {
	case []any:
		for _, inner := range v {
			d.read(inner, depth+1)
		}
	case map[string]any:
		d.readThing(thing(v))
		for _, name := range []string{"@graph", "mainEntity", "mainEntityOfPage", "hasPart", "itemListElement", "item", "department", "location", "subjectOf", "hasVariant"} {
			if inner := v[name]; inner != nil {
				d.read(inner, depth+1)
			}
		}
	}
}

func (d *pageData) readThing(t thing) {
	d.dated = cmp.Or(d.dated, t.text("dateModified"), t.text("datePublished"))
	switch {
	case t.is("Question"):
		answer := t.inner("acceptedAnswer")
		if len(answer) == 0 {
			answer = t.inner("suggestedAnswer")
		}
		if len(answer) > 0 {
			d.add(t.text("name"), proseOf(answer[0].text("text")))
		}
	case t.is("Product") || t.is("ProductGroup") || t.is("Service") || t.is("Offer"):
		d.add(t.text("name"), t.productText())
	case len(t.inner("openingHoursSpecification")) > 0 || t["openingHours"] != nil || t["telephone"] != nil || len(t.inner("address")) > 0 && t["name"] != nil:
		d.add(t.text("name"), t.businessText())
	}
}

func (d *pageData) add(title, text string) {
	if title, text = oneLine(proseOf(title)), strings.TrimSpace(text); title != "" && text != "" {
		d.sections = append(d.sections, dataSection{title, text})
	}
}

// beyond writes as Markdown what a page's text does not say already.
func (d *pageData) beyond(markdown string) string {
	var out strings.Builder
	shown := lettersOf(markdown)
	for _, s := range d.sections {
		var lines []string
		for line := range strings.SplitSeq(s.text, "\n") {
			if _, value, found := strings.Cut(line, ": "); line != "" && !strings.Contains(shown, lettersOf(cutText(line, 200))) &&
				!(found && len(value) > 5 && strings.Contains(shown, lettersOf(value))) {
				lines = append(lines, strings.TrimLeft(line, "#`~ "))
			}
		}
		if len(lines) > 0 && out.Len() < maxDataBytes {
			fmt.Fprintf(&out, "\n# %s\n\n%s\n", strings.TrimLeft(s.title, "#` "), strings.Join(lines, "\n"))
		}
	}
	return out.String()
}

// cutText is the beginning of a text, at most so many bytes.
func cutText(text string, most int) string {
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// lettersOf is a text without white space and marks, to be compared.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '*' || r == '|' || r == '#' || r == '\u00a0' {
			return -1
		}
		return r
	}, text)
}

// proseOf is a text that may be HTML.
func proseOf(text string) string {
	if !strings.ContainsAny(text, "<&") {
		return text
	}
	root, err := html.Parse(strings.NewReader(withoutFormatting(text)))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(markdownOf(removeFrame(root)))
}

// thing is one JSON object.
type thing map[string]any

// is reports whether a thing has a type.
func (t thing) is(kind string) bool {
	for _, value := range listOf(t["@type"]) {
		if name, ok := value.(string); ok && strings.TrimPrefix(strings.TrimPrefix(name, "http://schema.org/"), "https://schema.org/") == kind {
			return true
		}
	}
	return false
}

func listOf(value any) []any {
	if list, ok := value.([]any); ok {
		return list[:min(len(list), maxDataThings)]
	}
	return []any{value}
}

// text is a property as text: several with commas between, of a thing its name.
func (t thing) text(name string) string {
	var parts []string
	for _, value := range listOf(t[name]) {
		switch v := value.(type) {
		case string:
			parts = append(parts, v)
		case float64:
			parts = append(parts, strings.TrimSuffix(fmt.Sprintf("%.2f", v), ".00"))
		case map[string]any:
			if inner, ok := firstNonNil(v["name"], v["@value"], v["value"]).(string); ok {
				parts = append(parts, inner)
			}
		}
		if len(parts) > 30 {
			break
		}
	}
	return clip(strings.TrimSpace(strings.Join(parts, ", ")), maxDataText)
}

func firstNonNil(values ...any) any {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}

// inner are the things in a property.
func (t thing) inner(name string) (list []thing) {
	for _, value := range listOf(t[name]) {
		if v, ok := value.(map[string]any); ok && len(list) < 100 {
			list = append(list, v)
		}
	}
	return list
}

// lines writes properties, each on a line of its own.
type lines struct{ strings.Builder }

func (l *lines) add(label, value string) {
	if value = oneText(value); value != "" {
		l.WriteString(label + ": " + value + "\n")
	}
}

func oneText(text string) string { return strings.Join(strings.Fields(text), " ") }

func (t thing) productText() string {
	var l lines
	if about := oneText(proseOf(t.text("description"))); about != "" {
		l.WriteString(about + "\n")
	}
	l.add("Brand", t.text("brand"))
	l.add("SKU", t.text("sku"))
	l.add("GTIN", cmp.Or(t.text("gtin13"), t.text("gtin")))
	offers := t.inner("offers")
	if t.is("Offer") {
		offers = []thing{t}
	}
	for _, o := range offers {
		if low := o.text("lowPrice"); low != "" {
			l.add("Price", "from "+low+" to "+o.text("highPrice")+" "+o.text("priceCurrency"))
		}
		if price := o.text("price"); price != "" {
			l.add("Price", strings.TrimSpace(o.text("name")+" "+price+" "+o.text("priceCurrency")))
		}
		l.add("Availability", spaced(o.text("availability")))
		for _, more := range o.inner("offers") {
			l.add("Price", strings.TrimSpace(more.text("name")+" "+more.text("price")+" "+more.text("priceCurrency")))
		}
	}
	return l.String()
}

// spaced is the last part of an address of schema.org as words: InStock, in stock.
func spaced(value string) string {
	value = value[strings.LastIndexByte(value, '/')+1:]
	var out strings.Builder
	for i, r := range value {
		if i > 0 && r >= 'A' && r <= 'Z' {
			out.WriteByte(' ')
		}
		out.WriteRune(r)
	}
	return strings.ToLower(out.String())
}

func (t thing) businessText() string {
	var l lines
	for _, a := range t.inner("address") {
		place := strings.TrimSpace(a.text("postalCode") + " " + a.text("addressLocality"))
		l.add("Address", strings.Join(withoutEmpty(a.text("streetAddress"), place, a.text("addressRegion"), a.text("addressCountry")), ", "))
	}
	if len(t.inner("address")) == 0 {
		l.add("Address", t.text("address"))
	}
	l.add("Telephone", t.text("telephone"))
	l.add("Email", strings.TrimPrefix(t.text("email"), "mailto:"))
	l.add("Opening hours", t.text("openingHours"))
	for _, h := range t.inner("openingHoursSpecification") {
		l.add("Opening hours", h.hours())
	}
	l.add("Prices", t.text("priceRange"))
	l.add("Payment", t.text("paymentAccepted"))
	return l.String()
}

// hours is one row of opening hours, like "Monday, Tuesday 09:00–18:00".
func (t thing) hours() string {
	days := strings.Split(t.text("dayOfWeek"), ", ")
	for i, day := range days {
		days[i] = day[strings.LastIndexByte(day, '/')+1:]
	}
	opens, closes := clockOf(t.text("opens")), clockOf(t.text("closes"))
	when := opens + "–" + closes
	if opens == closes { // as schema.org says it
		when = "closed"
	}
	span := strings.Join(withoutEmpty(t.text("validFrom"), t.text("validThrough")), " to ")
	return strings.Join(withoutEmpty(strings.Join(days, ", "), span, when), " ")
}

// clockOf is a time without its seconds and its zone.
func clockOf(value string) string {
	if len(value) > 5 && value[2] == ':' {
		return value[:5]
	}
	return value
}

func withoutEmpty(values ...string) (list []string) {
	for _, v := range values {
		if v != "" {
			list = append(list, v)
		}
	}
	return list
}
